//! What there is to choose from.

use hermes_proto::credential::providers::{self, Access, PROVIDERS};
use serde_json::Value as Json;

use super::build::{Spot, is_unsupported};
use super::entry::Entry;
use super::{ResolveError, Sources};
use crate::keys::Pick;
use crate::server::Server;
use crate::{Endpoint, ModelError, key_command};

/// A provider that can be used, or why not.
#[derive(Debug)]
pub struct Offer {
    /// As `model.provider` names it.
    pub provider: String,
    pub name: String,
    /// Models that the configuration names.
    pub models: Vec<String>,
    pub endpoint: Result<Endpoint, ResolveError>,
}

/// A model that a provider lists.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Listed {
    pub id: String,
    pub context_length: Option<u64>,
}

/// The providers that are configured: described in config.yaml, or with a key at hand.
pub fn offers(sources: &Sources) -> Vec<Offer> {
    let described = sources.described();
    let covered = |id: &str| described.iter().any(|name| providers::find(name).is_some_and(|known| known.id == id));
    let with_key = PROVIDERS.iter().filter(|known| known.access != Access::OptionalKey && !is_unsupported(known.id));
    let with_key =
        with_key.filter(|known| sources.has_key(known.id) && !covered(known.id)).map(|known| known.id.to_owned());
    let own = sources.choose(&super::Asked::default()).ok().flatten().map(|entry| entry.provider);
    let mut names: Vec<String> = own.into_iter().chain(described.clone()).chain(with_key).collect();
    let mut seen = std::collections::BTreeSet::new();
    names.retain(|name| seen.insert(canonical(name)));
    names.into_iter().map(|name| sources.offer(&name)).collect()
}

impl Sources {
    /// One provider, whether it is configured or not.
    pub fn offer(&self, provider: &str) -> Offer {
        let settings = self.settings(provider).unwrap_or_default();
        let known = providers::find(provider);
        let mut models = configured_models(&settings.models);
        if !settings.default_model.is_empty() && !models.contains(&settings.default_model) {
            models.insert(0, settings.default_model.clone());
        }
        // A name is not needed to ask what there is.
        let model = models.first().cloned().unwrap_or_else(|| "-".to_owned());
        let entry = Entry { provider: provider.to_owned(), model, ..Entry::default() };
        let name = Some(settings.name).filter(|name| !name.is_empty());
        Offer {
            name: name.or(known.map(|known| known.name.to_owned())).unwrap_or_else(|| provider.to_owned()),
            endpoint: self.endpoint(&entry, Spot::Main),
            provider: canonical(provider),
            models,
        }
    }
}

/// Asks a provider what models it has.
pub async fn list_models(endpoint: &Endpoint) -> Result<Vec<Listed>, ModelError> {
    let server = Server::new(endpoint.clone());
    key_command::fill(&server).await?;
    let key = match server.keys.pick(std::time::Instant::now()) {
        Pick::Key(key) => Some(key),
        _ => None,
    };
    let body = server.list_models(key.as_ref()).await?;
    listed(&body).ok_or_else(|| ModelError::Malformed {
        provider: endpoint.id.provider.clone(),
        what: "it has no list of models".to_owned(),
    })
}

fn listed(body: &str) -> Option<Vec<Listed>> {
    let body: Json = serde_json::from_str(body).ok()?;
    let models = body.get("data").or(body.get("models")).unwrap_or(&body).as_array()?;
    let one = |model: &Json| {
        let id = model.get("id").or(model.get("name")).or(Some(model)).and_then(Json::as_str)?;
        // Names come from a server and go to a terminal.
        let id: String = id.chars().filter(|character| !character.is_control()).take(200).collect();
        let length = ["context_length", "context_window", "max_model_len", "max_context_length"];
        let context_length = length.iter().find_map(|field| model.get(*field)?.as_u64());
        Some(Listed { id: id.strip_prefix("models/").unwrap_or(&id).to_owned(), context_length })
    };
    let mut listed: Vec<Listed> = models.iter().filter_map(one).collect();
    listed.sort_by(|one, other| one.id.cmp(&other.id));
    listed.dedup();
    Some(listed)
}

fn configured_models(models: &Json) -> Vec<String> {
    match models {
        Json::Object(models) => models.keys().cloned().collect(),
        Json::Array(models) => {
            let name =
                |model: &Json| model.as_str().or(model["name"].as_str()).or(model["id"].as_str()).map(str::to_owned);
            models.iter().filter_map(name).collect()
        }
        _ => Vec::new(),
    }
}

fn canonical(name: &str) -> String {
    providers::find(name).map_or(name, |known| known.id).to_owned()
}
