//! Where a model is and how it is asked: plain data, made by [`crate::resolve`] or by hand.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::Duration;

use hermes_proto::Secret;
use serde_json::{Map, Value as Json};

use crate::{Dialect, KeyCommand, ModelId};

/// One model at one provider.
#[derive(Debug, Clone)]
pub struct Endpoint {
    pub id: ModelId,
    pub dialect: Dialect,
    /// Such as `https://api.openai.com/v1`: what comes before `/chat/completions`.
    pub base_url: String,
    /// By priority; the next one is used when one is refused.
    pub keys: Vec<Secret>,
    /// What prints a key where there is none.
    pub key_command: Option<KeyCommand>,
    pub key_need: KeyNeed,
    /// More headers. Their values may be secrets.
    pub headers: BTreeMap<String, Secret>,
    /// More fields of the request; they replace what it has.
    pub extra_body: Map<String, Json>,
    pub delivery: Delivery,
    pub timeouts: Timeouts,
    pub retries: Retries,
    /// Tokens of an answer where the request does not say.
    pub max_tokens: Option<u64>,
    pub context_length: Option<u64>,
    pub proxies: Proxies,
    /// A file of certificates (PEM) that are trusted besides those that are compiled in.
    pub trusted: Option<PathBuf>,
}

/// Whether a provider lets anybody in without a key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum KeyNeed {
    Optional,
    /// The variable that usually holds it, for the hint.
    Required {
        variable: Option<String>,
    },
}

/// How an answer is asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Delivery {
    Streamed,
    Whole,
}

/// How long a server is waited for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Timeouts {
    pub connect: Duration,
    /// From the request to the first byte of its answer.
    pub first_byte: Duration,
    /// Between two bytes.
    pub silence: Duration,
    pub whole: Duration,
}

/// How often and how slowly a failed request is made again.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Retries {
    /// Requests to one model before the next one is asked.
    pub attempts: u32,
    /// The wait before the second attempt; it doubles each time.
    pub first_wait: Duration,
    pub longest_wait: Duration,
}

/// The proxies to go through.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Proxies {
    pub http: Option<String>,
    pub https: Option<String>,
    /// Hosts that are reached directly, as `NO_PROXY` has them.
    pub except: String,
}

impl Default for Timeouts {
    fn default() -> Self {
        let seconds = Duration::from_secs;
        Self { connect: seconds(15), first_byte: seconds(180), silence: seconds(90), whole: seconds(1800) }
    }
}

impl Default for Retries {
    fn default() -> Self {
        Self { attempts: 4, first_wait: Duration::from_secs(1), longest_wait: Duration::from_secs(30) }
    }
}

impl Retries {
    /// The wait after this many failures: doubled each time, and between a half and the whole of that by chance, so that
    /// many who failed together do not come back together.
    pub(crate) fn wait(&self, failures: u32) -> Duration {
        let doubled = self.first_wait.saturating_mul(2u32.saturating_pow(failures.saturating_sub(1)));
        doubled.min(self.longest_wait).mul_f64(0.5 + fastrand::f64() / 2.0)
    }
}

impl Endpoint {
    /// An endpoint with the usual settings and no key.
    pub fn new(id: ModelId, dialect: Dialect, base_url: impl Into<String>) -> Self {
        Self {
            id,
            dialect,
            base_url: base_url.into(),
            keys: Vec::new(),
            key_command: None,
            key_need: KeyNeed::Optional,
            headers: BTreeMap::new(),
            extra_body: Map::new(),
            delivery: Delivery::Streamed,
            timeouts: Timeouts::default(),
            retries: Retries::default(),
            max_tokens: None,
            context_length: None,
            proxies: Proxies::default(),
            trusted: None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn waits_double_up_to_a_limit_and_vary() {
        let retries = Retries::default();
        for (failures, least, most) in
            [(1, 0.5, 1.0), (2, 1.0, 2.0), (3, 2.0, 4.0), (30, 15.0, 30.0), (u32::MAX, 15.0, 30.0)]
        {
            let waits: Vec<f64> = (0..50).map(|_| retries.wait(failures).as_secs_f64()).collect();
            assert!(waits.iter().all(|wait| (least..=most).contains(wait)), "{failures}: {waits:?}");
            assert!(waits.iter().any(|wait| *wait != waits[0]));
        }
    }
}
