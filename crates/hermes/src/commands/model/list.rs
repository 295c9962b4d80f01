//! `hermes model list`.

use std::time::Duration;

use clap::{Args, ValueHint};
use hermes_model::offline;
use hermes_model::resolve::{Asked, Listed, Offer, list_models, offers};
use hermes_model::{Endpoint, ModelId, Timeouts};
use hermes_proto::{Explain, Fault};
use serde_json::{Value, json};
use tokio::task::JoinSet;

use super::printable;
use super::show::address;
use crate::context::Context;
use crate::exit::Failure;

/// Models of one provider that are shown when none was asked for.
const SHOWN: usize = 12;
/// Nobody wants to wait longer for a list.
const TIMEOUTS: Timeouts = Timeouts {
    connect: Duration::from_secs(5),
    first_byte: Duration::from_secs(10),
    silence: Duration::from_secs(10),
    whole: Duration::from_secs(20),
};

/// List configured providers and their models; each provider is asked what it has
#[derive(Debug, Args)]
pub(super) struct Typed {
    /// Only this provider, with all its models
    #[arg(value_hint = ValueHint::Other)]
    provider: Option<String>,
    /// Print a JSON array of objects with provider, name, base_url, current, reachable, error and models
    #[arg(long)]
    json: bool,
    /// Ask nobody: show what the configuration names
    #[arg(long)]
    offline: bool,
}

/// One provider and what it answered.
struct Row {
    offer: Offer,
    answer: Answer,
}

enum Answer {
    Listed(Vec<Listed>),
    NotAsked,
    Failed { error: String, hint: Option<String> },
}

pub(super) fn run(typed: &Typed, context: &mut Context) -> Result<(), Failure> {
    let sources = super::sources(context)?;
    let current = sources.resolve(&Asked::default()).ok().map(|resolution| resolution.id());
    let wanted = match &typed.provider {
        Some(provider) if provider == offline::PROVIDER => Vec::new(),
        Some(provider) => vec![sources.offer(provider)],
        None => offers(&sources),
    };
    let rows = if typed.offline { wanted.into_iter().map(not_asked).collect() } else { ask_all(wanted)? };
    if let (Some(_), [Row { offer: Offer { endpoint: Err(error), .. }, .. }]) = (&typed.provider, rows.as_slice()) {
        let failure = Failure::new(error.fault(), error);
        return Err(error.hint().map_or(failure, |hint| Failure::new(error.fault(), error).hint(hint)));
    }
    let most = if typed.provider.is_some() { usize::MAX } else { SHOWN };
    if typed.json {
        let all: Vec<Value> =
            rows.iter().map(|row| row.as_json(current.as_ref())).chain([built_in_json(current.as_ref())]).collect();
        return context.line(format_args!("{:#}", Value::Array(all)));
    }
    for row in &rows {
        row.lines(current.as_ref(), most).into_iter().try_for_each(|line| context.line(line))?;
    }
    let mark = if is_current(current.as_ref(), offline::PROVIDER, offline::NAME) { "*" } else { " " };
    context.line(format_args!("{}  built in, without a network", offline::PROVIDER))?;
    context.line(format_args!("{mark} {}", offline::NAME))
}

/// Asks all of them at once.
fn ask_all(offers: Vec<Offer>) -> Result<Vec<Row>, Failure> {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .map_err(|error| Failure::new(Fault::Failed, format_args!("no runtime: {error}")))?;
    let mut answers: Vec<Answer> = offers.iter().map(|_| Answer::NotAsked).collect();
    runtime.block_on(async {
        let mut tasks = JoinSet::new();
        for (place, offer) in offers.iter().enumerate() {
            if let Ok(endpoint) = &offer.endpoint {
                let endpoint = Endpoint { timeouts: TIMEOUTS, ..endpoint.clone() };
                tasks.spawn(async move { (place, list_models(&endpoint).await) });
            }
        }
        while let Some(ended) = tasks.join_next().await {
            if let Ok((place, outcome)) = ended {
                answers[place] = match outcome {
                    Ok(listed) => Answer::Listed(listed),
                    Err(error) => Answer::Failed { error: error.to_string(), hint: error.hint() },
                };
            }
        }
    });
    Ok(offers.into_iter().zip(answers).map(|(offer, answer)| Row { offer, answer }).collect())
}

fn not_asked(offer: Offer) -> Row {
    Row { offer, answer: Answer::NotAsked }
}

impl Row {
    /// What the configuration names first, then what the provider lists.
    fn models(&self) -> Vec<(String, Option<u64>, bool)> {
        let listed = if let Answer::Listed(listed) = &self.answer { listed.as_slice() } else { &[] };
        let find = |id: &str| listed.iter().find(|one| one.id == id);
        let configured = self
            .offer
            .models
            .iter()
            .map(|id| (id.clone(), find(id).and_then(|one| one.context_length), find(id).is_some()));
        let others = listed.iter().filter(|one| !self.offer.models.contains(&one.id));
        configured.chain(others.map(|one| (one.id.clone(), one.context_length, true))).collect()
    }

    fn state(&self) -> String {
        match (&self.offer.endpoint, &self.answer) {
            (Err(error), _) => format!("cannot be used: {error}"),
            (Ok(_), Answer::NotAsked) => "not asked".to_owned(),
            (Ok(_), Answer::Failed { error, .. }) => error.clone(),
            (Ok(_), Answer::Listed(listed)) => format!("reachable, {} models", listed.len()),
        }
    }

    fn lines(&self, current: Option<&ModelId>, most: usize) -> Vec<String> {
        let at = self.offer.endpoint.as_ref().map_or(String::new(), |endpoint| format!("  {}", address(endpoint)));
        let Offer { provider, name, .. } = &self.offer;
        let mut lines = vec![format!("{}  {}{at}  {}", printable(provider), printable(name), printable(&self.state()))];
        let mut models = self.models();
        let own = current.filter(|id| id.provider == *provider);
        if let Some(id) = own.filter(|id| !models.iter().any(|(model, ..)| *model == id.model)) {
            models.insert(0, (id.model.clone(), None, false));
        }
        // The one in use is always shown.
        models.sort_by_key(|(model, ..)| !is_current(current, provider, model));
        let line = |(model, length, is_listed): &(String, Option<u64>, bool)| {
            let mark = if is_current(current, provider, model) { "*" } else { " " };
            let length = length.map_or(String::new(), |length| format!("  {length} tokens"));
            let unlisted = if matches!(self.answer, Answer::Listed(_)) && !is_listed {
                "  (not in the provider's list)"
            } else {
                ""
            };
            format!("{mark} {}{length}{unlisted}", printable(model))
        };
        lines.extend(models.iter().take(most).map(line));
        if models.len() > most {
            lines.push(format!("  … and {} more: hermes model list {}", models.len() - most, printable(provider)));
        }
        lines
    }

    fn as_json(&self, current: Option<&ModelId>) -> Value {
        let Offer { provider, name, models, endpoint } = &self.offer;
        let one = |(id, length, is_listed): (String, Option<u64>, bool)| {
            json!({"id": id, "context_length": length, "configured": models.contains(&id), "listed": is_listed,
                "current": is_current(current, provider, &id)})
        };
        let (error, hint) = match (endpoint, &self.answer) {
            (Err(error), _) => (Some(error.to_string()), error.hint()),
            (Ok(_), Answer::Failed { error, hint }) => (Some(error.clone()), hint.clone()),
            _ => (None, None),
        };
        json!({
            "provider": provider, "name": name, "base_url": endpoint.as_ref().ok().map(address),
            "current": current.is_some_and(|id| id.provider == *provider),
            "reachable": match &self.answer { Answer::Listed(_) => Some(true), Answer::Failed { .. } => Some(false), Answer::NotAsked => None },
            "error": error, "hint": hint,
            "models": self.models().into_iter().map(one).collect::<Vec<_>>(),
        })
    }
}

fn built_in_json(current: Option<&ModelId>) -> Value {
    let is_current = is_current(current, offline::PROVIDER, offline::NAME);
    json!({
        "provider": offline::PROVIDER, "name": "built in", "base_url": null, "current": is_current, "reachable": true,
        "error": null, "hint": null,
        "models": [{"id": offline::NAME, "context_length": null, "configured": false, "listed": true, "current": is_current}],
    })
}

fn is_current(current: Option<&ModelId>, provider: &str, model: &str) -> bool {
    current.is_some_and(|id| id.provider == provider && id.model == model)
}
