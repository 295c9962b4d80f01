//! Turning the machine off, or making it start over.

use super::{On, Rule, named};
use crate::Class::Floor;
use crate::shell::{Place, Simple};

pub(super) const RULES: &[Rule] = &[
    Rule {
        key: "shutdown",
        description: "turns the machine off or restarts it",
        class: Floor,
        on: named(&["shutdown", "reboot", "halt", "poweroff", "kexec"], |command, _| {
            let harmless = command.has(&["--help", "--version", "-c", "-w", "--wtmp-only"]);
            !harmless && (command.name != "kexec" || command.has_letter('e'))
        }),
        hits: &["shutdown -h now", "sudo reboot", "halt", "nohup poweroff", "/sbin/shutdown -r +1", "time reboot"],
        misses: &["echo shutdown", "shutdown -c", "git commit -m 'reboot the parser'", "man halt"],
    },
    Rule {
        key: "shutdown-by-init",
        description: "tells init to turn the machine off or restart it",
        class: Floor,
        on: named(&["init", "telinit"], |command, _| matches!(command.operand(0), Some("0" | "6"))),
        hits: &["init 0", "sudo telinit 6"],
        misses: &["init 3", "git init 0"],
    },
    Rule {
        key: "shutdown-by-service",
        description: "tells the service manager to turn the machine off or restart it",
        class: Floor,
        on: named(&["systemctl", "loginctl"], |command, _| {
            let target =
                |text: &str| matches!(text.strip_suffix(".target"), Some("poweroff" | "reboot" | "halt" | "kexec"));
            let started = matches!(command.operand(0), Some("start" | "isolate")) && command.texts().any(target);
            started
                || command.operands().any(|field| {
                    matches!(field.text.as_str(), "poweroff" | "reboot" | "halt" | "kexec" | "soft-reboot")
                })
        }),
        hits: &["systemctl reboot", "systemctl --no-wall poweroff", "sudo systemctl -i halt"],
        misses: &["systemctl status reboot.target", "systemctl is-active nginx"],
    },
    Rule {
        key: "sysrq",
        description: "commands the kernel directly through sysrq",
        class: Floor,
        on: On::Any(writes_sysrq),
        hits: &["echo b > /proc/sysrq-trigger", "echo c | sudo tee /proc/sysrq-trigger"],
        misses: &["cat /proc/sys/kernel/sysrq"],
    },
];

fn writes_sysrq(command: &Simple, place: &Place) -> bool {
    let is = |text: &str| place.resolve_text(text, command) == "/proc/sysrq-trigger";
    command.redirects.iter().any(|redirect| redirect.writes && is(&redirect.target.text))
        || (command.name == "tee" && command.operands().any(|field| is(&field.text)))
}
