//! The loop: ask, run what was asked for, ask again, until there is an answer.

use hermes_model::{FinishReason, Finished, ModelError};
use hermes_proto::message::{Message, ToolCall, Usage};
use hermes_proto::turn::TurnContext;

use super::ask::{Asked, Offer, ask, request};
use super::bound::{bound, text_of};
use super::calls::{Checked, check};
use super::guardrails::Guardrails;
use super::run::run;
use super::stop::stopped;
use super::{EndReason, TurnEnd, TurnError};
use crate::agent::{Agent, Audience};
use crate::compression;
use crate::delegation::{Delegation, Spent};
use crate::event::TurnEvent;
use crate::session::{KeepError, Session};
use crate::tool::{ToolContext, ToolReply};

/// Said to a model that said nothing.
const NUDGE: &str = "[Your last answer was empty. Go on: use a tool, or answer in words.]";
/// Said to a model that used up its budget.
const LAST_WORDS: &str =
    "[No more tool calls are possible in this turn. Say in words what was done, what was found, and what is left.]";

/// One turn on its way.
#[derive(Debug)]
pub(crate) struct Looping<'a> {
    agent: &'a Agent,
    session: &'a mut Session,
    turn: &'a TurnContext,
    audience: &'a Audience,
    guardrails: Guardrails,
    usage: Usage,
    /// What the turn's children cost.
    spent: Spent,
    rounds: u32,
    /// The model said nothing and was told so.
    is_nudged: bool,
    /// Compressions since the model last answered.
    compressions: u32,
}

impl<'a> Looping<'a> {
    pub(crate) fn new(
        agent: &'a Agent,
        session: &'a mut Session,
        turn: &'a TurnContext,
        audience: &'a Audience,
    ) -> Self {
        let guardrails = Guardrails::new(&agent.parts.config.tool_loop_guardrails, turn.surface());
        let (usage, spent) = (Usage::default(), Spent::default());
        Self { agent, session, turn, audience, guardrails, usage, spent, rounds: 0, is_nudged: false, compressions: 0 }
    }

    pub(crate) async fn run(mut self) -> Result<TurnEnd, TurnError> {
        loop {
            self.make_room().await?;
            if let Some(reason) = stopped(self.turn) {
                return self.stop(String::new(), Usage::default(), reason).await;
            }
            if self.rounds >= self.session.budget.0 {
                return self.last_words().await;
            }
            self.hear();
            let remark = self.is_nudged.then_some(NUDGE);
            match self.ask(Offer::Tools, remark).await? {
                Ok(Asked::Stopped { text, usage, reason }) => {
                    return self.stop(text, usage, reason).await;
                }
                Ok(Asked::Finished(finished)) => {
                    if let Some(end) = self.take(finished).await? {
                        return Ok(end);
                    }
                }
                Err(error @ ModelError::ContextTooLong { .. }) => self.shorten_for(error).await?,
                Err(error) => return Err(error.into()),
            }
        }
    }

    /// Takes in what the person said meanwhile.
    fn hear(&mut self) {
        let remarks = self.audience.person.remarks();
        self.session.say(remarks.into_iter().map(Message::user).collect(), None);
    }

    /// Asks, and writes meanwhile what was said before.
    async fn ask(&mut self, offer: Offer, remark: Option<&str>) -> Result<Result<Asked, ModelError>, KeepError> {
        self.rounds += 1;
        let model = self.session.model().id().to_string();
        self.audience.observer.saw(TurnEvent::Thinking { round: self.rounds, model });
        let request = request(self.session, offer, remark);
        let keeping = self.session.keeping();
        let asking = ask(self.session, &request, self.turn, self.audience);
        let (asked, kept) = self.agent.keep_while(keeping, asking).await?;
        self.session.is_kept(kept);
        Ok(asked)
    }

    /// Takes an answer; the end of the turn if it was the last one.
    async fn take(&mut self, finished: Finished) -> Result<Option<TurnEnd>, TurnError> {
        let Finished { reason, message, usage, .. } = finished;
        self.count(usage);
        self.compressions = 0;
        let is_empty = message.text().trim().is_empty() && message.tool_calls().is_empty();
        if is_empty && reason != FinishReason::ContentFilter && !self.is_nudged {
            self.is_nudged = true;
            self.agent.count_usage(self.session, usage).await?;
            return Ok(None);
        }
        self.is_nudged = false;
        let calls = check(self.session.tools(), message.tool_calls(), reason);
        if calls.is_empty() {
            return self.answered(message, usage, reason, is_empty).await.map(Some);
        }
        let kept = calls.iter().map(|checked| checked.call.clone()).collect();
        self.keep(vec![with_calls(message, kept)], Some(usage)).await?;
        self.session.transcript.measure(usage.total());
        self.run_tools(&calls).await
    }

    async fn answered(
        &mut self,
        message: Message,
        usage: Usage,
        reason: FinishReason,
        is_empty: bool,
    ) -> Result<TurnEnd, TurnError> {
        let (answer, message) = match is_empty {
            true => (String::new(), Message::assistant("[no answer]")),
            false => (message.text(), message),
        };
        self.keep(vec![message], Some(usage)).await?;
        self.session.transcript.measure(usage.total());
        let reason = match reason {
            FinishReason::ContentFilter => EndReason::Filtered,
            _ if is_empty => EndReason::Empty,
            FinishReason::Length => {
                self.notice("the answer was cut off: it reached the longest that the model may give");
                EndReason::Answered
            }
            FinishReason::Stop | FinishReason::ToolCalls => EndReason::Answered,
        };
        Ok(self.end(answer, reason))
    }

    async fn run_tools(&mut self, calls: &[Checked]) -> Result<Option<TurnEnd>, TurnError> {
        let replies = {
            let context = |call: &ToolCall| self.context(call);
            run(calls, &context).await
        };
        for note in self.agent.parts.guard.take_notes() {
            self.notice(&note);
        }
        let results = self.results(calls, replies);
        self.session.say(results, None);
        if let Some(stuck) = self.guardrails.stuck() {
            let (answer, tool) = (stuck.message(), stuck.tool);
            self.keep(vec![Message::assistant(answer.clone())], None).await?;
            return Ok(Some(self.end(answer, EndReason::Stuck { tool })));
        }
        Ok(None)
    }

    /// What the model is told: bounded, and with a warning where it runs in circles.
    fn results(&mut self, calls: &[Checked], replies: Vec<ToolReply>) -> Vec<Message> {
        let mut warnings = Vec::with_capacity(calls.len());
        let mut texts = Vec::with_capacity(calls.len());
        for (checked, reply) in calls.iter().zip(replies) {
            warnings.push(self.guardrails.saw(&checked.call.name, checked.arguments(), reply.outcome));
            texts.push(text_of(self.agent.cleaned(reply).content));
        }
        bound(&mut texts, compression::context_length(&self.agent.parts.config, self.session.model().as_ref()));
        let result = |((checked, text), warning): ((&Checked, String), Option<String>)| {
            let text = warning.map_or(text.clone(), |warning| format!("{text}\n\n[{warning}]"));
            Message::tool_result(&checked.call, text)
        };
        calls.iter().zip(texts).zip(warnings).map(result).collect()
    }

    fn context(&self, call: &ToolCall) -> ToolContext {
        let parts = &self.agent.parts;
        ToolContext {
            turn: self.turn.clone(),
            guard: parts.guard.clone(),
            workshop: self.session.workshop.clone(),
            home: parts.home.clone(),
            config: parts.config.clone(),
            observer: self.audience.observer.clone(),
            person: self.audience.person.clone(),
            todos: self.session.todos.clone(),
            call: call.id.clone(),
            session: self.session.id.clone(),
            store: parts.store.clone(),
            tools: self.session.tools.clone(),
            delegation: Delegation::of(self.agent, self.session, &self.spent),
        }
    }

    /// The turn had to stop: what had come is kept, and the conversation can go on.
    async fn stop(mut self, text: String, usage: Usage, reason: EndReason) -> Result<TurnEnd, TurnError> {
        let why = match reason {
            EndReason::TimedOut => "[out of time]",
            _ => "[interrupted by the user]",
        };
        let kept = if text.trim().is_empty() { why.to_owned() } else { format!("{}\n\n{why}", text.trim_end()) };
        self.usage += usage;
        self.keep(vec![Message::assistant(kept)], Some(usage)).await?;
        Ok(self.end(text, reason))
    }

    /// The budget is used up: the model says in words where it stands.
    async fn last_words(mut self) -> Result<TurnEnd, TurnError> {
        let rounds = self.session.budget.0;
        self.notice(&format!("stopped after {rounds} model calls (agent.max_turns)"));
        let (answer, usage) = match self.ask(Offer::Words, Some(LAST_WORDS)).await? {
            Ok(Asked::Stopped { text, usage, reason }) => return self.stop(text, usage, reason).await,
            Ok(Asked::Finished(finished)) => (finished.message.text(), finished.usage),
            Err(error) => {
                tracing::warn!(%error, "no last words");
                (String::new(), Usage::default())
            }
        };
        self.rounds = rounds;
        self.count(usage);
        let plain = format!("I stopped after {rounds} steps, before I was done.");
        let answer = if answer.trim().is_empty() { plain } else { answer };
        self.keep(vec![Message::assistant(answer.clone())], Some(usage)).await?;
        Ok(self.end(answer, EndReason::MaxTurns))
    }

    /// Shortens the conversation before it grows too long.
    async fn make_room(&mut self) -> Result<(), TurnError> {
        let parts = &self.agent.parts;
        if self.compressions == 0 && compression::is_due(&parts.config, self.session) {
            self.compressions += 1;
            self.usage += self.agent.shorten(self.session, self.turn, self.audience, compression::Urgency(0)).await?;
        }
        Ok(())
    }

    /// The provider refused the conversation as too long: it is made shorter, or the turn fails.
    async fn shorten_for(&mut self, error: ModelError) -> Result<(), TurnError> {
        self.rounds = self.rounds.saturating_sub(1);
        let attempts = self.agent.parts.config.compression.max_attempts;
        let before = self.session.context_tokens();
        if self.compressions >= attempts || !self.agent.parts.config.compression.enabled {
            return Err(error.into());
        }
        let urgency = compression::Urgency(self.compressions + 1);
        self.compressions += 1;
        self.usage += self.agent.shorten(self.session, self.turn, self.audience, urgency).await?;
        if self.session.context_tokens() >= before && self.compressions >= attempts {
            return Err(error.into());
        }
        Ok(())
    }

    async fn keep(&mut self, messages: Vec<Message>, usage: Option<Usage>) -> Result<(), KeepError> {
        self.agent.keep(self.session, messages, usage).await
    }

    fn count(&mut self, usage: Usage) {
        self.usage += usage;
        self.audience.observer.saw(TurnEvent::Used { usage });
    }

    fn notice(&self, text: &str) {
        self.audience.observer.saw(TurnEvent::Notice { text: text.to_owned() });
    }

    fn end(&self, answer: String, reason: EndReason) -> TurnEnd {
        TurnEnd { answer, usage: self.usage + self.spent.total(), rounds: self.rounds, reason }
    }
}

/// The answer with its calls as they are kept.
fn with_calls(message: Message, calls: Vec<ToolCall>) -> Message {
    match message {
        Message::Assistant { text, reasoning, .. } => Message::Assistant { text, reasoning, tool_calls: calls },
        other => Message::Assistant { text: other.text(), reasoning: None, tool_calls: calls },
    }
}
