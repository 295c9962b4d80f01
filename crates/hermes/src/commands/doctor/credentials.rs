//! Which providers can be used, and where their credentials come from. Never values.

use std::collections::BTreeSet;

use hermes_home::credentials::{self, Credential};
use hermes_proto::Explain;

use super::finding::Finding;
use super::subject::Subject;

pub(super) fn present(subject: &Subject) -> Finding {
    subject.with_home(|home| match credentials::list(home, &subject.environment) {
        Ok(all) if all.is_empty() => Finding::warning(
            "no provider has one",
            "to use a model, add one with: hermes auth add PROVIDER --api-key -",
        ),
        Ok(all) => Finding::ok(by_provider(&all)),
        Err(error) => Finding::failure(
            error.to_string(),
            error.hint().unwrap_or_else(|| "mend that file: nothing in it can be used until then".to_owned()),
        ),
    })
}

/// `openai (auth.json, environment OPENAI_API_KEY), …` in the order of the list.
fn by_provider(all: &[Credential]) -> String {
    let groups = all.chunk_by(|one, next| one.provider == next.provider);
    let texts = groups.map(|group| {
        let mut told = BTreeSet::new();
        let sources: Vec<String> = group.iter().map(source).filter(|source| told.insert(source.clone())).collect();
        format!("{} ({})", group[0].provider, sources.join(", "))
    });
    texts.collect::<Vec<_>>().join(", ")
}

fn source(credential: &Credential) -> String {
    match credential.source.variable() {
        Some(variable) => format!("{} {variable}", credential.source.as_str()),
        None => credential.source.as_str().to_owned(),
    }
}
