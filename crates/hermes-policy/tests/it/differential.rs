//! What bash runs is what the reader saw.
//!
//! Harmless variants of tricks run under real bash, in an empty folder, with an empty
//! environment and a PATH that holds nothing but recorders: small scripts named like
//! dangerous programs that write down their arguments. Each text is then judged, and a
//! text whose recorder ran must be refused for it; one whose recorder did not run, must
//! not. No variant names a program by an absolute path.

use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use hermes_policy::{Class, Context, Verdict, judge};

/// Programs replaced by recorders.
const RECORDED: &[&str] =
    &["rm", "dd", "mkfs", "mkfs.ext4", "shutdown", "reboot", "halt", "poweroff", "init", "telinit", "chown"];
/// Harmless programs that the tricks need, as links to the real ones.
const TOOLS: &[&str] = &[
    "bash", "sh", "env", "nice", "nohup", "setsid", "timeout", "stdbuf", "xargs", "find", "cat", "base64", "tr", "rev",
    "sed", "true", "sleep", "printf", "echo", "mkdir", "touch", "ls", "head",
];

/// A private place where nothing real can be reached by name.
struct Place {
    folder: tempfile::TempDir,
}

impl Place {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let programs = folder.path().join("bin");
        fs::create_dir(&programs).unwrap();
        fs::create_dir(folder.path().join("work")).unwrap();
        for name in RECORDED {
            let script = format!(
                "#!/bin/sh\nfor word in \"{name}\" \"$@\"; do echo \"$word\"; done >> '{}'\n",
                log(folder.path()).display()
            );
            fs::write(programs.join(name), script).unwrap();
            fs::set_permissions(programs.join(name), fs::Permissions::from_mode(0o755)).unwrap();
        }
        for name in TOOLS {
            if let Some(real) =
                ["/usr/bin", "/bin"].iter().map(|folder| Path::new(folder).join(name)).find(|path| path.exists())
            {
                symlink(real, programs.join(name)).unwrap();
            }
        }
        Self { folder }
    }

    /// The words that recorders wrote down while bash ran this text.
    #[expect(clippy::disallowed_methods, reason = "bash is the judge here")]
    fn recorded(&self, text: &str) -> Vec<String> {
        let log = log(self.folder.path());
        let _ = fs::remove_file(&log);
        Command::new("/bin/bash")
            .args(["--norc", "--noprofile", "-c", text])
            .env_clear()
            .env("PATH", self.folder.path().join("bin"))
            .env("HOME", "/nonexistent/home")
            .current_dir(self.folder.path().join("work"))
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .status()
            .unwrap();
        // Names of files may be anything.
        let written = fs::read(&log).unwrap_or_default();
        String::from_utf8_lossy(&written).lines().map(ToOwned::to_owned).collect()
    }
}

fn log(folder: &Path) -> PathBuf {
    folder.join("log")
}

fn verdict(text: &str) -> Verdict {
    judge(text, &Context { home: Some("/nonexistent/home".to_owned()), ..Context::default() })
}

/// Each runs `rm -rf /` (or a relative) by another route; in the place above that only writes a line.
const TRICKS: &[&str] = &[
    "rm -rf /",
    "r''m -rf /",
    "'r'\"m\" -rf /",
    "\\r\\m -rf /",
    "rm \\\n-rf \\\n/",
    "r\\\nm -rf /",
    "$'rm' -rf /",
    "$'\\x72\\x6d' -rf $'\\057'",
    "$'\\u0072m' -rf /",
    "{rm,-rf,/}",
    "r{m,}\\ x -rf; {r,}m -rf /; rm -rf /",
    "rm -{r,f} /",
    "rm${IFS}-rf${IFS}/",
    "IFS=,; x=rm,-rf,/; $x",
    "x=rm; $x -rf /",
    "x=r; x+=m; $x -rf /",
    "x='rm -rf /'; $x",
    "x='rm -rf /'; eval \"$x\"",
    "x=(rm -rf /); \"${x[@]}\"",
    "x=(-rf rm /); ${x[1]} ${x[0]} ${x[2]}",
    "set -- rm -rf /; \"$@\"",
    "set -- / -rf rm; $3 $2 $1",
    "set -- a rm -rf /; shift; $*",
    "x=armb; ${x:1:2} -rf /",
    "x=xxrm; ${x#xx} -rf /",
    "x=rm.bak; ${x%.*} -rf /",
    "x=a/b/rm; ${x##*/} -rf /",
    "x=rXm; ${x/X/} -rf /",
    "x=r.m.; ${x//./} -rf /",
    "x=RM; ${x,,} -rf /",
    "x=rm; y=x; ${!y} -rf /",
    "${x:-rm} -rf /",
    "${x:=rm} -rf /",
    "x=1; ${x:+rm} -rf /",
    "rm -rf ${PATH:0:1}",
    "rm -rf ${HOME%%[a-z]*}",
    "rm -rf ~",
    "rm -rf $HOME/",
    "rm -rf \"$HOME\"/.",
    "rm -rf //",
    "rm -rf /./",
    "rm -rf /tmp/..",
    "rm -rf -- /",
    "$(echo rm) -rf /",
    "`echo rm` -rf /",
    "$(printf '%s%s' r m) -rf /",
    "$(printf '\\162\\155') -rf /",
    "$(echo mr | rev) -rf /",
    "$(rev <<< mr) -rf /",
    "$(tr a-z n-za-m <<< ez) -rf /",
    "$(echo cm0= | base64 -d) -rf /",
    "read x <<< rm; $x -rf /",
    "read x y z <<< 'rm -rf /'; $x $y $z",
    "printf -v x rm; $x -rf /",
    "declare x=rm; $x -rf /",
    "export x=rm; bash -c '$x -rf /'",
    "x=rm bash -c '$x -rf /'",
    "bash -c 'rm -rf /'",
    "bash -c '\"$0\" \"$@\"' rm -rf /",
    "bash -c 'rm -rf \"$1\"' x /",
    "bash -ec 'eval rm -rf /'",
    "sh -c \"sh -c 'rm -rf /'\"",
    "bash <<< 'rm -rf /'",
    "bash <<E\nrm -rf /\nE",
    "bash <<-'E'\n\trm -rf /\n\tE",
    "echo rm -rf / | bash",
    "printf 'rm -rf /' | sh -s",
    "echo cm0gLXJmIC8= | base64 -d | bash",
    "bash <(echo rm -rf /)",
    ". <(echo rm -rf /)",
    "eval \"$(echo rm -rf /)\"",
    "eval 'x=rm'; $x -rf /",
    "env rm -rf /",
    "env -i PATH=\"$PATH\" rm -rf /",
    "env -S 'rm -rf /'",
    "nice -n 5 rm -rf /",
    "nohup rm -rf /",
    "timeout -s KILL 9 rm -rf /",
    "stdbuf -oL rm -rf /",
    "command rm -rf /",
    "exec rm -rf /",
    "builtin eval rm -rf /",
    "time rm -rf /",
    "! rm -rf /",
    "echo / | xargs rm -rf",
    "echo / | xargs -I% rm -rf %",
    "xargs rm <<< '-rf /'",
    "f() { rm -rf /; }; f",
    "f() { rm -rf \"$1\"; }; f /",
    "f() { \"$@\"; }; f rm -rf /",
    "function f { g; }; g() { rm -rf /; }; f",
    "shopt -s expand_aliases\nalias x='rm -rf'\nx /",
    "if true; then rm -rf /; fi",
    "if false; then :; else rm -rf /; fi",
    "for x in a /; do rm -rf $x; done",
    "for x in ls rm; do $x -rf /; done",
    "x=ls; for i in 1 2; do $x -rf /; x=rm; done",
    "x=ls; true && x=rm; $x -rf /",
    "while rm -rf /; do break; done",
    "until rm -rf /; do :; done",
    "case a in (a) rm -rf / ;; esac",
    "select x in a; do :; done <<< ''; rm -rf /",
    "{ rm -rf /; }",
    "( rm -rf / )",
    "(x=ls); x=rm; ( $x -rf / )",
    "true | rm -rf /",
    "rm -rf / &\nwait",
    "echo $(rm -rf /)",
    "echo \"`rm -rf /`\"",
    "echo $((1 + $(rm -rf / ; echo 1)))",
    "[[ -z $(rm -rf /) ]]",
    ": \"${x:-$(rm -rf /)}\"",
    "cat <<E\n$(rm -rf /)\nE",
    "cat <(rm -rf /)",
    "x=$(rm -rf /)",
    "x=(a $(rm -rf /))",
    "for x in $(rm -rf /); do :; done",
    "case $(rm -rf /) in *) ;; esac",
    "trap 'rm -rf /' EXIT",
    "coproc rm -rf /; wait",
    "cd /; rm -rf *",
    "cd / && rm -rf .",
    "mkfs.ext4 x.img",
    "x=mkfs; $x -t ext4 x.img",
    "dd if=x of=/dev/sda",
    "x=/dev/sda; dd of=$x if=y",
    "shutdown -h now",
    "x=shut; ${x}down now",
    "init 0",
    "chown -R nobody /",
];

/// Nothing recorded runs here, and the reader must not think so.
const PROSE: &[&str] = &[
    "echo rm -rf /",
    "echo 'rm -rf /' \"shutdown now\"",
    "# rm -rf /",
    "ls # rm -rf /",
    ": 'rm -rf /'",
    "cat <<E\nrm -rf /\nE",
    "cat <<'E'\n$(rm -rf /)\nE",
    "x='rm -rf /'",
    "x=\"\\$(rm -rf /)\"",
    "echo '$(rm -rf /)' \\`reboot\\`",
    "printf '%s\\n' 'rm -rf /'",
    "f() { echo rm -rf /; }; f",
    "x=(rm -rf /)",
    "echo \"a; rm -rf /\"",
    "true 'x' && echo \\; rm -rf /",
    "case rm in ls) ;; esac",
    "for x in rm -rf /; do echo $x; done",
    "[[ 'rm -rf /' == x ]]",
    "alias x='rm -rf /'",
    "mkdir -p rm shutdown; ls rm",
];

#[test]
fn what_bash_runs_is_what_was_seen() {
    let place = Place::new();
    let mut wrong = Vec::new();
    for text in TRICKS {
        let (recorded, verdict) = (place.recorded(text), verdict(text));
        let program = verdict.command.split(' ').next().unwrap_or_default();
        if verdict.class != Class::Floor || !recorded.iter().any(|word| word == program) {
            wrong.push(format!("{text}: bash ran {recorded:?}, the reader saw {verdict:?}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn what_bash_does_not_run_is_not_seen() {
    let place = Place::new();
    let mut wrong = Vec::new();
    for text in PROSE {
        let recorded = place.recorded(text);
        if !recorded.is_empty() || verdict(text).class != Class::Allow {
            wrong.push(format!("{text}: bash ran {recorded:?}, the reader saw {:?}", verdict(text)));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// The place itself: recorders are found, the real programs are not.
#[test]
fn nothing_real_is_reachable() {
    let place = Place::new();
    assert_eq!(place.recorded("rm -rf 'a b'"), ["rm", "-rf", "a b"]);
    for text in TRICKS.iter().chain(PROSE) {
        let absolute =
            RECORDED.iter().any(|name| text.contains(&format!("/{name} ")) && !text.contains(&format!("a/b/{name}")));
        assert!(!absolute, "{text} names a program by its path");
    }
}
