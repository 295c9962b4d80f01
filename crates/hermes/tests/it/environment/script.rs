//! Scripts through the whole path: the program's own executor, confined as it is shipped, and a runtime
//! that answers their calls.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use hermes_environment::{
    CommandText, Environment, ExecutorProgram, LocalPlan, RunningScript, Script, ScriptEvent, Surroundings,
};
use hermes_home::config::Terminal;
use hermes_home::{Asked, HomeRoot};
use hermes_proto::HostEnvironment;
use hermes_proto::executor::{ScriptMode, ScriptResult, ScriptStatus, ScriptTool};
use hermes_proto::session::SessionVariable;
use hermes_proto::turn::{Delivery, Hosting, TurnContext};
use hermes_testkit::permit;

use super::arrived;

/// A local environment with the sandbox that is the default.
async fn confined(folder: &Path, workspace: &Path) -> Environment {
    let home = folder.join("home");
    let pairs = [("HERMES_HOME", home.to_str().unwrap()), ("PATH", "/usr/local/bin:/usr/bin:/bin"), ("HOME", "/root")];
    let secrets = [("OPENAI_API_KEY", "sk-of-the-host"), ("MY_OPEN_TOKEN", "opened")];
    let host = HostEnvironment::from_pairs(pairs.into_iter().chain(secrets));
    let root = HomeRoot::find(&host).unwrap();
    let home = root.select(&Asked::Nothing).unwrap();
    let names = ["MY_OPEN_TOKEN", "OPENAI_API_KEY"].map(str::to_owned).to_vec();
    let terminal = Terminal { env_passthrough: names, ..Terminal::default() };
    let plan =
        LocalPlan { root: &root, home: &home, terminal: &terminal, host: &host, workspace: workspace.to_owned() };
    let program = ExecutorProgram {
        path: env!("CARGO_BIN_EXE_hermes").into(),
        arguments: vec!["executor".into()],
        environment: Vec::new(),
    };
    let surroundings = Surroundings { host: Arc::new(host.clone()), configured: plan.configured() };
    Environment::start(&program, &plan.open("test").unwrap(), surroundings, plan.context()).await.unwrap().0
}

/// Runs the script; its terminal calls are run as commands of the same turn, as an agent does.
pub(crate) async fn finished(
    mut running: RunningScript,
    mut terminal: impl AsyncFnMut(&str) -> String,
) -> ScriptResult {
    loop {
        match running.next().await.unwrap() {
            ScriptEvent::Finished(result) => return *result,
            ScriptEvent::Call { id, arguments, .. } => {
                let output = terminal(arguments["command"].as_str().unwrap()).await;
                running.answer(id, serde_json::json!({ "output": output }).to_string());
            }
        }
    }
}

async fn run(environment: &Environment, turn: &TurnContext, script: Script) -> ScriptResult {
    let running = environment.begin_script(turn, permit(turn, &environment.place(), script)).unwrap();
    let result = finished(running, async |command| {
        environment
            .run(turn, permit(turn, &environment.place(), CommandText::new(command)), &mut |_| ())
            .await
            .unwrap()
            .output
    });
    result.await
}

fn terminal(code: &str) -> Script {
    Script::new(code, [ScriptTool::Terminal])
}

/// What a script starts through the terminal is an ordinary command: the session's state, its directory,
/// the turn's identity, and nothing of the script's own.
#[tokio::test]
async fn a_script_works_in_the_sandbox_and_its_commands_are_the_sessions() {
    let folder = tempfile::tempdir().unwrap();
    let workspace = folder.path().join("work");
    std::fs::create_dir(&workspace).unwrap();
    let environment = confined(folder.path(), &workspace).await;
    let turn = arrived(&Hosting::new()).bind([(SessionVariable::ChatId, "42".to_owned())], Delivery::Unset);
    let code = "import os\nfrom hermes_tools import terminal\n\
        print(os.getcwd(), os.environ['HERMES_SESSION_CHAT_ID'])\n\
        terminal('mkdir sub; cd sub; export KEPT=yes')\n\
        print(terminal('pwd; echo $KEPT $HERMES_SESSION_CHAT_ID ${HERMES_RPC_TOKEN-absent}')['output'], end='')\n\
        print(os.environ.get('OPENAI_API_KEY'), os.environ.get('MY_OPEN_TOKEN'))";
    let mut script = terminal(code);
    script.passthrough = ["MY_OPEN_TOKEN", "OPENAI_API_KEY"].map(str::to_owned).to_vec();
    let result = run(&environment, &turn, script).await;
    let place = workspace.canonicalize().unwrap().display().to_string();
    assert_eq!(result.output, format!("{place} 42\n{place}/sub\nyes 42 absent\nNone opened\n"), "{result:?}");
    assert_eq!((result.status, result.tool_calls_made), (ScriptStatus::Success, 2));
    let strict = Script { mode: ScriptMode::Strict, ..terminal("import os; print(os.getcwd()[:19])") };
    assert_eq!(run(&environment, &turn, strict).await.output, "/tmp/hermes-script-\n");
    environment.close().await.unwrap();
}

/// The sandbox gives each session a /tmp of its own: another one's folder is not even there.
#[tokio::test]
async fn a_script_cannot_see_another_sessions_folder() {
    let folder = tempfile::tempdir().unwrap();
    let works = ["one", "other"].map(|name| folder.path().join(name));
    works.iter().for_each(|work| std::fs::create_dir(work).unwrap());
    let (one, other) = (confined(folder.path(), &works[0]).await, confined(folder.path(), &works[1]).await);
    let turn = arrived(&Hosting::new());
    let mut waiting = one
        .begin_script(
            &turn,
            permit(&turn, &one.place(), terminal("from hermes_tools import terminal\nterminal('wait')")),
        )
        .unwrap();
    let ScriptEvent::Call { id, .. } = waiting.next().await.unwrap() else { panic!("no call") };
    let look = "import os, glob\nown = os.path.dirname(os.environ['HERMES_RPC_SOCKET'])\n\
        print(glob.glob('/tmp/hermes-script-*') == [own])\n\
        seen = 0\n\
        for path in glob.glob('/proc/[0-9]*/environ'):\n\
        \x20   try: seen += open(path, 'rb').read().count(b'HERMES_RPC_TOKEN=')\n\
        \x20   except OSError: pass\n\
        print(seen)";
    assert_eq!(run(&other, &turn, terminal(look)).await.output, "True\n1\n");
    waiting.answer(id, "{}".to_owned());
    assert!(matches!(waiting.next().await, Ok(ScriptEvent::Finished(_))));
    one.close().await.unwrap();
    other.close().await.unwrap();
}

#[tokio::test]
async fn a_cancelled_turn_ends_a_script_that_waits_for_a_person() {
    let folder = tempfile::tempdir().unwrap();
    let environment = confined(folder.path(), folder.path()).await;
    let turn = arrived(&Hosting::new());
    let mut running = environment
        .begin_script(
            &turn,
            permit(&turn, &environment.place(), terminal("from hermes_tools import terminal\nterminal('ask')")),
        )
        .unwrap();
    assert!(matches!(running.next().await, Ok(ScriptEvent::Call { .. })));
    turn.cancellation().cancel();
    let ended = tokio::time::timeout(Duration::from_secs(30), running.next()).await.unwrap();
    let Ok(ScriptEvent::Finished(result)) = ended else { panic!("{ended:?}") };
    assert_eq!((result.status, result.exit_code), (ScriptStatus::Interrupted, 130));
    environment.close().await.unwrap();
}

/// Sixteen sessions at once, each with its own identity: no call and no result goes astray.
#[tokio::test]
async fn scripts_of_many_sessions_keep_their_identity() {
    let folder = tempfile::tempdir().unwrap();
    let hosting = Hosting::new();
    let work = (0..16).map(|number| {
        let (folder, hosting) = (folder.path().to_owned(), hosting.clone());
        async move {
            let environment = super::environment(&folder, super::polluted_host()).await;
            let chat = format!("chat-{number}");
            let turn = arrived(&hosting).bind([(SessionVariable::ChatId, chat.clone())], Delivery::Unset);
            let code = "import os\nfrom hermes_tools import terminal\n\
                own = os.environ['HERMES_SESSION_CHAT_ID']\n\
                print({own, *(terminal('echo $HERMES_SESSION_CHAT_ID')['output'].strip() for _ in range(10))})";
            let result = run(&environment, &turn, terminal(code)).await;
            assert_eq!(result.output, format!("{{'{chat}'}}\n"), "{result:?}");
            environment.close().await.unwrap();
        }
    });
    let together = tokio::task::LocalSet::new();
    let all_ended = together.run_until(async {
        let mut tasks = tokio::task::JoinSet::new();
        work.for_each(|work| drop(tasks.spawn_local(work)));
        while let Some(ended) = tasks.join_next().await {
            ended.unwrap();
        }
    });
    all_ended.await;
}
