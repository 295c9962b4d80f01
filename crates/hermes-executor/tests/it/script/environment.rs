//! Where a script runs, by which Python, and what it sees.

use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::Path;

use hermes_proto::executor::{RunScript, ScriptMode, ScriptStatus};

use super::support::{PATH, script};
use crate::client::{Client, open};

fn strict(code: &str) -> RunScript {
    RunScript { mode: ScriptMode::Strict, ..script(code) }
}

#[test]
fn a_project_script_is_where_the_session_is_and_a_strict_one_by_itself() {
    let folder = tempfile::tempdir().unwrap();
    let mut client = Client::start();
    client.output(&format!("cd {}", folder.path().display()));
    let code =
        "import os, sys\nprint(os.getcwd()); print(sys.path[0] == os.path.dirname(os.environ['HERMES_RPC_SOCKET']))";
    let expected = format!("{}\nTrue\n", folder.path().canonicalize().unwrap().display());
    assert_eq!(client.run_script(script(code)).output, expected);
    let code = "import os, stat\nprint(os.getcwd() == os.path.dirname(os.environ['HERMES_RPC_SOCKET']))\n\
        print(oct(stat.S_IMODE(os.stat('.').st_mode)), [oct(stat.S_IMODE(os.stat(n).st_mode)) for n in sorted(os.listdir())])";
    let expected = "True\n0o700 ['0o600', '0o600', '0o600']\n";
    assert_eq!(client.run_script(strict(code)).output, expected);
    assert_eq!(client.output("pwd -P").trim(), folder.path().canonicalize().unwrap().to_str().unwrap());
}

/// A stand-in for a Python: says which one it is, and is as old as it is told to be.
fn virtual_environment(folder: &Path, is_recent: bool) {
    fs::create_dir_all(folder.join("bin")).unwrap();
    let real = ["/usr/local/bin/python3", "/usr/bin/python3"].into_iter().find(|path| Path::new(path).exists());
    let answer = if is_recent { "exit 0" } else { "exit 1" };
    let text = format!(
        "#!/bin/sh\nif [ \"$1\" = -E ]; then {answer}; fi\nFROM_VENV=yes exec {} \"$@\"\n",
        real.expect("a Python")
    );
    fs::write(folder.join("bin/python"), text).unwrap();
    fs::set_permissions(folder.join("bin/python"), fs::Permissions::from_mode(0o755)).unwrap();
}

#[test]
fn the_virtual_environment_of_the_session_is_used_if_it_is_recent_enough() {
    let folder = tempfile::tempdir().unwrap();
    let (recent, old) = (folder.path().join("recent"), folder.path().join("old"));
    virtual_environment(&recent, true);
    virtual_environment(&old, false);
    let code = "import os\nprint(os.environ.get('FROM_VENV'))";
    let mut client = Client::start();
    let mut check = |exports: &str, script: RunScript, expected: &str| {
        client.output(&format!("unset VIRTUAL_ENV CONDA_PREFIX; {exports}"));
        assert_eq!(client.run_script(script).output.trim(), expected, "{exports}");
    };
    let exported = |name: &str, path: &Path| format!("export {name}={}", path.display());
    check(&exported("VIRTUAL_ENV", &recent), script(code), "yes");
    check(&exported("CONDA_PREFIX", &recent), script(code), "yes");
    check(&exported("VIRTUAL_ENV", &old), script(code), "None");
    check(&format!("{}; {}", exported("VIRTUAL_ENV", &old), exported("CONDA_PREFIX", &recent)), script(code), "yes");
    check("export VIRTUAL_ENV=/gone", script(code), "None");
    check(&exported("VIRTUAL_ENV", &recent), strict(code), "None");
}

#[test]
fn a_strict_script_is_not_run_by_what_a_command_put_into_the_path() {
    let folder = tempfile::tempdir().unwrap();
    symlink("/bin/false", folder.path().join("python3")).unwrap();
    let mut client = Client::start();
    client.output(&format!("export PATH={}:$PATH", folder.path().display()));
    assert_eq!(client.run_script(strict("print(1)")).output, "1\n");
    assert_eq!(client.run_script(script("print(1)")).status, ScriptStatus::Error);
}

/// From empty, in the order of the rules: what commands exported goes through them too.
#[test]
fn neither_the_turn_nor_the_session_nor_the_container_leaks_a_secret() {
    let mut client = Client::open(&hermes_proto::executor::Open { keeps_own_environment: true, ..open("/") });
    client.output(
        "export DATABASE_DSN=leak SLACK_WEBHOOK=leak OPENAI_API_KEY=leak LC_TOKEN=leak HERMES_YOLO_MODE=1 \
         PYTHONPATH=/own/modules LANG=C.UTF-8 HERMES_SESSION_KEY=forged HERMES_RPC_TOKEN=forged LD_PRELOAD_X=1",
    );
    let code = "import os, json\nprint(json.dumps(dict(os.environ)))";
    let mut script = script(code);
    let given = [
        ("HERMES_SESSION_KEY", "this turn"),
        ("HERMES_HOME", "/home/hermes"),
        ("MY_TOKEN", "opened"),
        ("ANTHROPIC_API_KEY", "leak"),
        ("AI_AGENT", "x"),
    ];
    script.environment.extend(given.map(|(name, value)| (name.to_owned(), value.to_owned())));
    script.passthrough = ["MY_TOKEN", "ANTHROPIC_API_KEY", "OPENAI_API_KEY"].map(str::to_owned).to_vec();
    script.time_zone = Some("Asia/Tokyo".to_owned());
    let result = client.run_script(script);
    let seen: std::collections::BTreeMap<String, String> = serde_json::from_str(&result.output).unwrap();
    let folder = Path::new(&seen["HERMES_RPC_SOCKET"]).parent().unwrap().to_str().unwrap().to_owned();
    assert!(!result.output.contains("leak") && !result.output.contains("forged"), "{seen:?}");
    let expect = |name: &str, value: &str| assert_eq!(seen.get(name).map(String::as_str), Some(value), "{name}");
    expect("PATH", PATH);
    expect("HERMES_SESSION_KEY", "this turn");
    expect("HERMES_HOME", "/home/hermes");
    expect("MY_TOKEN", "opened");
    expect("LANG", "C.UTF-8");
    expect("TZ", "Asia/Tokyo");
    expect("PYTHONPATH", &format!("{folder}:/own/modules"));
    expect("PYTHONUTF8", "1");
    expect("PYTHONDONTWRITEBYTECODE", "1");
    expect("PYTHONIOENCODING", "utf-8");
    assert_eq!(seen["HERMES_RPC_TOKEN"].len(), 64);
    for name in ["HERMES_YOLO_MODE", "LD_PRELOAD_X", "AI_AGENT", "OWN_VARIABLE", "HERMES_AGENT", "PWD"] {
        assert!(!seen.contains_key(name), "{name}: {seen:?}");
    }
}

#[test]
fn two_scripts_of_a_session_have_nothing_in_common() {
    let mut client = Client::start();
    let code = "import os\nprint(os.environ['HERMES_RPC_TOKEN'], os.environ['HERMES_RPC_SOCKET'])";
    let (one, other) = (client.run_script(script(code)).output, client.run_script(script(code)).output);
    let [one, other] = [one, other].map(|text| text.split_whitespace().map(str::to_owned).collect::<Vec<_>>());
    assert!(one[0] != other[0] && one[1] != other[1]);
}

/// It would have what scripts do not get.
#[test]
fn no_shell_waits_beside_a_script() {
    let (mut client, waiting) = Client::with_waiting_shell("/");
    let id = client.ask_script(script("from hermes_tools import terminal\nterminal('x')\n"));
    let call = client.call(id);
    assert!(!std::fs::exists(format!("/proc/{waiting}")).unwrap(), "it was there when the script began");
    for _ in 0..10 {
        // Only a shell that has waited knows its script by this name.
        assert_eq!(client.output("echo ${__hermes_script-fresh}"), "fresh\n");
    }
    client.give(id, &call, "{}");
    client.served(id, |call| panic!("{call:?}"));
}
