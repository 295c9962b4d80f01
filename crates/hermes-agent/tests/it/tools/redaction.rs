//! What a tool says goes to the model without secrets; what people see of it is theirs.

use hermes_agent::{ToolReply, TurnEvent};
use serde_json::json;

use crate::ground::{Ground, begun, last_results};
use crate::script::{Script, calls, says};
use crate::tool::beside;

const KEY: &str = "sk-proj-abcdefghijklmnopqrstuvwxyz0123456789";

async fn told(is_on: bool) -> (String, Ground) {
    let mut ground = Ground::new();
    ground.config.security.redact_secrets = is_on;
    let leak = beside("leak", |_, _| async {
        let content = json!({"lines": [format!("OPENAI_API_KEY={KEY}"), "plain"], "deep": {"key": KEY}});
        ToolReply { diff: Some(format!("+{KEY}")), ..ToolReply::done(content, "done") }
    });
    let agent = ground.agent(Script::new([calls(&[("1", "leak", "{}")]), says("ok")]), [leak]);
    let mut session = begun(&agent).await;
    ground.says(&agent, &mut session, "go").await.unwrap();
    (last_results(&session).remove(0), ground)
}

#[tokio::test]
async fn secrets_do_not_reach_the_model() {
    let (result, ground) = told(true).await;
    assert!(!result.contains("abcdefghijklmnop") && result.contains("plain"), "{result}");
    let shown =
        |event: &TurnEvent| matches!(event, TurnEvent::ToolFinished { diff: Some(diff), .. } if diff.contains(KEY));
    assert!(ground.seen.events().iter().any(shown), "the person sees their own file as it is");
}

#[tokio::test]
async fn redaction_can_be_switched_off() {
    assert!(told(false).await.0.contains(KEY));
}
