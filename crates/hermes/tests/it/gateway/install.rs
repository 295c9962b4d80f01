//! The unit that `install` writes, as systemd reads it.

use crate::support::{Sandbox, finish, quiet};

#[test]
fn systemd_accepts_the_unit_and_a_changed_one_is_not_overwritten() {
    let sandbox = Sandbox::new();
    sandbox.write("config.yaml", "gateway: {systemd_watchdog_seconds: 60}\n");
    let installed = sandbox.ok(["gateway", "install"]);
    let path = sandbox.file("../.config/systemd/user/hermes-gateway.service");
    assert!(installed.contains("hermes-gateway.service"), "{installed}");
    let text = std::fs::read_to_string(&path).unwrap();
    assert!(
        text.contains("Type=notify\n") && text.contains("Restart=on-failure\n") && text.contains("WatchdogSec=60\n")
    );
    let mut command = quiet("systemd-analyze");
    command
        .args(["--user", "verify"])
        .arg(&path)
        .env("HOME", sandbox.file(".."))
        .env("XDG_RUNTIME_DIR", sandbox.file(".."));
    // Not every machine that runs the tests has systemd.
    if let Ok(child) = command.spawn() {
        let run = finish(child);
        let complaints: Vec<_> = run.stderr.lines().filter(|line| line.contains("hermes-gateway")).collect();
        assert!(run.code == 0 && complaints.is_empty(), "{run:?}");
    }
    sandbox.ok(["gateway", "install"]);
    std::fs::write(&path, "mine").unwrap();
    assert!(sandbox.fails(1, ["gateway", "install"]).contains("--force"));
    sandbox.ok(["gateway", "install", "--force"]);
    assert_eq!(std::fs::read_to_string(&path).unwrap(), text);
    assert!(sandbox.ok(["gateway", "uninstall"]).contains("✓ Removed"));
    assert!(!path.exists());
    assert!(sandbox.ok(["gateway", "uninstall"]).contains("not installed"));
    let system = sandbox.ok(["gateway", "install", "--system", "--account", "hermes"]);
    assert!(system.contains("User=hermes\n") && system.contains("WantedBy=multi-user.target"), "{system}");
}
