//! Redirects of a command: files it opens, and what feeds its standard input.

use brush_parser::ast::{
    IoFileRedirectKind, IoFileRedirectTarget, IoRedirect, ProcessSubstitutionKind, SubshellCommand,
};

use super::event::{Feed, Field, Redirect, Simple};
use super::expand::Mode;
use super::{Outcome, Reader};

/// How a file is opened.
#[derive(Debug, Clone, Copy)]
struct Way {
    writes: bool,
    duplicates: bool,
}

impl Reader<'_> {
    pub(super) fn redirect(&mut self, redirect: &IoRedirect, simple: &mut Simple) {
        match redirect {
            IoRedirect::File(descriptor, kind, target) => self.file_redirect(*descriptor, kind, target, simple),
            IoRedirect::HereDocument(_, document) => {
                let text = &document.doc.value;
                let text = if document.requires_expansion { self.text(text, Mode::Document) } else { text.clone() };
                simple.feed = Feed::Document(text);
            }
            IoRedirect::HereString(_, word) => {
                let text = self.text(&word.value, Mode::Value);
                simple.feed = Feed::Document(text + "\n");
            }
            IoRedirect::OutputAndError(word, _) => {
                self.open(&word.value, Way { writes: true, duplicates: false }, simple);
            }
        }
    }

    fn file_redirect(
        &mut self,
        descriptor: Option<i32>,
        kind: &IoFileRedirectKind,
        target: &IoFileRedirectTarget,
        simple: &mut Simple,
    ) {
        let duplicates = matches!(kind, IoFileRedirectKind::DuplicateInput | IoFileRedirectKind::DuplicateOutput);
        let writes = !matches!(kind, IoFileRedirectKind::Read | IoFileRedirectKind::DuplicateInput);
        match target {
            IoFileRedirectTarget::Fd(_) => {}
            IoFileRedirectTarget::Filename(word) | IoFileRedirectTarget::Duplicate(word) => {
                if matches!(kind, IoFileRedirectKind::Read) && descriptor.unwrap_or(0) == 0 {
                    simple.feed = Feed::File;
                }
                self.open(&word.value, Way { writes, duplicates }, simple);
            }
            IoFileRedirectTarget::ProcessSubstitution(direction, subshell) => {
                let outcome = self.process_substitution(direction, subshell, simple);
                if matches!(direction, ProcessSubstitutionKind::Read) {
                    simple.feed = Feed::Pipe { sources: outcome.sources, text: outcome.output };
                }
            }
        }
    }

    fn open(&mut self, word: &str, way: Way, simple: &mut Simple) {
        let Way { writes, duplicates } = way;
        for target in self.fields(word) {
            let descriptor = target.text.bytes().all(|byte| byte.is_ascii_digit() || byte == b'-');
            if !(descriptor && duplicates) {
                simple.redirects.push(Redirect { target, writes, duplicates });
            }
        }
    }

    /// `<(…)` and `>(…)`: their commands are read; what they print may feed a shell.
    pub(super) fn process_substitution(
        &mut self,
        kind: &ProcessSubstitutionKind,
        subshell: &SubshellCommand,
        simple: &Simple,
    ) -> Outcome {
        let feed = match kind {
            ProcessSubstitutionKind::Read => Feed::Nothing,
            ProcessSubstitutionKind::Write => Feed::Pipe { sources: vec![simple.name.clone()], text: None },
        };
        self.in_subshell(|reader| reader.subshell_list(subshell, &feed))
    }

    pub(super) fn document_field() -> Field {
        Field::new("/dev/fd/63")
    }
}
