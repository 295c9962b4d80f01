//! Giving a replacement the indentation of the place it goes to.
//!
//! If the old text was quoted with another indentation than the file's, so is the new one.
//! Each old line stands beside the file's line, which tells what an indentation means there.

use super::lines::{Line, indentation};

/// What indentations of a quoted text are in the file.
#[derive(Debug, Default)]
pub(super) struct Indentations<'a> {
    /// Quoted, and in the file; the shortest quoted first.
    known: Vec<(&'a str, &'a str)>,
}

impl<'a> Indentations<'a> {
    /// Learns from lines that stand for each other. `None` if the same quoted indentation is
    /// several in the file: then nobody knows which one a new line gets.
    pub(super) fn learn(quoted: &'a [Line<'_>], file: &'a [Line<'_>]) -> Option<Self> {
        let mut known: Vec<(&str, &str)> = Vec::new();
        for (quoted, file) in quoted.iter().zip(file).filter(|(quoted, file)| !quoted.is_blank() && !file.is_blank()) {
            let pair = (quoted.indentation(), file.indentation());
            match known.iter().find(|(known, _)| *known == pair.0) {
                Some((_, meaning)) if *meaning != pair.1 => return None,
                Some(_) => {}
                None => known.push(pair),
            }
        }
        known.sort_by_key(|(quoted, _)| quoted.len());
        Some(Self { known })
    }

    /// The text with the file's indentation on every line.
    pub(super) fn apply(&self, text: &str) -> String {
        text.split_inclusive('\n').map(|line| self.apply_to_line(line)).collect()
    }

    fn apply_to_line(&self, line: &str) -> String {
        let own = indentation(line);
        if line.trim().is_empty() || own.contains('\n') {
            return line.to_owned();
        }
        let rest = line.get(own.len()..).unwrap_or_default();
        format!("{}{rest}", self.meaning(own))
    }

    /// As the longest known one that it begins with, plus the rest; or as the shortest known
    /// one, less what it lacks of that.
    fn meaning(&self, own: &str) -> String {
        let deeper = self.known.iter().rev().find_map(|(quoted, file)| Some((own.strip_prefix(quoted)?, file)));
        if let Some((more, file)) = deeper {
            return format!("{file}{more}");
        }
        let shallower = self.known.iter().find_map(|(quoted, file)| Some((quoted.strip_prefix(own)?, file)));
        match shallower {
            Some((lacking, file)) => file.strip_suffix(lacking).unwrap_or_default().to_owned(),
            None => own.to_owned(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::lines::split;
    use super::Indentations;

    #[test]
    fn new_lines_get_the_indentation_of_the_file() {
        let check = |quoted: &str, file: &str, new: &str, expected: Option<&str>| {
            let (quoted, file) = (split(quoted.as_bytes()), split(file.as_bytes()));
            let applied = Indentations::learn(&quoted, &file).map(|known| known.apply(new));
            assert_eq!(applied.as_deref(), expected, "{quoted:?}");
        };
        check("a\n  b", "    a\n      b", "x\n  y\n    z\n", Some("    x\n      y\n        z\n"));
        check("  a", "      a", "b\n  c", Some("    b\n      c"));
        check("    a", "  a", "b\n    c", Some("b\n  c"));
        check("a\n    b\n        c", "\ta\n\t\tb\n\t\t\tc", "        x\n    y\n\nz", Some("\t\t\tx\n\t\ty\n\n\tz"));
        check("a\nb", "  a\n    b", "x", None);
        check("a", "a", "x\n\n  y", Some("x\n\n  y"));
        check("\n  \n", "\n\n", "  x", Some("  x"));
    }
}
