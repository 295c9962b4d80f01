//! Every credential this home can use, with where it came from.
//!
//! The question "is there a key?" has three places to look in. Asking only one of
//! them tells a person to log in who has long exported a variable, and reading a
//! file that is not ours to read as "nothing there" does the same.

use hermes_proto::{Explain, Fault, Secret};

use super::auth_file::{self, AuthFile, AuthFileError, Place};
use super::{Exposure, ProviderId};
use crate::Home;
use crate::dotenv::{self, DotenvError, EnvFile};
use hermes_proto::HostEnvironment;
use hermes_proto::credential::providers::PROVIDERS;

/// One credential of a provider.
#[derive(Debug, Clone)]
pub struct Credential {
    pub provider: ProviderId,
    /// Its place among the provider's credentials, from one.
    pub number: usize,
    pub label: String,
    pub kind: Kind,
    pub source: Source,
    /// Absent where the file keeps only a record about it.
    pub secret: Option<Secret>,
}

/// What kind of credential it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    ApiKey,
    OAuth,
}

/// Where a credential was found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Source {
    AuthFile(Place),
    Dotenv { variable: &'static str },
    Environment { variable: &'static str },
}

/// Why the credentials cannot be told.
#[derive(Debug, thiserror::Error)]
pub enum ListError {
    #[error(transparent)]
    AuthFile(#[from] AuthFileError),
    #[error(transparent)]
    Dotenv(#[from] DotenvError),
}

impl Explain for ListError {
    fn fault(&self) -> Fault {
        match self {
            Self::AuthFile(error) => error.fault(),
            Self::Dotenv(error) => error.fault(),
        }
    }

    fn hint(&self) -> Option<String> {
        match self {
            Self::AuthFile(error) => error.hint(),
            Self::Dotenv(error) => error.hint(),
        }
    }
}

impl Kind {
    pub fn as_str(self) -> &'static str {
        match self {
            Self::ApiKey => "api_key",
            Self::OAuth => "oauth",
        }
    }
}

impl Source {
    /// The file's name, or `environment`.
    pub fn as_str(&self) -> &'static str {
        match self {
            Self::AuthFile(_) => "auth.json",
            Self::Dotenv { .. } => ".env",
            Self::Environment { .. } => "environment",
        }
    }

    /// The variable that holds it, if one does.
    pub fn variable(&self) -> Option<&'static str> {
        match self {
            Self::AuthFile(_) => None,
            Self::Dotenv { variable } | Self::Environment { variable } => Some(variable),
        }
    }
}

/// All credentials: providers in the table's order, then the others by name; of each
/// provider first what `auth.json` holds, then `.env`, then the environment.
pub fn list(home: &Home, environment: &HostEnvironment) -> Result<Vec<Credential>, ListError> {
    let auth = auth_file::load(home)?;
    let dotenv = dotenv::load(home)?;
    let mut all = stored(&auth);
    all.extend(in_dotenv(&dotenv));
    all.extend(in_environment(environment));
    all.sort_by_key(|one| (rank(&one.provider), one.provider.clone()));
    number(&mut all);
    Ok(all)
}

/// Files with credentials in this home that others may read.
pub fn exposures(home: &Home) -> Vec<Exposure> {
    [home.auth_path(), home.env_path()].iter().filter_map(|path| Exposure::of(path)).collect()
}

fn stored(auth: &AuthFile) -> Vec<Credential> {
    let entries = auth.pool().into_iter().map(|(key, entry)| Credential {
        provider: ProviderId::of_stored(key),
        number: 0,
        label: entry.label.clone().or(entry.id.clone()).unwrap_or_default(),
        kind: if entry.auth_type.as_deref() == Some("oauth") { Kind::OAuth } else { Kind::ApiKey },
        secret: entry.access_token.clone(),
        source: Source::AuthFile(Place::Pool { key: key.to_owned(), entry }),
    });
    let logins = auth.logins().into_iter().map(|login| Credential {
        provider: ProviderId::of_stored(&login.key),
        number: 0,
        label: "login".to_owned(),
        kind: Kind::OAuth,
        secret: login.access_token,
        source: Source::AuthFile(Place::Login { key: login.key }),
    });
    entries.chain(logins).collect()
}

fn in_dotenv(file: &EnvFile) -> Vec<Credential> {
    from_variables(|name| file.get(name), |variable| Source::Dotenv { variable })
}

fn in_environment(environment: &HostEnvironment) -> Vec<Credential> {
    from_variables(|name| environment.text(name), |variable| Source::Environment { variable })
}

/// For each provider the first of its variables that holds more than blanks.
fn from_variables<'a>(
    value: impl Fn(&str) -> Option<&'a str>,
    source: impl Fn(&'static str) -> Source,
) -> Vec<Credential> {
    let first = |names: &'static [&'static str]| {
        names.iter().find_map(|name| Some((*name, value(name).map(str::trim).filter(|text| !text.is_empty())?)))
    };
    let found = PROVIDERS.iter().filter_map(|provider| Some((provider, first(provider.key_variables)?)));
    found
        .map(|(provider, (variable, text))| Credential {
            provider: ProviderId::of_stored(provider.id),
            number: 0,
            label: variable.to_owned(),
            kind: if variable.contains("OAUTH") { Kind::OAuth } else { Kind::ApiKey },
            source: source(variable),
            secret: Some(Secret::new(text)),
        })
        .collect()
}

fn rank(provider: &ProviderId) -> usize {
    PROVIDERS.iter().position(|known| known.id == provider.as_str()).unwrap_or(PROVIDERS.len())
}

fn number(all: &mut [Credential]) {
    for group in all.chunk_by_mut(|one, next| one.provider == next.provider) {
        for (index, one) in group.iter_mut().enumerate() {
            one.number = index + 1;
        }
    }
}
