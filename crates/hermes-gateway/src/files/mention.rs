//! The lines of an answer that name files: `MEDIA:/path/to/file`, each on a line of its own.

const WORD: &str = "MEDIA:";
const FENCE: &str = "```";
/// Files of one answer. The rest is said to be left out.
const MOST: usize = 10;
/// Bytes of a path, as the kernel has it.
const LONGEST_PATH: usize = 4096;

/// An answer without its files, and where they are.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Mentioned {
    pub(crate) text: String,
    pub(crate) paths: Vec<String>,
    /// Files beyond those that are sent.
    pub(crate) left_out: usize,
}

impl Mentioned {
    pub(crate) fn in_answer(answer: &str) -> Self {
        let (mut lines, mut paths, mut left_out) = (Vec::new(), Vec::<String>::new(), 0);
        let mut is_fenced = false;
        for line in answer.lines() {
            if line.trim_start().starts_with(FENCE) {
                is_fenced = !is_fenced;
            }
            match path(line).filter(|_| !is_fenced) {
                None => lines.push(line),
                Some(path) if paths.iter().any(|known| known == path) => {}
                Some(path) if paths.len() < MOST => paths.push(path.to_owned()),
                Some(_) => left_out += 1,
            }
        }
        Self { text: lines.join("\n").trim().to_owned(), paths, left_out }
    }
}

/// For what is shown before an answer is whole.
pub(crate) fn without_mentions(text: &str) -> String {
    if text.contains(WORD) { Mentioned::in_answer(text).text } else { text.to_owned() }
}

/// The path that a line names, if it names one and nothing else.
fn path(line: &str) -> Option<&str> {
    let quotes = |c: char| matches!(c, '`' | '"' | '\'' | '*');
    let line = line.trim().trim_start_matches("- ").trim_matches(quotes);
    let path = line.strip_prefix(WORD)?.trim().trim_matches(quotes).trim();
    (!path.is_empty() && path.len() <= LONGEST_PATH).then_some(path)
}

#[cfg(test)]
mod tests {
    use super::{MOST, Mentioned};

    fn check(answer: &str, text: &str, paths: &[&str]) {
        let found = Mentioned::in_answer(answer);
        assert_eq!((found.text.as_str(), found.left_out), (text, 0), "{answer:?}");
        assert_eq!(found.paths, paths, "{answer:?}");
    }

    #[test]
    fn a_file_stands_on_a_line_of_its_own() {
        check("here\nMEDIA:/tmp/a.png\nand there", "here\nand there", &["/tmp/a.png"]);
        check("MEDIA: /tmp/a b.png ", "", &["/tmp/a b.png"]);
        check("`MEDIA:/tmp/a.png`\n- MEDIA:`/tmp/b`\nMEDIA:/tmp/b", "", &["/tmp/a.png", "/tmp/b"]);
    }

    #[test]
    fn everything_else_is_text() {
        for text in ["write MEDIA:/x on a line", "MEDIA:", "media:/x", "```\nMEDIA:/x\n```", "MEDIA:\"\""] {
            check(text, text, &[]);
        }
    }

    #[test]
    fn there_are_at_most_so_many() {
        let many: String = (0..MOST + 3).map(|number| format!("MEDIA:/tmp/{number}\n")).collect();
        let found = Mentioned::in_answer(&many);
        assert_eq!((found.paths.len(), found.left_out), (MOST, 3));
    }
}
