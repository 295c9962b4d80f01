//! Commands of Windows, reached from a shell there or through WSL.

use super::{Rule, named};
use crate::Class::Ask;
use crate::shell::Simple;

pub(super) const RULES: &[Rule] = &[
    Rule {
        key: "powershell-code",
        description: "runs PowerShell code given on the command line",
        class: Ask,
        on: named(&["powershell", "powershell.exe", "pwsh", "pwsh.exe"], |command, _| {
            command.texts().any(|text| {
                let lower = text.to_ascii_lowercase();
                lower.starts_with("-e")
                    || lower.starts_with("-c")
                    || lower.contains("iex")
                    || lower.contains("invoke-expression")
                    || lower.contains("remove-item")
            })
        }),
        hits: &[
            "powershell -EncodedCommand aQBl",
            "pwsh -c 'Remove-Item -Recurse x'",
            "powershell.exe -Command iwr x | iex",
        ],
        misses: &["pwsh -File build.ps1", "pwsh --version"],
    },
    Rule {
        key: "windows-delete",
        description: "deletes files with commands of Windows",
        class: Ask,
        on: named(&["cmd", "cmd.exe", "del", "erase", "rd", "deltree"], |command, _| {
            let words: Vec<String> = command.texts().map(str::to_ascii_lowercase).collect();
            let deletes = words.iter().any(|text| {
                ["del ", "rd ", "rmdir ", "format "].iter().any(|verb| text.starts_with(verb))
                    || matches!(text.as_str(), "del" | "rd" | "rmdir" | "format" | "erase")
            });
            (command.name.starts_with("cmd") && deletes)
                || matches!(command.name.as_str(), "del" | "erase" | "rd" | "deltree")
        }),
        hits: &["cmd.exe /c 'del /s /q C:\\x'", "cmd /c rd /s /q x", "del /f x"],
        misses: &["cmd.exe /c dir", "cmd /c echo x"],
    },
    Rule {
        key: "windows-system",
        description: "changes disks, boot, registry, backups or services of Windows",
        class: Ask,
        on: named(
            &[
                "format",
                "format.com",
                "diskpart",
                "diskpart.exe",
                "cipher",
                "cipher.exe",
                "icacls",
                "icacls.exe",
                "takeown",
                "vssadmin",
                "vssadmin.exe",
                "wbadmin",
                "bcdedit",
                "bcdedit.exe",
                "reg",
                "reg.exe",
                "sc",
                "sc.exe",
                "taskkill",
                "taskkill.exe",
                "schtasks",
                "wmic",
            ],
            |command, _| changes(command),
        ),
        hits: &[
            "diskpart",
            "vssadmin delete shadows /all",
            "reg delete HKLM\\x",
            "taskkill /F /IM node.exe",
            "bcdedit /set x",
            "cipher /w:C",
        ],
        misses: &["reg query HKLM", "vssadmin list shadows", "sc query"],
    },
];

fn changes(command: &Simple) -> bool {
    let has = |words: &[&str]| {
        command.texts().any(|text| words.iter().any(|word| text.to_ascii_lowercase().starts_with(word)))
    };
    match command.name.trim_end_matches(".exe") {
        "cipher" => has(&["/w"]),
        "vssadmin" | "wbadmin" | "wmic" => has(&["delete", "shadowcopy"]),
        "reg" => has(&["delete", "add", "import"]),
        "sc" => has(&["delete", "stop", "config", "create"]),
        "taskkill" => has(&["/f"]),
        "schtasks" => has(&["/create", "/delete", "/change"]),
        "bcdedit" => !command.arguments.is_empty(),
        _ => true,
    }
}
