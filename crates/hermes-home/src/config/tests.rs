//! Tables and properties of the configuration, on homes of their own.

use std::os::unix::fs::PermissionsExt;

use hermes_proto::{Explain, Fault};
use proptest::prelude::*;
use serde_json::{Value as Json, json};

use super::setting::Setting;
use super::shape::{Field, Shape};
use super::{
    ApprovalMode, Backend, Config, ConfigError, KeyPath, Overrides, Sandbox, SandboxNetwork, UnattendedMode, Value,
    check, get, load, load_for_running_program, set, show, unset,
};
use crate::{Asked, Home, HomeRoot};
use hermes_proto::HostEnvironment;

struct Fixture {
    _folder: tempfile::TempDir,
    home: Home,
    environment: HostEnvironment,
}

impl Fixture {
    fn new(config: &str) -> Self {
        Self::with(config, "", &[])
    }

    fn with(config: &str, dotenv: &str, variables: &[(&str, &str)]) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let root = HostEnvironment::from_pairs([("HERMES_HOME", folder.path())]);
        let home = HomeRoot::find(&root).unwrap().select(&Asked::Nothing).unwrap();
        std::fs::write(home.config_path(), config).unwrap();
        std::fs::write(home.env_path(), dotenv).unwrap();
        Self { _folder: folder, home, environment: HostEnvironment::from_pairs(variables.iter().copied()) }
    }

    fn load(&self) -> Config {
        load(&self.home, &self.environment, &Overrides::none()).unwrap().config
    }

    fn set(&self, key: &str, value: &Value) -> Result<Vec<String>, ConfigError> {
        let warnings = set(&self.home, &self.environment, &path(key), value)?;
        Ok(warnings.iter().map(ToString::to_string).collect())
    }

    fn get(&self, key: &str) -> Option<String> {
        get(&self.home, &self.environment, &path(key)).unwrap().map(|value| value.to_string())
    }

    fn text(&self) -> String {
        std::fs::read_to_string(self.home.config_path()).unwrap()
    }

    /// The findings as `line:column message`.
    fn findings(&self) -> Vec<String> {
        let findings = check(&self.home, &self.environment).unwrap();
        findings.iter().map(|finding| finding.at("".as_ref()).to_string()).collect()
    }
}

fn path(key: &str) -> KeyPath {
    key.parse().unwrap()
}

#[test]
fn an_empty_home_has_the_defaults_of_the_reference() {
    let config = Fixture::new("").load();
    assert_eq!(config, Config::default());
    assert_eq!((config.terminal.backend, config.terminal.timeout), (Backend::Local, 180));
    assert_eq!((config.terminal.sandbox, config.terminal.sandbox_network), (Sandbox::Auto, SandboxNetwork::On));
    assert_eq!((config.approvals.mode, config.approvals.timeout), (ApprovalMode::Smart, 300));
    assert_eq!(config.approvals.cron_mode, UnattendedMode::Deny);
    assert_eq!((config.code_execution.timeout, config.code_execution.max_tool_calls), (300, 50));
    assert_eq!((config.gateway.api_server.port, config.gateway.api_server.host.as_str()), (8642, "127.0.0.1"));
    assert_eq!((config.agent.max_turns, config.delegation.max_iterations), (500, 250));
    assert!(config.security.tirith_enabled && config.security.tirith_fail_open && config.group_sessions_per_user);
    assert_eq!(config.max_concurrent_sessions, None);
}

#[test]
fn every_value_is_read_with_the_type_of_its_setting() {
    let text = "
terminal: {backend: Docker, timeout: '60', docker_network: no, container_cpu: 2, docker_env: {A: 1, B: yes}, sudo_password: 12345}
approvals: {mode: off, cron_mode: allow, deny: ['rm *']}
model: {default: 4, context_length: 200000}
providers: {x: {base_url: 'http://h', api_key: k, request_timeout_seconds: 5}, empty: }
auxiliary: {approval: {model: m}}
compression:
max_concurrent_sessions: 7
command_allowlist: [ls, 'git *']
";
    let config = Fixture::new(text).load();
    let terminal = &config.terminal;
    assert_eq!((terminal.backend, terminal.timeout, terminal.docker_network), (Backend::Docker, 60, false));
    assert!((terminal.container_cpu - 2.0).abs() < f64::EPSILON);
    assert_eq!(terminal.docker_env.iter().map(|(k, v)| format!("{k}={v}")).collect::<Vec<_>>(), ["A=1", "B=\"yes\""]);
    assert_eq!(terminal.sudo_password.as_ref().map(|secret| secret.expose()), Some("12345"));
    assert_eq!((config.approvals.mode, config.approvals.cron_mode), (ApprovalMode::Off, UnattendedMode::Approve));
    assert_eq!((config.model.default.as_str(), config.model.context_length), ("4", Some(200_000)));
    assert_eq!(config.providers.keys().collect::<Vec<_>>(), ["x"]);
    assert_eq!((config.providers["x"].request_timeout_seconds, config.providers["x"].stale_timeout_seconds), (5, 90));
    assert_eq!((config.auxiliary["approval"].model.as_str(), config.max_concurrent_sessions), ("m", Some(7)));
    assert_eq!(config.command_allowlist, ["ls", "git *"]);
}

#[test]
fn approval_modes_are_read_as_yaml_1_1_wrote_them() {
    for (word, expected) in [
        ("manual", ApprovalMode::Manual),
        ("SMART", ApprovalMode::Smart),
        ("off", ApprovalMode::Off),
        ("'off'", ApprovalMode::Off),
        ("false", ApprovalMode::Off),
        ("true", ApprovalMode::Manual),
    ] {
        assert_eq!(Fixture::new(&format!("approvals: {{mode: {word}}}")).load().approvals.mode, expected, "{word}");
    }
    for word in ["approve", "off", "allow", "yes"] {
        let config = Fixture::new(&format!("approvals: {{cron_mode: {word}}}")).load();
        assert_eq!(config.approvals.cron_mode, UnattendedMode::Approve, "{word}");
    }
}

#[test]
fn check_names_each_problem_with_line_and_column() {
    for (text, expected) in [
        ("", &[][..]),
        ("whatsapp: {anything: 1}\nmcp_servers: {x: {y: z}}\n", &[]),
        ("terminal:\n  timeot: 1\n", &[":2:3: unknown key terminal.timeot, did you mean terminal.timeout?"]),
        ("termnal: 1\n", &[":1:1: unknown key termnal, did you mean terminal?"]),
        ("sudo_password: x\n", &[":1:1: unknown key sudo_password, did you mean terminal.sudo_password?"]),
        ("qqqqqq: 1\n", &[":1:1: unknown key qqqqqq"]),
        (
            "providers:\n  x:\n    base_ulr: h\n",
            &[":3:5: unknown key providers.x.base_ulr, did you mean providers.x.base_url?"],
        ),
        ("terminal:\n  timeout: soon\n", &[":2:12: terminal.timeout: expected a whole number, 0 or more, found text"]),
        (
            "terminal: {ssh_port: 70000}\n",
            &[":1:22: terminal.ssh_port: expected a whole number from 0 to 65535, found an integer"],
        ),
        (
            "terminal: {timeout: -1}\n",
            &[":1:21: terminal.timeout: expected a whole number, 0 or more, found an integer"],
        ),
        ("terminal: 5\n", &[":1:11: terminal: expected a map, found an integer"]),
        ("terminal: {cwd: [a]}\n", &[":1:17: terminal.cwd: expected text, found a list"]),
        ("command_allowlist: ls\n", &[":1:20: command_allowlist: expected a list, found text"]),
        ("command_allowlist: [ls, {a: b}]\n", &[":1:25: command_allowlist.1: expected text, found a map"]),
        ("compression: {threshold: half}\n", &[":1:26: compression.threshold: expected a number, found text"]),
        (
            "agent: {max_turns: yes}\n",
            &[":1:20: agent.max_turns: expected a whole number from 0 to 4294967295, found text"],
        ),
        ("model: {streaming: 1}\n", &[":1:20: model.streaming: expected true or false, found an integer"]),
        ("approvals:\n  mode: smrt\n", &[":2:9: approvals.mode: \"smrt\" is none of manual, smart, off"]),
        ("approvals: {mode: [x]}\n", &[":1:19: approvals.mode: expected one of manual, smart, off, found a list"]),
        (
            "agent:\n  max_turns: 1\n  max_turns: 2\n",
            &[":3:3: agent.max_turns appears again, so the one in line 2 is ignored"],
        ),
        ("whatsapp: {a: 1, a: 2}\n", &[":1:18: whatsapp.a appears again, so the one in line 1 is ignored"]),
        (
            "terminal: {cwd: '${NO_SUCH}/x'}\n",
            &[":1:17: terminal.cwd: variable NO_SUCH is not set, so ${NO_SUCH} stays as it is"],
        ),
        (
            "agent: {max_turns: x}\nterminal:\n  backend: dokcer\n  colour: red\n",
            &[
                ":1:20: agent.max_turns: expected a whole number from 0 to 4294967295, found text",
                ":3:12: terminal.backend: \"dokcer\" is none of local, docker, ssh, singularity, modal, daytona, vercel_sandbox, bubblewrap",
                ":4:3: unknown key terminal.colour",
            ],
        ),
    ] {
        assert_eq!(Fixture::new(text).findings(), expected, "{text:?}");
    }
}

#[test]
fn a_wrong_variable_is_named() {
    let fixture = Fixture::with("", "TERMINAL_TIMEOUT=soon\n", &[("TERMINAL_DOCKER_VOLUMES", "/a:/b")]);
    assert_eq!(
        fixture.findings(),
        [
            "variable TERMINAL_DOCKER_VOLUMES: terminal.docker_volumes: expected a list, found text",
            "variable TERMINAL_TIMEOUT: terminal.timeout: expected a whole number, 0 or more, found text",
        ]
    );
}

#[test]
fn command_line_beats_file_beats_environment_beats_dotenv_beats_default() {
    let mut overrides = Overrides::none();
    let text = "terminal: {timeout: 4}\n";
    let timeout = |config: &str, dotenv: &str, variables: &[(&str, &str)], overrides: &Overrides| {
        let fixture = Fixture::with(config, dotenv, variables);
        load(&fixture.home, &fixture.environment, overrides).unwrap().config.terminal.timeout
    };
    let (dotenv, process) = ("TERMINAL_TIMEOUT=2\n", &[("TERMINAL_TIMEOUT", "3")][..]);
    assert_eq!(timeout("", "", &[], &overrides), 180);
    assert_eq!(timeout("", dotenv, &[], &overrides), 2);
    assert_eq!(timeout("", dotenv, process, &overrides), 3);
    assert_eq!(timeout(text, dotenv, process, &overrides), 4);
    assert_eq!(timeout("terminal: {timeout: }\n", dotenv, process, &overrides), 3);
    overrides.set(path("terminal.timeout"), json!(5));
    assert_eq!(timeout(text, dotenv, process, &overrides), 5);
    assert_eq!(timeout("terminal:\n", dotenv, process, &overrides), 5);
    overrides.set(path("terminal.timeout"), json!("soon"));
    let fixture = Fixture::new(text);
    let error = load(&fixture.home, &fixture.environment, &overrides).unwrap_err();
    assert!(matches!(error, ConfigError::Refused(_)), "the file is not to blame: {error}");
}

#[test]
fn variables_of_the_original_stand_in_for_settings() {
    let variables = [
        ("TERMINAL_ENV", "docker"),
        ("TERMINAL_DOCKER_FORWARD_ENV", "[\"A\",\"B\"]"),
        ("TERMINAL_DOCKER_ENV", "{\"A\":\"1\"}"),
        ("TERMINAL_SSH_PORT", "2222"),
        ("SUDO_PASSWORD", "pw"),
        ("TIRITH_ENABLED", "false"),
        ("TIRITH_BIN", "/opt/tirith"),
        ("TIRITH_TIMEOUT", "9"),
        ("TIRITH_FAIL_OPEN", "no"),
        ("GATEWAY_MULTIPLEX_PROFILES", "true"),
        ("API_SERVER_PORT", "9000"),
        ("API_SERVER_HOST", "0.0.0.0"),
        ("LLM_MODEL", "m"),
        ("TERMINAL_CWD", ""),
    ];
    let config = Fixture::with("", "", &variables).load();
    let (terminal, security) = (&config.terminal, &config.security);
    assert_eq!((terminal.backend, terminal.ssh_port, terminal.cwd.as_str()), (Backend::Docker, 2222, "."));
    assert_eq!(terminal.docker_forward_env, ["A", "B"]);
    assert_eq!(terminal.docker_env["A"].to_string().trim_matches('"'), "1");
    assert_eq!(terminal.sudo_password.as_ref().map(|secret| secret.expose()), Some("pw"));
    assert_eq!((security.tirith_enabled, security.tirith_path.as_str()), (false, "/opt/tirith"));
    assert_eq!((security.tirith_timeout, security.tirith_fail_open), (9, false));
    let api = &config.gateway.api_server;
    assert_eq!((config.gateway.multiplex_profiles, api.port, api.host.as_str()), (true, 9000, "0.0.0.0"));
    assert_eq!(config.model.default, "m");
}

#[test]
fn references_in_values_are_replaced() {
    let text = "terminal: {cwd: '${ROOT}/x', timeout: '${T}', env_passthrough: ['${env:B}', '${NO}']}\n";
    let fixture = Fixture::with(text, "ROOT=/file\nB=fromfile\n", &[("ROOT", "/process"), ("T", "7")]);
    let terminal = fixture.load().terminal;
    assert_eq!((terminal.cwd.as_str(), terminal.timeout), ("/process/x", 7));
    assert_eq!(terminal.env_passthrough, ["fromfile", "${NO}"]);
    assert_eq!(fixture.get("terminal.cwd").as_deref(), Some("${ROOT}/x"), "get answers what was written");
}

#[test]
fn a_broken_file_is_an_error_with_its_place() {
    for (text, message) in [
        ("a: [1\n", ":2:1: "),
        ("terminal: {timeout: x}\n", ":1:21: terminal.timeout: expected a whole number, 0 or more, found text"),
        ("agent: 1\nmodel: 1\n", ":1:8: agent: expected a map, found an integer (and 1 more error)"),
    ] {
        let fixture = Fixture::new(text);
        let error = load(&fixture.home, &fixture.environment, &Overrides::none()).unwrap_err();
        let expected = format!("{}{message}", fixture.home.config_path().display());
        assert!(error.to_string().starts_with(&expected), "{error}");
        assert_eq!(error.fault(), Fault::Configuration);
    }
}

#[test]
fn a_model_may_be_named_in_one_word() {
    let fixture = Fixture::new("model: some/model\n");
    let loaded = load(&fixture.home, &fixture.environment, &Overrides::none()).unwrap();
    assert_eq!((loaded.config.model.default.as_str(), loaded.config.model.provider.as_str()), ("some/model", "auto"));
    assert!(loaded.warnings.is_empty(), "{:?}", loaded.warnings);
}

#[test]
fn a_running_program_goes_on_with_the_newest_good_copy() {
    let fixture = Fixture::new("terminal: {timeout: 1}\n");
    let run = || load_for_running_program(&fixture.home, &fixture.environment, &Overrides::none());
    let write = |text: &str| std::fs::write(fixture.home.config_path(), text).unwrap();

    write("terminal: [\n");
    assert!(matches!(run(), Err(ConfigError::Unreadable { .. })), "there is no good copy yet");
    write("terminal: {timeout: 1}\n");
    assert!(run().unwrap().fallback.is_none());
    write("terminal: {timeout: 2}\n");
    assert!(run().unwrap().fallback.is_none());
    for broken in ["terminal: {timeout: [\n", "terminal: {timeout: soon}\n"] {
        write(broken);
        let loaded = run().unwrap();
        assert_eq!(loaded.config.terminal.timeout, 2);
        let warning = loaded.fallback.unwrap().to_string();
        assert!(warning.contains("config.yaml:1:") || warning.contains("config.yaml:2:"), "{warning}");
        assert!(warning.contains("using the last good copy"), "{warning}");
        assert_eq!(fixture.text(), broken, "the broken file is left alone");
    }
    write("terminal: {timeout: 3}\n");
    fixture.set("terminal.cwd", &Value::natural("/x")).unwrap();
    write("{");
    assert_eq!(run().unwrap().config.terminal.timeout, 3, "what set wrote is a good copy");
    let copy = fixture.home.path().join("backups/config.yaml.good");
    assert_eq!(std::fs::metadata(copy).unwrap().permissions().mode() & 0o777, 0o600);
}

#[test]
fn set_refuses_what_does_not_fit_and_leaves_the_file_alone() {
    for (text, key, value, message) in [
        (
            "",
            "terminal.timeout",
            Value::natural("soon"),
            "terminal.timeout: expected a whole number, 0 or more, found text",
        ),
        ("", "terminal", Value::natural("x"), "terminal: expected a map, found text"),
        (
            "",
            "terminal",
            Value::from_json(&json!({"timeout": "x"})),
            "terminal.timeout: expected a whole number, 0 or more, found text",
        ),
        ("", "approvals.mode", Value::natural("smrt"), "approvals.mode: \"smrt\" is none of manual, smart, off"),
        ("", "command_allowlist", Value::natural("ls"), "command_allowlist: expected a list, found text"),
    ] {
        let fixture = Fixture::new(text);
        let error = fixture.set(key, &value).unwrap_err();
        assert_eq!((error.to_string().as_str(), error.fault()), (message, Fault::Usage));
        assert_eq!(fixture.text(), text);
    }
    for text in ["a: [\n", "a: 1\n---\nb: 2\n", "\u{1}"] {
        let fixture = Fixture::new(text);
        let error = fixture.set("a", &Value::natural("1")).unwrap_err();
        assert_eq!(error.fault(), Fault::Configuration, "{error}");
        unset(&fixture.home, &fixture.environment, &path("a")).unwrap_err();
        assert_eq!(fixture.text(), text, "a file that cannot be read is not written");
    }
    let fixture = Fixture::new("_x: word\n");
    assert_eq!(fixture.set("_x.y", &Value::natural("1")).unwrap_err().fault(), Fault::Usage);
}

#[test]
fn set_accepts_every_key_and_warns_about_unknown_ones() {
    let fixture = Fixture::new("# mine\nagent: {max_turns: broken}\n");
    for (key, word, warnings) in [
        ("terminal.timeout", "60", &[][..]),
        ("terminal.timeot", "60", &["unknown key terminal.timeot, did you mean terminal.timeout?"]),
        ("_test.marker", "1", &["unknown key _test"]),
        ("approvals.mode", "off", &[]),
        ("terminal.docker_network", "no", &[]),
        ("providers.my\\.host.base_url", "http://h", &[]),
        ("whatsapp.anything", "x", &[]),
    ] {
        assert_eq!(fixture.set(key, &Value::natural(word)).unwrap(), warnings, "{key}");
        assert_eq!(fixture.get(key).as_deref(), Some(word), "{key}");
    }
    assert!(fixture.text().starts_with("# mine\nagent: {max_turns: broken}\n"), "errors elsewhere do not matter");
    fixture.set("agent.max_turns", &Value::natural("5")).unwrap();
    let config = fixture.load();
    assert_eq!((config.terminal.timeout, config.approvals.mode), (60, ApprovalMode::Off));
    assert_eq!((config.terminal.docker_network, config.providers["my.host"].base_url.as_str()), (false, "http://h"));
}

#[test]
fn get_answers_what_is_written_else_the_variable_else_the_default() {
    let text = "a: {b: [1, 'x: y']}\nterminal: {timeout: 0x10, cwd: }\nfloat: 1.50\nquoted: '1'\nnothing: ~\n";
    let fixture = Fixture::with(text, "TERMINAL_SSH_PORT=23\n", &[("TERMINAL_ENV", "ssh")]);
    for (key, expected) in [
        ("terminal.timeout", Some("0x10")),
        ("float", Some("1.50")),
        ("quoted", Some("1")),
        ("nothing", Some("~")),
        ("a", Some("b:\n  - 1\n  - 'x: y'")),
        ("a.b.1", Some("x: y")),
        ("a.b.2", None),
        ("terminal.cwd", Some(".")),
        ("terminal.ssh_port", Some("23")),
        ("terminal.backend", Some("ssh")),
        ("terminal.docker_volumes", Some("[]")),
        ("gateway.api_server.port", Some("8642")),
        ("max_concurrent_sessions", None),
        ("whatsapp", None),
        ("providers.x.base_url", None),
        ("nope", None),
    ] {
        assert_eq!(fixture.get(key).as_deref(), expected, "{key}");
    }
}

#[test]
fn show_masks_secrets_and_keeps_what_it_does_not_know() {
    let text = "terminal: {sudo_password: hunter2hunter2hunter2, odd: 1}\nmcp_servers: {x: {env: {A_TOKEN: abc}}}\n";
    let fixture = Fixture::with(text, "", &[("TERMINAL_TIMEOUT", "5")]);
    let shown = show(&fixture.home, &fixture.environment).unwrap();
    assert_eq!(shown["terminal"]["sudo_password"], "****ter2");
    assert_eq!((&shown["terminal"]["odd"], &shown["terminal"]["timeout"]), (&json!(1), &json!(5)));
    assert_eq!(shown["mcp_servers"]["x"]["env"]["A_TOKEN"], "****");
    assert_eq!(shown["agent"]["max_turns"], 500);
    assert!(!shown.to_string().contains("hunter2h"));
}

/// Each default fits its own setting, so that `show` can be written into the file.
#[test]
fn defaults_are_of_the_shape_that_is_declared() {
    fn walk(fields: &[Field], seen: &mut usize) {
        for field in fields {
            *seen += 1;
            match (field.shape, (field.default)()) {
                (Shape::Section(fields), Json::Object(defaults)) => {
                    assert!(defaults.keys().all(|key| fields.iter().any(|field| field.name == key)));
                    walk(fields, seen);
                }
                (Shape::Flag, Json::Bool(_)) | (Shape::List, Json::Array(_)) | (Shape::Table, Json::Object(_)) => {}
                (Shape::Integer { .. } | Shape::Number, Json::Number(_)) | (_, Json::Null) => {}
                (Shape::Text | Shape::Secret, Json::String(_)) => {}
                (Shape::Choice(choices), Json::String(word)) => assert!(choices.contains(&word.as_str())),
                (shape, default) => panic!("{}: {shape:?} {default}", field.name),
            }
        }
    }
    let mut seen = 0;
    walk(Config::FIELDS, &mut seen);
    assert!(seen > 150, "{seen}");
    let fixture = Fixture::new(&serde_json::to_string(&Config::default().to_json()).unwrap());
    assert_eq!(fixture.load(), Config::default());
}

fn any_key() -> impl Strategy<Value = KeyPath> {
    let segment = prop_oneof!["[a-z_]{1,8}", "\\PC{1,10}", Just("terminal".to_owned()), Just("0".to_owned())];
    proptest::collection::vec(segment, 1..4).prop_map(|segments| KeyPath::of(&segments))
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn what_was_set_is_what_get_answers(keys in proptest::collection::vec((any_key(), any::<String>()), 1..5)) {
        let fixture = Fixture::new("# mine\n\nterminal:\n  timeout: 5 # five\n");
        for (key, word) in &keys {
            let text = fixture.text();
            match set(&fixture.home, &fixture.environment, key, &Value::natural(word)) {
                Ok(_) => {
                    let found = get(&fixture.home, &fixture.environment, key).unwrap().unwrap();
                    prop_assert_eq!(found.as_scalar(), Some(word.as_str()));
                }
                Err(error) => {
                    prop_assert_eq!(error.fault(), Fault::Usage, "{}", error);
                    prop_assert_eq!(fixture.text(), text);
                }
            }
        }
        let text = fixture.text();
        prop_assert!(text.starts_with("# mine\n\nterminal:\n  timeout: 5 # five\n"), "{}", text);
    }

    #[test]
    fn no_content_makes_reading_panic(bytes in proptest::collection::vec(any::<u8>(), 0..200), text in "[a-z:{}\\[\\]$ \\n\"'-]{0,80}") {
        let fixture = Fixture::new(&text);
        let _ = check(&fixture.home, &fixture.environment);
        let _ = show(&fixture.home, &fixture.environment);
        std::fs::write(fixture.home.config_path(), &bytes).unwrap();
        let _ = check(&fixture.home, &fixture.environment);
        let _ = load_for_running_program(&fixture.home, &fixture.environment, &Overrides::none());
    }
}
