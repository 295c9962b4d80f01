//! The door to `brush-parser`, with a guard in front of it.
//!
//! Hazard: the grammar is a backtracking one. It recurses once per nesting level,
//! reads unclosed parentheses and nested `case` arms again and again (each level
//! doubles the work), and panics on a descriptor number that is no `i32`. A text is
//! checked for these before the grammar sees it.

use brush_parser::ast::Program;
use brush_parser::{ParserOptions, Token, TokenizerOptions, parse_tokens, uncached_tokenize_str};

use super::limits;

/// Levels that fit on any thread's stack.
const SHALLOW: usize = 24;
/// Stack for one level of the grammar, the walk and the drop, in an unoptimised build.
const BYTES_PER_LEVEL: usize = 48 * 1024;
/// Each level of `case` doubles the grammar's work.
const CASE_DEPTH: usize = 4;
/// Each level of parentheses is scanned by every level around it.
const PARENTHESES: usize = 48;

/// What came of a text.
#[derive(Debug)]
pub(super) enum Parsed {
    Program(Program),
    NotBash,
    TooDeep,
}

/// Runs `work` where the nesting that `text` may hold fits on the stack, and tells it how much
/// fits; answers nothing if that is too much.
pub(super) fn with_stack_for<T: Send>(text: &str, work: impl FnOnce(usize) -> T + Send) -> Option<T> {
    // The brackets of prose and JSON count too: past the limit the tokens will tell what they are.
    let levels = levels(text).min(limits::OPENERS);
    if substitutions(text) > limits::OPENERS {
        return None;
    }
    if levels <= SHALLOW { Some(work(SHALLOW)) } else { on_thread(levels, move || work(levels)) }
}

/// How deep the nesting of a text can be at most, whatever is quoted in it.
pub(super) fn levels(text: &str) -> usize {
    substitutions(text) + openers(text)
}

fn on_thread<T: Send>(levels: usize, work: impl FnOnce() -> T + Send) -> Option<T> {
    let size = (levels + SHALLOW) * BYTES_PER_LEVEL;
    std::thread::scope(|scope| {
        let started = std::thread::Builder::new().stack_size(size).spawn_scoped(scope, work).ok()?;
        // A panic is a fault of ours and is passed on, never read as an answer.
        Some(started.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)))
    })
}

/// Parses a text; never panics, never takes more than linear time.
pub(super) fn parse(text: &str) -> Parsed {
    let Ok(mut tokens) = uncached_tokenize_str(text, &TokenizerOptions::default()) else {
        return Parsed::NotBash;
    };
    match check(&mut tokens) {
        Checked::Fine => {}
        Checked::NotBash => return Parsed::NotBash,
        Checked::TooDeep => return Parsed::TooDeep,
    }
    match parse_tokens(&tokens, &ParserOptions::default()) {
        Ok(program) => Parsed::Program(program),
        Err(_) => Parsed::NotBash,
    }
}

enum Checked {
    Fine,
    NotBash,
    TooDeep,
}

/// Looks at the tokens for what the grammar cannot bear, and mends what it does not know.
fn check(tokens: &mut [Token]) -> Checked {
    let (mut parentheses, mut cases, mut openers) = (0_usize, 0_usize, 0_usize);
    let mut at_command = true;
    for index in 0..tokens.len() {
        if is_oversized_descriptor(&tokens[index..]) {
            return Checked::NotBash;
        }
        let mut next_at_command = false;
        match &tokens[index] {
            Token::Operator(operator, _) => {
                match operator.as_str() {
                    "(" => (parentheses, openers) = (parentheses + 1, openers + 1),
                    ")" => parentheses = parentheses.saturating_sub(1),
                    _ => {}
                }
                next_at_command = !operator.starts_with(['<', '>']);
            }
            Token::Word(word, _) if at_command => match word.as_str() {
                "case" => (cases, openers) = (cases + 1, openers + 1),
                "esac" => cases = cases.saturating_sub(1),
                "select" => openers += 1,
                _ => {
                    openers += usize::from(opens(word));
                    next_at_command = precedes_command(word);
                }
            },
            Token::Word(word, _) => next_at_command = precedes_command(word) || closes_empty_case(tokens, index),
        }
        if at_command && matches!(&tokens[index], Token::Word(word, _) if word == "select") {
            rename(&mut tokens[index], "for");
        }
        if cases > CASE_DEPTH || parentheses > PARENTHESES || openers > limits::OPENERS {
            return Checked::TooDeep;
        }
        at_command = next_at_command;
    }
    if parentheses > 0 { Checked::NotBash } else { Checked::Fine }
}

/// `case WORD in` may be followed by `esac` at once.
fn closes_empty_case(tokens: &[Token], index: usize) -> bool {
    tokens[index].to_str() == "in" && index >= 2 && tokens[index - 2].to_str() == "case"
}

/// The grammar knows no `select`, whose commands are those of `for`.
fn rename(token: &mut Token, name: &str) {
    if let Token::Word(word, _) = token {
        *word = name.to_owned();
    }
}

fn is_oversized_descriptor(tokens: &[Token]) -> bool {
    let [Token::Word(word, _), Token::Operator(operator, _), ..] = tokens else { return false };
    operator.starts_with(['<', '>'])
        && (word.is_empty() || word.len() > 9)
        && word.bytes().all(|byte| byte.is_ascii_digit())
}

fn opens(word: &str) -> bool {
    matches!(word, "{" | "if" | "while" | "until" | "for" | "coproc" | "function" | "[[")
}

fn precedes_command(word: &str) -> bool {
    matches!(word, "{" | "if" | "while" | "until" | "then" | "do" | "else" | "elif" | "!" | "time" | "coproc" | "-p")
}

/// Where the tokenizer recurses.
fn substitutions(text: &str) -> usize {
    text.as_bytes().windows(2).filter(|pair| pair[0] == b'$' && matches!(pair[1], b'(' | b'{' | b'[')).count()
}

/// Where the grammar could recurse, counted without regard to quoting.
fn openers(text: &str) -> usize {
    let brackets = text.bytes().filter(|byte| matches!(byte, b'(' | b'{')).count();
    let words = text.split(|letter: char| !letter.is_ascii_alphabetic());
    brackets + words.filter(|word| matches!(*word, "case" | "select") || opens(word)).count()
}

#[cfg(test)]
mod tests {
    use super::{Parsed, parse};

    fn outcome(text: &str) -> &'static str {
        match parse(text) {
            Parsed::Program(_) => "program",
            Parsed::NotBash => "not bash",
            Parsed::TooDeep => "too deep",
        }
    }

    /// Each of these makes the bare grammar panic, or work for hours.
    #[test]
    fn what_the_grammar_cannot_bear_is_turned_away() {
        for (text, expected) in [
            ("echo 99999999999>x", "not bash"),
            (&"(".repeat(40), "not bash"),
            (&format!("[[ a =~ {}", "(".repeat(30)), "not bash"),
            (&"case a in a) ".repeat(30), "too deep"),
            (&format!("{}x{}", "(".repeat(60), ")".repeat(60)), "too deep"),
            ("ls <<EOF", "not bash"),
            ("echo 'open", "not bash"),
        ] {
            assert_eq!(outcome(text), expected, "{text}");
        }
    }

    #[test]
    fn ordinary_programs_pass() {
        for text in [
            "",
            "# only a comment",
            "select x in a b; do echo $x; done",
            "case $1 in start) run;; stop) halt;; esac",
            "for f in case esac; do case $f in a) b;; esac; done",
            "echo 2>&1 123>x",
            "x=$((1 << 2)); (( x > 3 )) && ( (ls) )",
        ] {
            assert_eq!(outcome(text), "program", "{text}");
        }
    }
}
