//! The script's time, and that of the people who are asked on its behalf.

use std::sync::Arc;

use hermes_agent::ToolOutcome;
use hermes_proto::consent::{Approver, Consent, ConsentRequest, NobodyToAsk, PendingConsent, Reach, Scope};

use super::super::ground::{Ground, Made, interactive};
use super::super::people::Scripted;
use super::{DANGEROUS_SCRIPT, execute, output, put_data, status};

/// Seconds that the scripts of these tests have.
const LIMIT: u64 = 4;

fn short() -> Ground {
    Ground::of(Made::with(|config| config.code_execution.timeout = LIMIT))
}

#[tokio::test]
async fn timeout() {
    let ground = short();
    let code = "import subprocess, time\nprint('begun', flush=True)\n\
        subprocess.Popen(['setsid', 'sleep', '1000'])\nwhile True: time.sleep(60)";
    let reply = execute(&ground, &interactive(Arc::new(NobodyToAsk)), code).await;
    let said = "the script did not end within 4 seconds, and was ended";
    assert_eq!((status(&reply), reply.outcome), ("timeout", ToolOutcome::Failed), "{reply:?}");
    assert_eq!(output(&reply), format!("begun\n\n[{said}]"));
    assert_eq!(reply.content["error"], said);
    ground.workshop.close().await;
}

/// Says yes after the script's whole time.
#[derive(Debug)]
struct Slow;

impl Approver for Slow {
    fn reach(&self) -> Reach {
        Reach::Person
    }

    fn ask<'a>(&'a self, _request: &'a ConsentRequest) -> PendingConsent<'a> {
        Box::pin(async {
            tokio::time::sleep(std::time::Duration::from_secs(LIMIT + 2)).await;
            Consent::Approved(Scope::Once)
        })
    }
}

/// How long a person takes is not the script's time: what they approved still runs, and the script goes on.
#[tokio::test]
async fn a_slow_answer_does_not_use_up_the_scripts_time() {
    let ground = short();
    let data = put_data(&ground);
    let code = format!("{DANGEROUS_SCRIPT}\nprint('went on')");
    let reply = execute(&ground, &interactive(Arc::new(Slow)), &code).await;
    assert_eq!(status(&reply), "success", "{reply:?}");
    assert!(output(&reply).ends_with("went on\n") && !data.exists(), "{reply:?}");
    assert!(reply.content["duration_seconds"].as_f64().unwrap() > LIMIT as f64);
    ground.workshop.close().await;
}

/// And only that: after the answer the rest of it runs on.
#[tokio::test]
async fn after_the_answer_time_goes_on() {
    let ground = short();
    put_data(&ground);
    let code = format!("{DANGEROUS_SCRIPT}\nimport time\nwhile True: time.sleep(60)");
    let reply = execute(&ground, &interactive(Arc::new(Slow)), &code).await;
    assert_eq!(status(&reply), "timeout", "{reply:?}");
    ground.workshop.close().await;
}

/// A question that nobody answers ends by itself, as a refusal for the script.
#[tokio::test]
async fn a_question_that_nobody_answers_is_a_refusal_for_the_script() {
    let ground = Ground::of(Made::with(|config| {
        config.code_execution.timeout = 30;
        config.approvals.timeout = 1;
    }));
    let data = put_data(&ground);
    let reply = execute(&ground, &interactive(Scripted::new([])), DANGEROUS_SCRIPT).await;
    assert_eq!(status(&reply), "success", "{reply:?}");
    assert!(output(&reply).contains("Silence is not consent") && data.exists(), "{reply:?}");
    ground.workshop.close().await;
}
