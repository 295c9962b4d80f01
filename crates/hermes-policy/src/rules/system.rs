//! The kernel and the machine's own settings.

use super::{Rule, named};
use crate::Class::Ask;

pub(super) const RULES: &[Rule] = &[
    Rule {
        key: "kernel-parameters",
        description: "changes parameters of the running kernel",
        class: Ask,
        on: named(&["sysctl"], |command, _| {
            command.has_letter('w')
                || command.has_letter('p')
                || command.has_long("--write", 4)
                || command.has_long("--load", 4)
                || command.has_long("--system", 5)
                || command.operands().any(|field| field.text.contains('='))
        }),
        hits: &["sysctl -w net.ipv4.ip_forward=1", "sudo sysctl kernel.panic=1", "sysctl -p"],
        misses: &["sysctl -a", "sysctl kernel.hostname", "sysctl -n hw.ncpu"],
    },
    Rule {
        key: "kernel-modules",
        description: "loads or removes code of the kernel",
        class: Ask,
        on: named(&["modprobe", "insmod", "rmmod", "kexec", "depmod", "kextload", "kextunload"], |command, _| {
            !command.has(&["-n", "--dry-run", "--help", "-V"])
        }),
        hits: &["modprobe vfio", "sudo insmod ./x.ko", "rmmod nvidia", "kexec -l vmlinuz"],
        misses: &["lsmod", "modinfo vfio"],
    },
    Rule {
        key: "boot-settings",
        description: "changes how the machine starts or guards itself",
        class: Ask,
        on: named(
            &[
                "grub-install",
                "update-grub",
                "grub-mkconfig",
                "efibootmgr",
                "bootctl",
                "csrutil",
                "spctl",
                "nvram",
                "update-initramfs",
                "dracut",
            ],
            |command, _| {
                !command.arguments.is_empty() && !command.has(&["status", "list", "-v", "-p", "--help"])
                    || command.name == "update-grub"
            },
        ),
        hits: &["grub-install /dev/sda", "csrutil disable", "update-grub", "efibootmgr -b 1 -B"],
        misses: &["csrutil status", "bootctl status", "nvram -p"],
    },
    Rule {
        key: "clock",
        description: "changes the clock or name of the machine",
        class: Ask,
        on: named(&["timedatectl", "hostnamectl", "hwclock", "date"], |command, _| match command.name.as_str() {
            "date" => command.has_letter('s') && command.value_of("-s").is_some() || command.has_long("--set", 5),
            "hwclock" => command.has_letter('w') || command.has_long("--set", 5) || command.has_long("--systohc", 5),
            _ => command.operand(0).is_some_and(|verb| verb.starts_with("set") || verb == "hostname"),
        }),
        hits: &["timedatectl set-time 10:00", "date -s '2020-01-01'", "hostnamectl set-hostname x"],
        misses: &["date +%s", "date -u", "timedatectl status", "date -d yesterday"],
    },
];
