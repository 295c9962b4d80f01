//! Which provider a name means.
//!
//! `anthropic/claude-…` is a model of Anthropic for whoever has a key there, and the name of a model at OpenRouter for whoever has
//! one only there. Written out (`model.provider`) nothing is ambiguous; the rules here are for what was left to be found.

use hermes_home::credentials::{Credential, Source};
use hermes_proto::credential::providers::{self, Access, PROVIDERS};

use super::entry::Entry;
use super::{Asked, ResolveError, Sources};
use crate::offline;

/// Providers whose variables are set for other reasons than models.
const NOT_BY_VARIABLE: &[&str] = &["copilot", "huggingface"];
/// Providers that have models of others, under `maker/model`.
const RELAYS: &[&str] = &["openrouter", "nous", "ai-gateway", "kilocode"];

impl Sources {
    /// The model that was asked for, else the configured one; `None` for the built-in one.
    pub(super) fn choose(&self, asked: &Asked) -> Result<Option<Entry>, ResolveError> {
        let model = &self.config.model;
        let configured = |text: &str| Some(text.trim().to_owned()).filter(|text| !text.is_empty() && text != "auto");
        let own_provider = configured(&model.provider);
        let provider = asked.provider.as_deref().and_then(configured).or_else(|| own_provider.clone());
        let provider = match &asked.model {
            Some(name) if asked.provider.is_none() && self.names_another(name, provider.as_deref()) => None,
            _ => provider,
        };
        // A provider that was asked for does not have the other's model.
        let is_other = asked.provider.is_some() && provider != own_provider;
        let name = asked.model.as_deref().and_then(configured);
        let name = name.or_else(|| configured(&model.default).filter(|_| !is_other)).unwrap_or_default();
        if is_offline(provider.as_deref().unwrap_or_default()) || (provider.is_none() && is_offline(&name)) {
            return Ok(None);
        }
        let entry = self.named(Entry { provider: provider.unwrap_or_default(), model: name, ..Entry::default() });
        if is_offline(&entry.provider) {
            return Ok(None);
        }
        if !entry.provider.is_empty() {
            return Ok(Some(entry));
        }
        let has_address = !model.base_url.trim().is_empty() || entry.base_url.is_some();
        if has_address {
            return Ok(Some(Entry { provider: "custom".to_owned(), ..entry }));
        }
        match (self.first_with_key(), entry.model.is_empty()) {
            (Some(provider), _) => Ok(Some(Entry { provider, ..entry })),
            (None, true) => Ok(None),
            (None, false) => Err(ResolveError::NoProvider { model: entry.model }),
        }
    }

    /// Whether a name that was asked for is itself an alias, or begins with a provider other than the configured one. With a
    /// relay or a server of one's own everything before the slash is part of the name.
    fn names_another(&self, name: &str, configured: Option<&str>) -> bool {
        // Whoever names a model does not mean the built-in one, unless it is named.
        if configured.is_some_and(is_offline) {
            return true;
        }
        let takes_all = configured.is_some_and(|provider| {
            let id = providers::find(provider).map_or(provider, |known| known.id);
            RELAYS.contains(&id) || providers::find(provider).is_none_or(|known| known.access == Access::OptionalKey)
        });
        let prefix = name.split_once('/').map(|(prefix, _)| prefix);
        let leads_elsewhere = |prefix: &str| self.is_described(prefix) || providers::find(prefix).is_some();
        self.alias(name).is_some() || is_offline(name) || (!takes_all && prefix.is_some_and(leads_elsewhere))
    }

    /// The entry with its alias followed and its provider found in its name, as far as that is certain.
    pub(super) fn named(&self, entry: Entry) -> Entry {
        let entry = self.alias(&entry.model).filter(|_| entry.provider.is_empty()).unwrap_or(entry);
        if !entry.provider.is_empty() || entry.base_url.is_some() {
            return entry;
        }
        let Some((prefix, model)) = entry.model.split_once('/') else { return entry };
        let split = |provider: &str| Entry { provider: provider.to_owned(), model: model.to_owned(), ..entry.clone() };
        if self.is_described(prefix) || is_offline(prefix) {
            return split(prefix);
        }
        let known = providers::find(&prefix.to_ascii_lowercase());
        match known.filter(|known| self.has_key(known.id) || known.access == Access::OptionalKey) {
            Some(known) => split(known.id),
            None => match RELAYS.iter().find(|relay| self.has_key(relay)) {
                Some(relay) => Entry { provider: (*relay).to_owned(), ..entry },
                None => known.map_or_else(|| entry.clone(), |known| split(known.id)),
            },
        }
    }

    fn alias(&self, name: &str) -> Option<Entry> {
        let aliases = [&self.config.model.aliases, &self.config.model_aliases];
        aliases.into_iter().find_map(|aliases| aliases.get(name)).and_then(Entry::of)
    }

    /// Whether config.yaml describes a provider of this name.
    pub(super) fn is_described(&self, name: &str) -> bool {
        self.settings(name).is_some()
    }

    /// Whether a key of this provider is at hand.
    pub(super) fn has_key(&self, provider: &str) -> bool {
        self.credentials_of(provider).next().is_some() || self.has_own_key(provider)
    }

    pub(super) fn credentials_of<'a>(&'a self, provider: &'a str) -> impl Iterator<Item = &'a Credential> {
        self.credentials.iter().filter(move |one| one.provider.as_str() == provider && one.secret.is_some())
    }

    /// The provider that somebody logged in to, else the first of the table that has a key.
    fn first_with_key(&self) -> Option<String> {
        let is_meant = |provider: &&str| {
            let mut credentials = self.credentials_of(provider);
            let by_variable = NOT_BY_VARIABLE.contains(provider);
            credentials.any(|one| !by_variable || matches!(one.source, Source::AuthFile(_)))
                || self.has_own_key(provider)
        };
        let usable = |provider: &&str| !super::build::is_unsupported(provider) && is_meant(provider);
        let active = self.active_provider.as_deref().and_then(providers::find).map(|provider| provider.id);
        let described = self.config.providers.keys().map(String::as_str).filter(|name| self.has_own_key(name));
        active
            .into_iter()
            .filter(usable)
            .chain(described)
            .chain(PROVIDERS.iter().map(|one| one.id).filter(usable))
            .next()
            .map(str::to_owned)
    }
}

pub(super) fn is_offline(name: &str) -> bool {
    name == offline::PROVIDER || name == offline::NAME
}

/// The provider that is most like this name.
pub(super) fn nearest(asked: &str, described: impl Iterator<Item = String>) -> Option<String> {
    let known =
        PROVIDERS.iter().flat_map(|provider| std::iter::once(provider.id).chain(provider.aliases.iter().copied()));
    let all = known.map(str::to_owned).chain(described);
    let likeness = |id: &String| strsim::jaro_winkler(asked, id);
    all.filter(|id| likeness(id) >= 0.75).max_by(|one, other| likeness(one).total_cmp(&likeness(other)))
}
