//! A script's call is made in the turn of the script, local and in a container, and in no turn afterwards.

use std::sync::Arc;

use hermes_agent::ToolOutcome;
use hermes_proto::consent::{ActionKind, NobodyToAsk};
use hermes_proto::turn::Surface;
use serde_json::json;

use super::super::ground::{Ground, Made, interactive, turn};
use super::super::people::Scripted;
use super::{DANGEROUS, DANGEROUS_SCRIPT, execute, output, put_data, status};
use crate::docker::place_with_python;

const KEY: &str = "agent:main:telegram:dm:7";
/// Prints whose session the script is in, and whose its commands are.
const WHOSE: &str = "import os\nfrom hermes_tools import terminal\n\
    print(os.environ['HERMES_SESSION_KEY'], terminal('echo $HERMES_SESSION_KEY')['output'].strip())";

#[tokio::test]
async fn context_and_callback_propagation_local() {
    let ground = Ground::new();
    let data = put_data(&ground);
    // The script, then its command: both reach this turn's person.
    let person = Scripted::approving(3);
    let turn = turn(Surface::Gateway, person.clone(), KEY);
    let reply = execute(&ground, &turn, WHOSE).await;
    assert_eq!(output(&reply), format!("{KEY} {KEY}\n"), "{reply:?}");
    let reply = execute(&ground, &turn, DANGEROUS_SCRIPT).await;
    assert_eq!(status(&reply), "success", "{reply:?}");
    assert!(!data.exists(), "approved, so it ran");
    let asked: Vec<_> = person.asked().into_iter().map(|asked| (asked.kind, asked.action)).collect();
    assert_eq!(asked[2], (ActionKind::Command, DANGEROUS.to_owned()));
    assert_eq!(asked.len(), 3);
    // The record says whose it was.
    let of_command = ground.journal.entries().into_iter().find(|entry| entry.subject == DANGEROUS).unwrap();
    assert_eq!((of_command.session.as_deref(), of_command.surface), (Some(KEY), "gateway"));
    ground.workshop.close().await;
}

/// A container keeps the harm in, unless somebody mounted the host: then its commands are asked about, too.
#[tokio::test]
async fn context_and_callback_propagation_docker() {
    let mut place = place_with_python();
    place.terminal.docker_volumes = vec![format!("{}:/host", place.path().display())];
    let ground = Ground::of(Made { container: Some(place.settings("context")), ..Made::with(|_| ()) });
    let person = Scripted::approving(2);
    let reply = execute(&ground, &turn(Surface::Gateway, person.clone(), KEY), DANGEROUS_SCRIPT).await;
    assert_eq!(status(&reply), "success", "{reply:?}");
    let asked: Vec<_> = person.asked().into_iter().map(|asked| (asked.kind, asked.action)).collect();
    assert_eq!(asked[1], (ActionKind::Command, DANGEROUS.to_owned()));
    let person = Scripted::denying();
    let reply = execute(&ground, &turn(Surface::Gateway, person.clone(), KEY), DANGEROUS_SCRIPT).await;
    assert_eq!((reply.content["outcome"].as_str(), person.asked().len()), (Some("denied"), 1));
    let person = Scripted::approving(1);
    let reply = execute(&ground, &turn(Surface::Gateway, person, KEY), WHOSE).await;
    assert_eq!(output(&reply), format!("{KEY} {KEY}\n"), "{reply:?}");
    ground.workshop.close().await;
}

/// Nothing that was started in the turn may start anything when it is over: its permits end, and so does the way to
/// its person.
#[tokio::test]
async fn teardown_clears() {
    let ground = Ground::new();
    let person = Scripted::approving(9);
    let gone = turn(Surface::Gateway, person.clone(), KEY);
    assert_eq!(status(&execute(&ground, &gone, "print(1)").await), "success");
    let place = ground.workshop.place().await.unwrap();
    let command = hermes_environment::CommandText::new("echo late");
    let early = ground.guard.permit(&gone, &place.place(), command).await.unwrap();
    let asked = person.asked().len();
    gone.finish();
    let late = place.run(&gone, early, &mut |_| ()).await;
    assert!(late.is_err(), "a permit that was given in time: {late:?}");
    for (tool, arguments) in
        [("execute_code", json!({"code": "print(1)"})), ("terminal", json!({"command": DANGEROUS}))]
    {
        let reply = ground.call(&gone, tool, arguments).await;
        assert_eq!((reply.outcome, reply.content["outcome"].as_str()), (ToolOutcome::Refused, Some("cancelled")));
    }
    assert_eq!(person.asked().len(), asked, "nobody was asked again");
    drop(place);
    ground.workshop.close().await;
}

/// A thread that the script leaves behind calls after the script has ended.
#[tokio::test]
async fn late_calls_are_refused() {
    let ground = Ground::new();
    let code = "import os, time\nfrom hermes_tools import terminal\n\
        terminal('true')\n\
        if os.fork() == 0:\n\
        \x20   os.setsid(); [os.close(fd) for fd in (0, 1, 2)]; time.sleep(0.2)\n\
        \x20   while True: terminal('touch late'); time.sleep(0.05)";
    let reply = execute(&ground, &interactive(Arc::new(NobodyToAsk)), code).await;
    assert_eq!((status(&reply), reply.content["tool_calls_made"].as_u64()), ("success", Some(1)), "{reply:?}");
    let commands = ground.starts(ActionKind::Command);
    let look = ground.used("terminal", json!({"command": "sleep 1; ls; cat /proc/[0-9]*/comm | grep -c python"})).await;
    assert_eq!(look.content["output"], "0\n", "{look:?}");
    assert_eq!(ground.starts(ActionKind::Command), commands + 1);
    ground.workshop.close().await;
}
