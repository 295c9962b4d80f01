//! `hermes sessions export`.

use std::io::{self, Write};
use std::path::{Path, PathBuf};

use clap::{Args, ValueEnum, ValueHint};
use hermes_store::sessions::{Listing, Session};
use serde_json::{Value as Json, json};

use super::{Open, markdown};
use crate::commands::store::{private_file, unwritten};
use crate::context::Context;
use crate::exit::Failure;

/// Sessions that are fetched at a time: however many there are, they do not all have to fit into memory.
const PAGE: usize = 100;

/// Write sessions with all their messages to a file or to standard output
///
/// A file is readable by its owner only. What was said is written as it was, secrets included.
#[derive(Debug, Args)]
pub(super) struct Typed {
    /// The file, or - for standard output
    #[arg(default_value = "-", value_hint = ValueHint::FilePath)]
    output: PathBuf,
    /// Only this session: id, beginning of an id, title, or latest
    #[arg(long, value_name = "SESSION", conflicts_with = "source")]
    session_id: Option<String>,
    /// Only those that came from here, such as cli or telegram
    #[arg(long, value_name = "SOURCE")]
    source: Option<String>,
    /// How; without it by the file's extension (.json, .md), else jsonl: one session to a line
    #[arg(long, value_enum, ignore_case = true)]
    format: Option<Format>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Format {
    Jsonl,
    Json,
    Markdown,
}

pub(super) fn run(typed: &Typed, open: &Open, context: &mut Context) -> Result<(), Failure> {
    let format = typed.format.unwrap_or_else(|| Format::of(&typed.output));
    let wanted = Wanted::of(typed, open)?;
    if typed.output == Path::new("-") {
        let mut writer = Writer { format, out: context.output(), failed: |error| Failure::output(&error), written: 0 };
        return writer.all(open, wanted).map(drop);
    }
    let failed = |error| unwritten(&typed.output, &error);
    let mut writer = Writer { format, out: private_file(&typed.output)?, failed, written: 0 };
    let written = writer.all(open, wanted)?;
    writer.out.flush().map_err(failed)?;
    let noun = if written == 1 { "session" } else { "sessions" };
    context.note(format_args!("wrote {written} {noun} to {}", typed.output.display()));
    Ok(())
}

impl Format {
    fn of(path: &Path) -> Self {
        match path.extension().and_then(|extension| extension.to_str()) {
            Some("json") => Self::Json,
            Some("md" | "markdown") => Self::Markdown,
            _ => Self::Jsonl,
        }
    }
}

/// Which sessions are written.
enum Wanted {
    One(Box<Session>),
    Of(Option<String>),
}

impl Wanted {
    fn of(typed: &Typed, open: &Open) -> Result<Self, Failure> {
        Ok(match &typed.session_id {
            Some(asked) => Self::One(Box::new(open.sessions.find(asked)?)),
            None => Self::Of(typed.source.clone()),
        })
    }
}

struct Writer<W, F> {
    format: Format,
    out: W,
    failed: F,
    written: usize,
}

impl<W: Write, F: Fn(io::Error) -> Failure> Writer<W, F> {
    fn all(&mut self, open: &Open, wanted: Wanted) -> Result<usize, Failure> {
        match wanted {
            Wanted::One(session) => self.one(open, &session)?,
            Wanted::Of(source) => {
                let mut page = Listing { source, ..Listing::newest(PAGE) };
                loop {
                    let sessions = open.sessions.list(&page)?;
                    if sessions.is_empty() {
                        break;
                    }
                    sessions.iter().try_for_each(|session| self.one(open, session))?;
                    page.offset += sessions.len();
                }
            }
        }
        if self.format == Format::Json {
            self.write(if self.written == 0 { "[]\n" } else { "\n]\n" })?;
        }
        Ok(self.written)
    }

    fn one(&mut self, open: &Open, session: &Session) -> Result<(), Failure> {
        let messages = open.sessions.everything(&session.id)?;
        let object = || -> Result<String, Failure> {
            let mut object = serde_json::to_value(session).map_err(|error| (self.failed)(error.into()))?;
            if let Json::Object(map) = &mut object {
                // The counts tell the same, under the name of what is counted.
                map.insert("message_count".to_owned(), json!(session.messages));
                map.insert("messages".to_owned(), json!(messages));
            }
            Ok(object.to_string())
        };
        let text = match self.format {
            Format::Jsonl => object()? + "\n",
            Format::Json => format!("{}{}", if self.written == 0 { "[\n" } else { ",\n" }, object()?),
            Format::Markdown if self.written > 0 => format!("\n{}", markdown::document(session, &messages)),
            Format::Markdown => markdown::document(session, &messages),
        };
        self.written += 1;
        self.write(&text)
    }

    fn write(&mut self, text: &str) -> Result<(), Failure> {
        self.out.write_all(text.as_bytes()).map_err(&self.failed)
    }
}
