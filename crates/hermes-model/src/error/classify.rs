//! From a server's refusal to what it means.
//!
//! The status alone does not tell: a full context is a 400 here and a 413 there, an empty purse is a 402, a 403 or a 429.
//! The words and codes below are those of the providers' documentation and of servers people run themselves.

use std::time::{Duration, SystemTime};

use hermes_proto::Secret;

use super::{ModelError, Said, Status};
use crate::ModelId;

/// A server that asks for more patience than this is not waited for.
const LONGEST_WAIT: Duration = Duration::from_secs(300);

/// Whom a refusal concerns.
pub(crate) struct Refused<'a> {
    pub(crate) model: &'a ModelId,
    pub(crate) secrets: &'a [Secret],
    pub(crate) status: Status,
    pub(crate) retry_after: Option<Duration>,
    pub(crate) body: &'a str,
}

const CONTEXT: &[&str] = &[
    "context_length_exceeded",
    "maximum context length",
    "context window",
    "context length",
    "context size",
    "prompt is too long",
    "input is too long",
    "too many tokens",
    "too many input tokens",
    "input token count",
    "reduce the length of the messages",
    "request_too_large",
    "max_model_len",
];
const QUOTA: &[&str] = &[
    "insufficient_quota",
    "exceeded your current quota",
    "credit balance is too low",
    "insufficient credits",
    "insufficient balance",
    "insufficient_balance",
    "billing_error",
    "billing_hard_limit",
    "requires more credits",
    "quota exceeded",
    "out of credits",
    "payment required",
];
const MODEL: &[&str] = &[
    "model_not_found",
    "is not a valid model",
    "no such model",
    "unknown model",
    "invalid model",
    "model not found",
    "not found, try pulling it",
    "no endpoints found",
    "no allowed providers",
];
const POLICY: &[&str] = &[
    "content_policy",
    "content_filter",
    "content policy",
    "content management policy",
    "moderation",
    "flagged",
    "safety system",
    "usage policies",
    "usage policy",
];
const KEY: &[&str] =
    &["invalid api key", "invalid_api_key", "incorrect api key", "authentication_error", "api key not valid"];
const OVERLOADED: &[&str] = &["overloaded", "server_error", "internal error", "internal_error", "api_error", "timeout"];
const RATE: &[&str] = &["rate_limit", "rate limit", "too many requests", "slow down", "resource_exhausted"];

/// What a refusal means.
pub(crate) fn classify(refused: &Refused<'_>) -> ModelError {
    let said = Said::of_body(refused.body, refused.secrets);
    let provider = refused.model.provider.clone();
    let model = || refused.model.clone();
    let told = refused.body.to_ascii_lowercase();
    let tells = |words: &[&str]| words.iter().any(|word| told.contains(word));
    let (status, retry_after) = (refused.status, refused.retry_after);
    let code = match status {
        Status::Http(code) => code,
        Status::InStream => code_in(&told),
    };
    match code {
        402 => ModelError::Quota { provider, said },
        429 if tells(QUOTA) => ModelError::Quota { provider, said },
        429 => ModelError::RateLimited { provider, retry_after, said },
        413 => ModelError::ContextTooLong { model: model(), said },
        401 => ModelError::WrongKey { provider, said },
        400..=499 if tells(CONTEXT) => ModelError::ContextTooLong { model: model(), said },
        400..=499 if tells(QUOTA) => ModelError::Quota { provider, said },
        400..=499 if tells(KEY) => ModelError::WrongKey { provider, said },
        400..=499 if tells(POLICY) => ModelError::ContentPolicy { provider, said },
        400..=499 if tells(MODEL) || names_missing_model(&told) => ModelError::ModelUnknown { model: model(), said },
        403 => ModelError::WrongKey { provider, said },
        404 => ModelError::ModelUnknown { model: model(), said },
        408 | 409 | 425 => ModelError::ServerBroken { provider, status, retry_after, said },
        500.. => ModelError::ServerBroken { provider, status, retry_after, said },
        _ if status == Status::InStream => in_stream(refused, said, &tells),
        _ => ModelError::RequestRefused { provider, status, said },
    }
}

/// Without a code only the words are left.
fn in_stream(refused: &Refused<'_>, said: Said, tells: &dyn Fn(&[&str]) -> bool) -> ModelError {
    let (provider, model, status) = (refused.model.provider.clone(), refused.model.clone(), refused.status);
    match () {
        () if tells(CONTEXT) => ModelError::ContextTooLong { model, said },
        () if tells(QUOTA) => ModelError::Quota { provider, said },
        () if tells(RATE) => ModelError::RateLimited { provider, retry_after: None, said },
        () if tells(POLICY) => ModelError::ContentPolicy { provider, said },
        () if tells(KEY) => ModelError::WrongKey { provider, said },
        () if tells(OVERLOADED) => ModelError::ServerBroken { provider, status, retry_after: None, said },
        () if tells(&["invalid_request"]) => ModelError::RequestRefused { provider, status, said },
        () => ModelError::ServerBroken { provider, status, retry_after: None, said },
    }
}

/// `The model 'x' does not exist`, `model x not found`.
fn names_missing_model(told: &str) -> bool {
    told.contains("model") && (told.contains("does not exist") || told.contains("not found"))
}

/// The HTTP status that a relay puts into an error in the middle of an answer.
fn code_in(body: &str) -> u16 {
    let parsed: Option<serde_json::Value> = serde_json::from_str(body).ok();
    let code = parsed.as_ref().and_then(|body| body.pointer("/error/code").or(body.pointer("/code")));
    let number = code.and_then(|code| code.as_u64().or_else(|| code.as_str()?.parse().ok()));
    number.and_then(|number| u16::try_from(number).ok()).filter(|code| (400..600).contains(code)).unwrap_or_default()
}

/// Retry-After in seconds or as a date, as far as it is worth waiting for.
pub(crate) fn retry_after(header: &str, now: SystemTime) -> Option<Duration> {
    let header = header.trim();
    let asked = match header.parse::<f64>() {
        Ok(seconds) => Duration::try_from_secs_f64(seconds).ok()?,
        Err(_) => httpdate::parse_http_date(header).ok()?.duration_since(now).unwrap_or_default(),
    };
    Some(asked.min(LONGEST_WAIT))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kind(error: &ModelError) -> String {
        let debug = format!("{error:?}");
        debug.split([' ', '{', '(']).next().unwrap_or_default().to_owned()
    }

    #[test]
    fn refusals_of_real_servers_are_told_apart() {
        let model = ModelId::new("lab", "m-1");
        for (status, body, expected) in [
            (401, r#"{"error":{"message":"Incorrect API key provided: sk-x","code":"invalid_api_key"}}"#, "WrongKey"),
            (403, "", "WrongKey"),
            (400, r#"{"error":{"message":"API key not valid. Please pass a valid API key."}}"#, "WrongKey"),
            (402, r#"{"error":{"message":"This request requires more credits"}}"#, "Quota"),
            (429, r#"{"error":{"message":"You exceeded your current quota","code":"insufficient_quota"}}"#, "Quota"),
            (400, r#"{"error":{"message":"Your credit balance is too low to access the Anthropic API"}}"#, "Quota"),
            (429, r#"{"error":{"message":"Rate limit reached for gpt-5"}}"#, "RateLimited"),
            (
                400,
                r#"{"error":{"code":"context_length_exceeded","message":"maximum context length is"}}"#,
                "ContextTooLong",
            ),
            (
                400,
                r#"{"type":"error","error":{"message":"prompt is too long: 214315 tokens > 200000 maximum"}}"#,
                "ContextTooLong",
            ),
            (400, r#"{"error":"the request exceeds the available context size"}"#, "ContextTooLong"),
            (413, "", "ContextTooLong"),
            (
                404,
                r#"{"error":{"message":"The model `gpt-9` does not exist","code":"model_not_found"}}"#,
                "ModelUnknown",
            ),
            (404, r#"{"error":"model 'x' not found, try pulling it first"}"#, "ModelUnknown"),
            (400, r#"{"error":{"message":"foo/bar is not a valid model ID"}}"#, "ModelUnknown"),
            (403, r#"{"error":{"message":"Input was flagged by moderation"}}"#, "ContentPolicy"),
            (
                400,
                r#"{"error":{"code":"content_filter","message":"triggering Azure's content management policy"}}"#,
                "ContentPolicy",
            ),
            (
                400,
                r#"{"error":{"message":"messages.1: tool_use ids were found without tool_result"}}"#,
                "RequestRefused",
            ),
            (422, r#"{"detail":"bad field"}"#, "RequestRefused"),
            (500, "", "ServerBroken"),
            (529, r#"{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}"#, "ServerBroken"),
            (408, "", "ServerBroken"),
        ] {
            let refused =
                Refused { model: &model, secrets: &[], status: Status::Http(status), retry_after: None, body };
            assert_eq!(kind(&classify(&refused)), expected, "{status} {body}");
        }
        for (body, expected) in [
            (r#"{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}"#, "ServerBroken"),
            (r#"{"error":{"code":429,"message":"Rate limited"}}"#, "RateLimited"),
            (r#"{"error":{"code":"502","message":"upstream"}}"#, "ServerBroken"),
            (r#"{"error":{"code":"context_length_exceeded","message":"x"}}"#, "ContextTooLong"),
            (r#"{"type":"error","error":{"type":"rate_limit_error","message":"x"}}"#, "RateLimited"),
            (r#"{"error":{"message":"something odd"}}"#, "ServerBroken"),
        ] {
            let refused = Refused { model: &model, secrets: &[], status: Status::InStream, retry_after: None, body };
            assert_eq!(kind(&classify(&refused)), expected, "{body}");
        }
    }

    #[test]
    fn retry_after_is_seconds_or_a_date_and_has_a_limit() {
        let now = httpdate::parse_http_date("Sun, 06 Nov 1994 08:49:37 GMT").unwrap();
        for (header, expected) in [
            ("3", Some(3.0)),
            (" 0.5 ", Some(0.5)),
            ("0", Some(0.0)),
            ("Sun, 06 Nov 1994 08:49:47 GMT", Some(10.0)),
            ("Sun, 06 Nov 1994 08:00:00 GMT", Some(0.0)),
            ("999999999999", Some(300.0)),
            ("1e300", None),
            ("-1", None),
            ("NaN", None),
            ("soon", None),
        ] {
            assert_eq!(retry_after(header, now).map(|wait| wait.as_secs_f64()), expected, "{header}");
        }
    }
}
