//! Which keys answer a question, and from when on.
//!
//! A question can appear while somebody types. A letter that was meant for a message must not approve a command: a question takes no
//! key before the keyboard has been quiet for a moment since it appeared.

use std::fmt;
use std::time::Duration;

use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
use hermes_agent::Answer;
use hermes_proto::Secret;
use hermes_proto::consent::{Consent, Scope};
use tokio::time::Instant;

use super::{Asked, Given, QuestionView};
use crate::draft::{Draft, Edited};

/// How long the keyboard has to be quiet.
pub(crate) const QUIET: Duration = Duration::from_millis(700);
/// Longer is no password.
const LONGEST_SECRET: usize = 4096;

/// What a key did.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Keyed {
    /// It belongs to the line that is being typed.
    Elsewhere,
    /// It answers nothing.
    Ignored,
    /// All of a long action is to be shown.
    ShowAll,
    Answer(u64, Given),
}

/// What the person looks at.
pub(crate) struct Attention {
    shown: Option<u64>,
    /// Since the question appeared, or since the last key that was not for it.
    quiet_since: Instant,
    /// The time for reading is over; keys are for the question.
    armed: bool,
    secret: String,
    /// An answer in words, as far as it is typed.
    words: Draft,
}

/// Without the secret.
impl fmt::Debug for Attention {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut debug = formatter.debug_struct("Attention");
        debug.field("shown", &self.shown).field("armed", &self.armed).finish_non_exhaustive()
    }
}

impl Attention {
    pub(crate) fn new(now: Instant) -> Self {
        Self { shown: None, quiet_since: now, armed: false, secret: String::new(), words: Draft::default() }
    }

    /// The question that is shown from now on.
    pub(crate) fn show(&mut self, number: Option<u64>, now: Instant) {
        if self.shown != number {
            *self = Self { shown: number, ..Self::new(now) };
        }
    }

    /// Whether a key would answer now.
    pub(crate) fn is_armed(&self, now: Instant) -> bool {
        self.armed || self.shown.is_some() && now.saturating_duration_since(self.quiet_since) >= QUIET
    }

    /// What was typed of an answer in words.
    pub(crate) fn words(&self) -> &str {
        self.words.text()
    }

    /// The question is out of sight: keys are not for it until it has been seen again for a moment.
    pub(crate) fn disarm(&mut self, now: Instant) {
        self.armed = false;
        self.quiet_since = now;
    }

    pub(crate) fn key(&mut self, view: &QuestionView, key: KeyEvent, now: Instant) -> Keyed {
        self.show(Some(view.number), now);
        if !self.is_armed(now) {
            self.quiet_since = now;
            return Keyed::Elsewhere;
        }
        self.armed = true;
        match &view.asked {
            Asked::Consent(request) => {
                let offers: Vec<Scope> = request.offers.iter().map(|offer| offer.scope).collect();
                consent_key(view.number, &offers, key)
            }
            Asked::Secret(_) => self.secret_key(view.number, key),
            Asked::Meaning(question) => self.meaning_key(view.number, &question.choices, key),
        }
    }

    /// Pasted text answers no question, but it may be a secret, or words of an answer.
    pub(crate) fn paste(&mut self, view: &QuestionView, text: &str, now: Instant) -> Keyed {
        self.show(Some(view.number), now);
        if !self.is_armed(now) {
            self.quiet_since = now;
            return Keyed::Elsewhere;
        }
        self.armed = true;
        match &view.asked {
            Asked::Secret(_) if self.secret.len() + text.len() <= LONGEST_SECRET => {
                self.secret.push_str(text.trim_end_matches(['\r', '\n']));
            }
            Asked::Meaning(_) => self.words.insert(&text.replace('\r', "\n")),
            Asked::Secret(_) | Asked::Consent(_) => {}
        }
        Keyed::Ignored
    }

    /// A number chooses, unless words are being typed.
    fn meaning_key(&mut self, number: u64, choices: &[String], key: KeyEvent) -> Keyed {
        let said = |text: &str| Keyed::Answer(number, Given::Meaning(Answer::Said(text.to_owned())));
        if key.code == KeyCode::Esc {
            return Keyed::Answer(number, Given::Meaning(Answer::Declined));
        }
        if let KeyCode::Char(character) = key.code
            && self.words.text().is_empty()
            && let Some(digit) = character.to_digit(10)
            && let Some(choice) = usize::try_from(digit).ok().and_then(|digit| choices.get(digit.checked_sub(1)?))
        {
            return said(choice);
        }
        match self.words.key(key) {
            Edited::Sent(words) if !words.trim().is_empty() => said(words.trim()),
            Edited::Sent(_) | Edited::Changed | Edited::Untouched => Keyed::Ignored,
        }
    }

    fn secret_key(&mut self, number: u64, key: KeyEvent) -> Keyed {
        let is_plain = !key.modifiers.intersects(KeyModifiers::CONTROL | KeyModifiers::ALT);
        match key.code {
            KeyCode::Enter => {
                let secret = Secret::new(std::mem::take(&mut self.secret));
                Keyed::Answer(number, Given::Secret(Some(secret).filter(|secret| !secret.is_empty())))
            }
            KeyCode::Esc => Keyed::Answer(number, Given::Secret(None)),
            KeyCode::Backspace => {
                self.secret.pop();
                Keyed::Ignored
            }
            KeyCode::Char('u') if key.modifiers.contains(KeyModifiers::CONTROL) => {
                self.secret.clear();
                Keyed::Ignored
            }
            KeyCode::Char(character) if is_plain && self.secret.len() < LONGEST_SECRET => {
                self.secret.push(character);
                Keyed::Ignored
            }
            _ => Keyed::Ignored,
        }
    }
}

/// Enter is not among these keys: it is what one presses without reading.
fn consent_key(number: u64, offers: &[Scope], key: KeyEvent) -> Keyed {
    let is_plain = !key.modifiers.intersects(KeyModifiers::CONTROL | KeyModifiers::ALT);
    let approved = |scope: Scope| match offers.contains(&scope) {
        true => Keyed::Answer(number, Given::Consent(Consent::Approved(scope))),
        false => Keyed::Ignored,
    };
    match key.code {
        KeyCode::Esc => Keyed::Answer(number, Given::Consent(Consent::Denied { reason: None })),
        KeyCode::Char(character) if is_plain => match character.to_ascii_lowercase() {
            'o' => approved(Scope::Once),
            's' => approved(Scope::Session),
            'a' => approved(Scope::Always),
            'd' | 'n' => Keyed::Answer(number, Given::Consent(Consent::Denied { reason: None })),
            'v' => Keyed::ShowAll,
            _ => Keyed::Ignored,
        },
        _ => Keyed::Ignored,
    }
}

#[cfg(test)]
mod tests {
    use hermes_proto::consent::{ActionKind, ConsentRequest, Offer, SecretRequest};

    use super::*;

    fn view(number: u64, scopes: &[Scope]) -> QuestionView {
        let offers = scopes.iter().map(|scope| Offer { scope: *scope, allows: String::new() }).collect();
        let request = ConsentRequest {
            request: "test".to_owned(),
            kind: ActionKind::Command,
            action: "rm x".to_owned(),
            place: "local".to_owned(),
            findings: Vec::new(),
            offers,
            patience: Duration::from_secs(60),
        };
        QuestionView { number, asked: Asked::Consent(request), deadline: Instant::now() }
    }

    fn press(code: KeyCode) -> KeyEvent {
        KeyEvent::new(code, KeyModifiers::NONE)
    }

    #[test]
    fn one_key_answers_and_enter_does_not() {
        const ALL: &[Scope] = &[Scope::Once, Scope::Session, Scope::Always];
        let approved = |scope| Keyed::Answer(7, Given::Consent(Consent::Approved(scope)));
        let denied = Keyed::Answer(7, Given::Consent(Consent::Denied { reason: None }));
        let start = Instant::now();
        let later = start + QUIET;
        for (offers, key, expected) in [
            (ALL, press(KeyCode::Char('o')), approved(Scope::Once)),
            (ALL, press(KeyCode::Char('S')), approved(Scope::Session)),
            (ALL, press(KeyCode::Char('a')), approved(Scope::Always)),
            (&ALL[..1], press(KeyCode::Char('a')), Keyed::Ignored),
            (&ALL[..1], press(KeyCode::Char('s')), Keyed::Ignored),
            (ALL, press(KeyCode::Char('d')), denied.clone()),
            (ALL, press(KeyCode::Char('n')), denied.clone()),
            (ALL, press(KeyCode::Esc), denied),
            (ALL, press(KeyCode::Enter), Keyed::Ignored),
            (ALL, press(KeyCode::Char(' ')), Keyed::Ignored),
            (ALL, press(KeyCode::Char('y')), Keyed::Ignored),
            (ALL, press(KeyCode::Char('v')), Keyed::ShowAll),
            (ALL, KeyEvent::new(KeyCode::Char('o'), KeyModifiers::CONTROL), Keyed::Ignored),
            (ALL, KeyEvent::new(KeyCode::Char('a'), KeyModifiers::ALT), Keyed::Ignored),
        ] {
            let mut attention = Attention::new(start);
            attention.show(Some(7), start);
            assert_eq!(attention.key(&view(7, offers), key, later), expected, "{key:?}");
        }
    }

    #[test]
    fn keys_that_were_on_their_way_when_the_question_came_answer_nothing() {
        let start = Instant::now();
        let mut attention = Attention::new(start);
        let mut now = start;
        for _ in 0..20 {
            now += QUIET / 2;
            assert_eq!(attention.key(&view(1, &[Scope::Once]), press(KeyCode::Char('o')), now), Keyed::Elsewhere);
        }
        assert_eq!(attention.paste(&view(1, &[Scope::Once]), "o", now), Keyed::Elsewhere);
        now += QUIET;
        assert_eq!(attention.paste(&view(1, &[Scope::Once]), "o", now), Keyed::Ignored);
        assert!(matches!(attention.key(&view(1, &[Scope::Once]), press(KeyCode::Char('o')), now), Keyed::Answer(1, _)));
        // The next question is not answered by the same finger.
        assert_eq!(attention.key(&view(2, &[Scope::Once]), press(KeyCode::Char('o')), now), Keyed::Elsewhere);
    }

    #[test]
    fn a_number_chooses_and_words_are_typed() {
        let start = Instant::now();
        let now = start + QUIET;
        let question =
            hermes_agent::Question { text: "Which?".to_owned(), choices: vec!["red".to_owned(), "green".to_owned()] };
        let view = QuestionView { number: 4, asked: Asked::Meaning(question), deadline: now };
        let given = |text: &str| Keyed::Answer(4, Given::Meaning(Answer::Said(text.to_owned())));
        let shown = || {
            let mut attention = Attention::new(start);
            attention.show(Some(4), start);
            attention
        };
        let mut early = shown();
        assert_eq!(early.key(&view, press(KeyCode::Char('1')), start), Keyed::Elsewhere);
        assert_eq!(shown().key(&view, press(KeyCode::Char('2')), now), given("green"));
        let mut attention = shown();
        for code in [KeyCode::Enter, KeyCode::Char('0'), KeyCode::Backspace, KeyCode::Char(' '), KeyCode::Enter] {
            assert_eq!(attention.key(&view, press(code), now), Keyed::Ignored, "{code:?}");
        }
        for code in [KeyCode::Char('x'), KeyCode::Char('1')] {
            assert_eq!(attention.key(&view, press(code), now), Keyed::Ignored);
        }
        attention.paste(&view, "\u{1b}", now);
        assert_eq!(attention.words(), "x1␛");
        assert_eq!(attention.key(&view, press(KeyCode::Enter), now), given("x1␛"));
        let declined = Keyed::Answer(4, Given::Meaning(Answer::Declined));
        assert_eq!(shown().key(&view, press(KeyCode::Esc), now), declined);
    }

    #[test]
    fn a_secret_is_gathered_and_given() {
        let start = Instant::now();
        let now = start + QUIET;
        let asked = Asked::Secret(SecretRequest { purpose: "sudo".to_owned(), patience: QUIET });
        let view = QuestionView { number: 3, asked, deadline: now };
        let mut attention = Attention::new(start);
        attention.show(Some(3), start);
        for character in "abx".chars() {
            assert_eq!(attention.key(&view, press(KeyCode::Char(character)), now), Keyed::Ignored);
        }
        attention.key(&view, press(KeyCode::Backspace), now);
        attention.paste(&view, "cd\n", now);
        let given = attention.key(&view, press(KeyCode::Enter), now);
        assert_eq!(given, Keyed::Answer(3, Given::Secret(Some(Secret::new("abcd")))));
        assert!(!format!("{attention:?}").contains("abcd"));
        assert_eq!(attention.key(&view, press(KeyCode::Esc), now), Keyed::Answer(3, Given::Secret(None)));
    }
}
