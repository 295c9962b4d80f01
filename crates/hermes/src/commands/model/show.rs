//! `hermes model show`.

use clap::Args;
use hermes_model::Endpoint;
use hermes_model::resolve::{Asked, Resolution};
use serde_json::{Value, json};

use super::printable;
use crate::context::Context;
use crate::exit::Failure;

/// Show which model answers, where it is, and what stands in for it
#[derive(Debug, Args, Default)]
pub(super) struct Typed {
    /// Print one JSON object with provider, model, base_url, api_mode, keys, offline and fallbacks
    #[arg(long)]
    json: bool,
}

pub(super) fn run(typed: &Typed, context: &mut Context) -> Result<(), Failure> {
    let resolution = super::sources(context)?.resolve(&Asked::default())?;
    resolution.notes.iter().for_each(|note| context.note(format_args!("warning: {note}")));
    match typed.json {
        true => context.line(format_args!("{:#}", as_json(&resolution))),
        false => as_lines(&resolution).into_iter().try_for_each(|line| context.line(line)),
    }
}

fn as_lines(resolution: &Resolution) -> Vec<String> {
    let endpoints = resolution.endpoints();
    let Some((first, fallbacks)) = endpoints.split_first() else {
        let id = resolution.id();
        return vec![
            format!("{id}: built in, answers without a network"),
            "choose a real one with: hermes auth add PROVIDER, then hermes model use PROVIDER/MODEL".to_owned(),
        ];
    };
    let mut lines = vec![
        format!("provider: {}", printable(&first.id.provider)),
        format!("model:    {}", printable(&first.id.model)),
        format!("address:  {}", address(first)),
        format!("api:      {}", first.dialect.as_str()),
        format!("keys:     {}", keys(first)),
    ];
    lines.extend(fallbacks.iter().map(|one| format!("then:     {}", printable(&one.id.to_string()))));
    lines
}

fn keys(endpoint: &Endpoint) -> String {
    match (endpoint.keys.len(), &endpoint.key_command) {
        (0, Some(_)) => "printed by key_cmd".to_owned(),
        (0, None) => "none, and none is needed".to_owned(),
        (count, _) => count.to_string(),
    }
}

fn as_json(resolution: &Resolution) -> Value {
    let id = resolution.id();
    let one = |endpoint: &Endpoint| {
        json!({
            "provider": endpoint.id.provider,
            "model": endpoint.id.model,
            "base_url": address(endpoint),
            "api_mode": endpoint.dialect.as_str(),
            "keys": endpoint.keys.len(),
            "context_length": endpoint.context_length,
        })
    };
    let endpoints = resolution.endpoints();
    let mut shown = match endpoints.first() {
        Some(first) => one(first),
        None => {
            json!({"provider": id.provider, "model": id.model, "base_url": null, "api_mode": null, "keys": 0, "context_length": null})
        }
    };
    shown["offline"] = resolution.is_offline().into();
    shown["fallbacks"] = endpoints.iter().skip(1).map(|endpoint| one(endpoint)).collect();
    shown
}

/// The address without a password in it.
pub(super) fn address(endpoint: &Endpoint) -> String {
    let url = &endpoint.base_url;
    let Some((scheme, rest)) = url.split_once("://") else { return printable(url) };
    let (authority, path) =
        rest.split_once('/').map_or((rest, String::new()), |(host, path)| (host, format!("/{path}")));
    let host = authority.rsplit_once('@').map_or(authority, |(_, host)| host);
    printable(&format!("{scheme}://{host}{}", path.split('?').next().unwrap_or_default()))
}
