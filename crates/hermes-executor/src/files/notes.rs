//! Sentences beside an answer, at most so many: a tree with a million unreadable folders
//! is one fact, not a million.

const MOST: usize = 20;
const LONGEST: usize = 1000;

/// Notes in the order in which they came.
#[derive(Debug, Default)]
pub(super) struct Notes {
    kept: Vec<String>,
    more: usize,
}

impl Notes {
    pub(super) fn push(&mut self, note: impl Into<String>) {
        if self.kept.len() >= MOST {
            self.more += 1;
            return;
        }
        let mut note = note.into();
        if let Some((end, _)) = note.char_indices().nth(LONGEST) {
            note.truncate(end);
            note.push('…');
        }
        self.kept.push(note);
    }

    pub(super) fn into_vec(mut self) -> Vec<String> {
        if self.more > 0 {
            self.kept.push(format!("and {} more notes like these", self.more));
        }
        self.kept
    }
}

#[cfg(test)]
mod tests {
    use super::{LONGEST, MOST, Notes};

    #[test]
    fn notes_are_few_and_short() {
        let mut notes = Notes::default();
        (0..MOST + 7).for_each(|number| notes.push(format!("{number} {}", "ä".repeat(5000))));
        let kept = notes.into_vec();
        assert_eq!(kept.len(), MOST + 1);
        assert_eq!(kept[MOST], "and 7 more notes like these");
        assert!(kept.iter().all(|note| note.chars().count() <= LONGEST + 1));
    }
}
