//! A refused script has left nothing: no process, no folder, no entry that anything began.

use hermes_approval::Moment;
use hermes_proto::consent::ActionKind;
use hermes_proto::turn::Surface;
use serde_json::json;

use super::super::ground::{Ground, interactive, turn};
use super::super::people::Scripted;
use super::execute;

/// Scripts' folders and interpreters, as a command of the same session sees them.
const LOOK: &str = "ls -d /tmp/hermes-script-* 2>/dev/null; cat /proc/[0-9]*/comm | grep -c python; true";

#[tokio::test]
async fn a_denial_spawns_nothing_and_creates_nothing() {
    let ground = Ground::new();
    let person = Scripted::denying();
    let marker = ground.work().join("marker");
    let code = format!("open({:?}, 'w').write('ran')", marker.display().to_string());
    let reply = execute(&ground, &turn(Surface::Gateway, person, "agent:main:telegram:dm:7"), &code).await;
    assert_eq!(reply.content["outcome"], "denied");
    let seen = ground.call(&interactive(Scripted::new([])), "terminal", json!({ "command": LOOK })).await;
    assert_eq!(seen.content["output"], "0\n", "{seen:?}");
    assert!(!marker.exists());
    let of_script = |kind| kind == ActionKind::Script;
    let moments: Vec<_> = ground.journal.entries().into_iter().filter(|entry| of_script(entry.kind)).collect();
    assert!(moments.iter().all(|entry| entry.moment != Moment::Started), "{moments:?}");
    assert_eq!(moments.len(), 2, "question and refusal are on record: {moments:?}");
    ground.workshop.close().await;
}

#[tokio::test]
async fn a_script_without_code_is_not_even_asked_about() {
    let ground = Ground::new();
    let person = Scripted::new([]);
    let reply = execute(&ground, &turn(Surface::Gateway, person.clone(), "agent:main:telegram:dm:7"), " \n ").await;
    assert_eq!((&reply.content["status"], &reply.content["error"]), (&json!("error"), &json!("no code was given")));
    assert_eq!((person.asked().len(), ground.journal.entries().len()), (0, 0));
}
