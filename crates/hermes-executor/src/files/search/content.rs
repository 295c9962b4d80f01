//! Searching content for a regular expression, line by line, in the order of the paths.

use std::fs::{self, File};
use std::io::{self, Read, Seek};
use std::path::Path;

use grep_matcher::LineTerminator;
use grep_regex::{RegexMatcher, RegexMatcherBuilder};
use grep_searcher::{BinaryDetection, Searcher, SearcherBuilder};
use hermes_proto::executor::{FileAnswer, FileKind, FileProblem, SearchFiles};
use tokio_util::sync::CancellationToken;

use super::found_lines::{COUNTED, Collector, Page};
use super::name_glob::NameGlob;
use super::walk::{Hidden, Order, Visit, WalkEnd, walk};
use crate::files::content_kind::{ContentKind, content_kind};
use crate::files::notes::Notes;
use crate::files::{Operation, Place, open, problem, read, shown};

const MOST_CONTEXT: usize = 50;
const LONGEST_PATTERN: usize = 10_000;
/// What a line and its context may take; a longer line ends the search of its file.
const MOST_MEMORY: usize = 8 * 1024 * 1024;

pub(in crate::files) fn search_content(
    request: &SearchFiles,
    operation: &Operation<'_>,
) -> Result<FileAnswer, FileProblem> {
    let root = operation.resolve(&request.path)?;
    let found = fs::metadata(&root).map_err(|error| problem::from_io(&root, "cannot be searched", &error))?;
    let matcher = matcher(&request.pattern)?;
    let context = request.context.min(MOST_CONTEXT);
    let repeated = Place::repeated(&request.path, &root);
    let page = Page::new(request.offset, request.limit);
    let mut search = Search { operation, matcher, searcher: searcher(context), context, page, notes: Notes::default() };
    let end = match open::kind_of(found.file_type()) {
        FileKind::Folder => search.tree(&root, &repeated, request.file_glob.as_deref())?,
        FileKind::File => search.one(&root, &repeated)?,
        kind => return Err(FileProblem::NotAFile { path: shown::path(&root), kind }),
    };
    Ok(search.answer(end))
}

fn matcher(pattern: &str) -> Result<RegexMatcher, FileProblem> {
    let bad = |detail: String| FileProblem::BadPattern { pattern: pattern.chars().take(200).collect(), detail };
    if pattern.len() > LONGEST_PATTERN {
        return Err(bad(format!("a regular expression has at most {LONGEST_PATTERN} bytes")));
    }
    // Asked first: the builder puts a group around the pattern, and then errors point beside the place.
    regex_syntax::ParserBuilder::new()
        .utf8(false)
        .build()
        .parse(pattern)
        .map_err(|error| bad(error.to_string().chars().take(2000).collect()))?;
    RegexMatcherBuilder::new().multi_line(true).line_terminator(Some(b'\n')).crlf(true).build(pattern).map_err(
        |error| match error.kind() {
            grep_regex::ErrorKind::NotAllowed(_) => {
                bad("lines are searched one by one, so a line end in it matches nothing; search for one of the lines"
                    .into())
            }
            _ => bad(error.to_string()),
        },
    )
}

fn searcher(context: usize) -> Searcher {
    SearcherBuilder::new()
        .line_terminator(LineTerminator::crlf())
        .line_number(true)
        .before_context(context)
        .after_context(context)
        .heap_limit(Some(MOST_MEMORY))
        .binary_detection(BinaryDetection::quit(0))
        .build()
}

struct Search<'a> {
    operation: &'a Operation<'a>,
    matcher: RegexMatcher,
    searcher: Searcher,
    context: usize,
    page: Page,
    notes: Notes,
}

impl Search<'_> {
    fn tree(&mut self, root: &Path, repeated: &Path, glob: Option<&str>) -> Result<WalkEnd, FileProblem> {
        let glob = glob.map(|glob| NameGlob::new(glob, root)).transpose()?;
        let wants_hidden = glob.as_ref().is_some_and(NameGlob::wants_hidden);
        let hidden = if wants_hidden { Hidden::Shown } else { Hidden::Skipped };
        let operation = self.operation;
        let mut notes = std::mem::take(&mut self.notes);
        let end = walk(root, Order::Sorted, hidden, operation, &mut notes, |entry, notes| {
            let path = entry.path().strip_prefix(root).unwrap_or(entry.path());
            let is_file = entry.file_type().is_some_and(|kind| kind.is_file());
            if !is_file || glob.as_ref().is_some_and(|glob| !glob.is_match(path)) {
                return Ok(Visit::Continue);
            }
            let file = match open::open_regular(entry.path()) {
                Ok((file, _)) => file,
                Err(problem) => {
                    notes.push(problem.to_string());
                    return Ok(Visit::Continue);
                }
            };
            let searched = self.file(entry.path(), &repeated.join(path), &file, notes)?;
            if let (Some(byte), true) = (searched.binary_at, searched.matches > 0) {
                notes.push(format!("{} is binary from byte {byte} on; searched up to there", searched.path));
            }
            Ok(if self.page.total < COUNTED { Visit::Continue } else { Visit::Stop })
        });
        self.notes = notes;
        end
    }

    /// One file that was named: what a tree passes over in silence is told here.
    fn one(&mut self, path: &Path, repeated: &Path) -> Result<WalkEnd, FileProblem> {
        let (mut file, metadata) = open::open_regular(path)?;
        let failed = |error| problem::from_io(path, "cannot be read", &error);
        let head = read::read_head(&mut file).map_err(failed)?;
        if let ContentKind::Binary(looks_like) = content_kind(&head) {
            let (path, looks_like) = (shown::path(path), looks_like.to_owned());
            return Err(FileProblem::Binary { path, size: metadata.len(), looks_like });
        }
        file.rewind().map_err(failed)?;
        // In a log a few nul bytes are no reason to stop.
        self.searcher.set_binary_detection(BinaryDetection::convert(0));
        let mut notes = std::mem::take(&mut self.notes);
        let searched = self.file(path, repeated, &file, &mut notes)?;
        if let Some(byte) = searched.binary_at {
            notes.push(format!(
                "{} has nul bytes, the first at byte {byte}; they were taken as line ends",
                searched.path
            ));
        }
        self.notes = notes;
        Ok(if self.page.total < COUNTED { WalkEnd::Complete } else { WalkEnd::Early })
    }

    fn file(&mut self, path: &Path, repeated: &Path, file: &File, notes: &mut Notes) -> Result<Searched, FileProblem> {
        let shown = shown::path(repeated);
        let mut collector = Collector::new(&self.matcher, &mut self.page, &shown, self.context);
        let source = Watched { file, cancellation: self.operation.cancellation };
        let result = self.searcher.search_reader(&self.matcher, source, &mut collector);
        let (binary_at, matches) = (collector.binary_at, collector.matches);
        self.operation.go_on(path)?;
        if let Err(error) = result {
            notes.push(format!("{shown} was not searched to its end: {}", problem::reason(&error)));
        }
        Ok(Searched { path: shown, binary_at, matches })
    }

    fn answer(self, end: WalkEnd) -> FileAnswer {
        let Self { page, mut notes, .. } = self;
        if page.total >= COUNTED {
            notes.push(format!("counting stopped at {COUNTED} matches; use a narrower pattern or path"));
        }
        if page.total == 0 {
            notes.push("nothing matches; hidden and binary files and those that .gitignore names were left out");
        } else if page.shown == 0 && !page.is_full && page.asks_for_some() {
            notes.push(format!("there are only {} matches to page through", page.total));
        }
        if page.is_full {
            notes.push(format!("the answer is full; continue with offset {}", page.next_offset()));
        }
        let is_cut = page.has_more() || end == WalkEnd::Early;
        FileAnswer::Matches { lines: page.lines, total: page.total, is_cut, notes: notes.into_vec() }
    }
}

struct Searched {
    path: String,
    binary_at: Option<u64>,
    matches: usize,
}

/// A file that ends with an error once its request is given up.
struct Watched<'a> {
    file: &'a File,
    cancellation: &'a CancellationToken,
}

impl Read for Watched<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.cancellation.is_cancelled() {
            return Err(io::Error::other("cancelled"));
        }
        self.file.read(buffer)
    }
}
