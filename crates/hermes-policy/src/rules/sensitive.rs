//! Writes to files that decide what the machine or the user's shell does next.

use super::{On, Rule};
use crate::Class::Ask;
use crate::shell::{Field, Place, Simple};

pub(super) const RULES: &[Rule] = &[
    Rule {
        key: "write-ssh",
        description: "changes who may log in by ssh, or how",
        class: Ask,
        on: On::Any(|command, place| {
            writes(command, place, |path| path.starts_with("~/.ssh") || path.starts_with("/root/.ssh"))
        }),
        hits: &[
            "echo key >> ~/.ssh/authorized_keys",
            "tee -a ~/.ssh/config < x",
            "cp key ~/.ssh/",
            "sed -i d ~/.ssh/known_hosts",
        ],
        misses: &["cat ~/.ssh/config", "cp ~/.ssh/id_rsa.pub ."],
    },
    Rule {
        key: "write-kernel-settings",
        description: "changes settings of the running kernel",
        class: Ask,
        on: On::Any(|command, place| {
            writes(command, place, |path| path.starts_with("/proc/") || path.starts_with("/sys/"))
        }),
        hits: &["echo 1 > /proc/sys/net/ipv4/ip_forward", "echo 3 | sudo tee /proc/sys/vm/drop_caches"],
        misses: &["cat /proc/cpuinfo"],
    },
    Rule {
        key: "write-system-file",
        description: "changes a file of the system",
        class: Ask,
        on: On::Any(|command, place| writes(command, place, is_system_file)),
        hits: &[
            "echo x > /etc/hosts",
            "sudo tee /etc/apt/sources.list.d/x.list < y",
            "cp app.conf /etc/nginx/",
            "mv x /usr/local/bin/x",
            "sed -i 's/a/b/' /etc/ssh/sshd_config",
            "ln -s x /usr/bin/python",
        ],
        misses: &["cat /etc/hosts", "cp /etc/hosts .", "sed 's/a/b/' /etc/hosts", "grep x /etc/passwd > out.txt"],
    },
    Rule {
        key: "write-shell-startup",
        description: "changes what every new shell of the user runs",
        class: Ask,
        on: On::Any(|command, place| writes(command, place, is_startup_file)),
        hits: &[
            "echo 'alias x=y' >> ~/.bashrc",
            "tee ~/.zshrc < x",
            "sed -i s/a/b/ ~/.profile",
            "cp x ~/.bash_profile",
        ],
        misses: &["cat ~/.bashrc", "source ~/.bashrc", "grep PATH ~/.zshrc"],
    },
    Rule {
        key: "write-credential-file",
        description: "changes a file that holds the user's passwords or tokens",
        class: Ask,
        on: On::Any(|command, place| writes(command, place, is_credential_file)),
        hits: &["echo x > ~/.netrc", "echo //r/:_authToken=x >> ~/.npmrc", "cp x ~/.aws/credentials"],
        misses: &["cat package.json > out", "echo x > .nvmrc"],
    },
    Rule {
        key: "write-hermes-instructions",
        description: "changes what every session of Hermes is told",
        class: Ask,
        on: On::Any(|command, place| {
            writes(command, place, |path| path.starts_with("~/.hermes/") && path.ends_with("/SOUL.md"))
        }),
        hits: &["echo obey > ~/.hermes/SOUL.md", "cp x $HERMES_HOME/profiles/work/SOUL.md"],
        misses: &["cat ~/.hermes/SOUL.md", "echo x > SOUL.md", "echo x > ~/.hermes/memories/MEMORY.md"],
    },
    Rule {
        key: "write-project-settings",
        description: "changes the secrets or settings file of a project",
        class: Ask,
        on: On::Any(|command, place| writes(command, place, is_project_settings)),
        hits: &[
            "echo KEY=1 >> .env",
            "cp .env.example .env",
            "sed -i s/a/b/ config.yaml",
            "cat > app/.env.local <<E\nx\nE",
        ],
        misses: &["cat .env", "cp .env .env.example", "grep KEY .env", "cat > config/app.yaml <<E\nx\nE"],
    },
];

/// Whether the command writes a file of this kind.
fn writes(command: &Simple, place: &Place, is: fn(&str) -> bool) -> bool {
    let hit = |text: &str| is(&place.resolve_text(text, command));
    let opened =
        command.redirects.iter().any(|redirect| redirect.writes && !redirect.duplicates && hit(&redirect.target.text));
    opened || destinations(command).iter().any(|field| hit(&field.text) || hit_below(command, field, &hit))
}

/// `cp x/.env app/` writes `app/.env`.
fn hit_below(command: &Simple, folder: &Field, hit: &impl Fn(&str) -> bool) -> bool {
    if !command.is(&["cp", "mv", "install", "ln"]) || !folder.text.ends_with(['/', '.']) {
        return false;
    }
    let names = command.operands().filter(|field| field.text != folder.text);
    names
        .map(|field| field.text.rsplit('/').next().unwrap_or_default())
        .any(|name| hit(&format!("{}/{name}", folder.text)))
}

/// The operands that a command writes to.
fn destinations(command: &Simple) -> Vec<&Field> {
    let operands = || command.operands();
    match command.name.as_str() {
        "tee" | "truncate" | "sponge" => operands().collect(),
        "cp" | "mv" | "install" | "ln" | "rsync" | "scp" => {
            let folder =
                command.arguments.windows(2).find(|pair| matches!(pair[0].text.as_str(), "-t" | "--target-directory"));
            match folder {
                Some(pair) => vec![&pair[1]],
                None if operands().count() > 1 => operands().last().into_iter().collect(),
                None => Vec::new(),
            }
        }
        "sed" | "gsed" | "perl" | "ruby" if edits_in_place(command) => {
            operands().skip(1).chain(operands().take(1)).collect()
        }
        "ed" | "ex" | "vi" | "vim" | "nano" | "emacs" => operands().collect(),
        "curl" => after(command, &["-o", "--output"]),
        "wget" => after(command, &["-O", "--output-document"]),
        "patch" | "unzip" => Vec::new(),
        _ => Vec::new(),
    }
}

fn after<'c>(command: &'c Simple, options: &[&str]) -> Vec<&'c Field> {
    command.arguments.windows(2).filter(|pair| options.contains(&pair[0].text.as_str())).map(|pair| &pair[1]).collect()
}

fn edits_in_place(command: &Simple) -> bool {
    command.has_long("--in-place", 4)
        || command.texts().any(|text| crate::shell::is_cluster(text) && text[1..].contains('i'))
}

fn is_system_file(path: &str) -> bool {
    const FOLDERS: &[&str] = &[
        "/etc",
        "/boot",
        "/usr",
        "/bin",
        "/sbin",
        "/lib",
        "/lib64",
        "/private/etc",
        "/private/var",
        "/private/home",
        "/var/spool/cron",
        "/var/lib",
        "/System",
        "/Library",
        "/root",
    ];
    FOLDERS.iter().any(|folder| path.strip_prefix(folder).is_some_and(|rest| rest.is_empty() || rest.starts_with('/')))
}

fn is_startup_file(path: &str) -> bool {
    let Some(name) = path.strip_prefix("~/") else { return false };
    const FILES: &[&str] = &[
        ".bashrc",
        ".zshrc",
        ".profile",
        ".bash_profile",
        ".zprofile",
        ".zshenv",
        ".bash_login",
        ".bash_logout",
        ".zlogin",
        ".bash_aliases",
        ".config/fish/config.fish",
        ".xinitrc",
        ".xprofile",
        ".inputrc",
    ];
    FILES.contains(&name)
        || name.starts_with(".config/autostart/")
        || name.starts_with(".config/systemd/user/")
        || name.starts_with("Library/LaunchAgents/")
}

fn is_credential_file(path: &str) -> bool {
    let Some(name) = path.strip_prefix("~/") else { return false };
    const FILES: &[&str] = &[
        ".netrc",
        ".pgpass",
        ".npmrc",
        ".pypirc",
        ".git-credentials",
        ".gitconfig",
        ".aws/credentials",
        ".aws/config",
        ".kube/config",
        ".docker/config.json",
        ".cargo/credentials.toml",
    ];
    FILES.contains(&name) || name.starts_with(".gnupg/")
}

fn is_project_settings(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or_default();
    const TEMPLATES: &[&str] = &[".example", ".sample", ".template", ".dist", ".test", ".ci"];
    let secrets = name == ".env" || (name.starts_with(".env.") && !TEMPLATES.iter().any(|end| name.ends_with(end)));
    secrets || name == "config.yaml"
}
