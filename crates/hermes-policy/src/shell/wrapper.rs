//! Programs that start other programs: what they would start, from their arguments.
//!
//! Hazard: an option that takes a value and is taken for one that does not makes its
//! value look like the command. Each wrapper's options are therefore listed.

use super::event::{Field, Simple, UNKNOWN};
use super::parameter::is_name;

/// What a command would start.
#[derive(Debug, Clone)]
pub(super) enum Next {
    /// These words, through this program.
    Command(Vec<Field>, &'static str),
    /// A text for a shell, with its positional parameters from `$0` on.
    Text(String, Option<Vec<String>>),
    /// Something that is not in the text.
    Unknown,
}

/// A program that takes options and then a command.
struct Wrapper {
    name: &'static str,
    /// Letters of short options that take a value.
    valued: &'static str,
    /// Long options that take a value of their own.
    long: &'static [&'static str],
    /// Operands before the command.
    operands: usize,
}

const fn plain(name: &'static str) -> Wrapper {
    with(name, "", &[], 0)
}

const fn with(name: &'static str, valued: &'static str, long: &'static [&'static str], operands: usize) -> Wrapper {
    Wrapper { name, valued, long, operands }
}

const WRAPPERS: &[Wrapper] = &[
    with(
        "sudo",
        "ughpCrtTUDRc",
        &["--user", "--group", "--host", "--prompt", "--chdir", "--chroot", "--close-from"],
        0,
    ),
    with("doas", "uC", &[], 0),
    with("env", "uC", &["--unset", "--chdir"], 0),
    plain("command"),
    plain("builtin"),
    with("exec", "a", &[], 0),
    with("nice", "n", &["--adjustment"], 0),
    with("ionice", "cnpPu", &["--class", "--classdata"], 0),
    plain("nohup"),
    plain("setsid"),
    with("timeout", "sk", &["--signal", "--kill-after"], 1),
    with("gtimeout", "sk", &["--signal", "--kill-after"], 1),
    with("stdbuf", "ioe", &["--input", "--output", "--error"], 0),
    with("time", "fo", &["--format", "--output"], 0),
    with("chroot", "", &[], 1),
    plain("busybox"),
    plain("toybox"),
    with("chrt", "TPD", &[], 1),
    with("taskset", "", &[], 1),
    with("numactl", "NmCpilP", &[], 0),
    with("strace", "abeEIoOpPsSuUX", &[], 0),
    with("ltrace", "aAeFlnopsuxX", &[], 0),
    with("unshare", "SGRw", &["--setuid", "--setgid", "--root", "--wd", "--propagation"], 0),
    with("nsenter", "tSGrw", &["--target", "--setuid", "--setgid"], 0),
    with("systemd-run", "ptuGMH", &["--unit", "--property", "--uid", "--gid", "--description", "--slice"], 0),
    with("pkexec", "", &["--user"], 0),
    with("runuser", "ugG", &["--user", "--group"], 0),
    with("setpriv", "", &[], 0),
    with("prlimit", "", &[], 0),
    with("cgexec", "g", &[], 0),
    with("xvfb-run", "nsefp", &[], 0),
    with("caffeinate", "tw", &[], 0),
    with("proxychains", "f", &[], 0),
    with("proxychains4", "f", &[], 0),
    with("npx", "p", &["--package"], 0),
    plain("bunx"),
    plain("uvx"),
    plain("torsocks"),
    plain("fakeroot"),
    plain("unbuffer"),
    plain("rlwrap"),
    plain("firejail"),
    plain("valgrind"),
    plain("dbus-run-session"),
    plain("winpty"),
    with("entr", "", &[], 0),
    with("arch", "", &[], 0),
    with("setarch", "", &[], 1),
    with("linux32", "", &[], 0),
    with("linux64", "", &[], 0),
];

/// Programs whose subcommand runs a command.
const RUNNERS: &[(&str, &str)] = &[
    ("poetry", "run"),
    ("uv", "run"),
    ("pipenv", "run"),
    ("pdm", "run"),
    ("hatch", "run"),
    ("rye", "run"),
    ("bundle", "exec"),
    ("mise", "exec"),
    ("doppler", "run"),
    ("op", "run"),
];

/// What a wrapper would start; nothing if this is none.
pub(super) fn next(call: &Simple) -> Option<Vec<Next>> {
    match call.name.as_str() {
        "find" | "fd" | "fdfind" => return Some(found(call)),
        "xargs" => return Some(vec![fed(call)]),
        "parallel" => return Some(parallel(call)),
        "watch" => return Some(watched(call)),
        "su" | "script" | "runuser" | "flock" if call.value_of("-c").or(call.value_of("--command")).is_some() => {
            return Some(text_of(call.value_of("-c").or(call.value_of("--command"))));
        }
        "flock" => return Some(command(call.arguments.get(first_operand(call, "wE") + 1..), "flock")),
        "ssh" => return Some(remote(call)),
        "env" => {
            if let Some(found) = split_text(call) {
                return Some(vec![split(call, found)]);
            }
        }
        "command" if call.has_letter('v') || call.has_letter('V') => return None,
        "source" | "." => return Some(sourced(call)),
        "git" => return git(call),
        name if name.starts_with("python") || name.starts_with("pypy") => return module(call),
        "docker" | "podman" | "nerdctl" | "docker-compose" => return contained(call),
        "kubectl" | "oc" => return in_pod(call),
        "nix-shell" => return Some(text_of(call.value_of("--run").or(call.value_of("--command")))),
        _ => {}
    }
    if let Some((name, verb)) = RUNNERS.iter().find(|(name, _)| *name == call.name) {
        return runner(call, name, verb);
    }
    let wrapper = WRAPPERS.iter().find(|wrapper| wrapper.name == call.name)?;
    let start = command_start(&call.arguments, wrapper);
    Some(command(call.arguments.get(start..), wrapper.name))
}

fn command(words: Option<&[Field]>, by: &'static str) -> Vec<Next> {
    match words {
        Some(words) if !words.is_empty() => vec![Next::Command(words.to_vec(), by)],
        _ => Vec::new(),
    }
}

fn text_of(text: Option<&str>) -> Vec<Next> {
    text.map(|text| Next::Text(text.to_owned(), None)).into_iter().collect()
}

/// Where the command begins behind the wrapper's own options.
fn command_start(arguments: &[Field], wrapper: &Wrapper) -> usize {
    let mut at = 0;
    while let Some(field) = arguments.get(at) {
        let text = field.text.as_str();
        if text == "--" {
            at += 1;
            break;
        }
        if text.starts_with("--") {
            at += if wrapper.long.contains(&text) { 2 } else { 1 };
        } else if text.len() > 1 && text.starts_with(['-', '+']) {
            at += cluster_length(text, wrapper.valued);
        } else if is_assignment(text) && matches!(wrapper.name, "env" | "sudo" | "doas") {
            at += 1;
        } else {
            break;
        }
    }
    at + wrapper.operands
}

/// One, or two when the last letter of the cluster wants a value.
fn cluster_length(text: &str, valued: &str) -> usize {
    match text[1..].char_indices().find(|(_, letter)| valued.contains(*letter)) {
        Some((index, letter)) if 1 + index + letter.len_utf8() == text.len() => 2,
        _ => 1,
    }
}

fn is_assignment(text: &str) -> bool {
    text.split_once('=').is_some_and(|(name, _)| is_name(name))
}

fn first_operand(call: &Simple, valued: &'static str) -> usize {
    command_start(&call.arguments, &with("", valued, &[], 0))
}

/// `env -S 'rm -rf /'`: where among env's own options the text stands, and how it begins there.
fn split_text(call: &Simple) -> Option<(usize, &str)> {
    let env = WRAPPERS.iter().find(|wrapper| wrapper.name == "env")?;
    let own = command_start(&call.arguments, env);
    call.texts().take(own).enumerate().find_map(|(at, text)| {
        if let Some(rest) = text.strip_prefix("--split-string") {
            return Some((at, rest.trim_start_matches('=')));
        }
        let letters = text.strip_prefix('-').filter(|rest| !rest.starts_with('-'))?;
        let first = letters.find(['S', 'u', 'C'])?;
        letters[first..].strip_prefix('S').map(|rest| (at, rest.trim_start_matches('=')))
    })
}

fn split(call: &Simple, (at, begin): (usize, &str)) -> Next {
    let rest = call.texts().skip(at + 1);
    let text = std::iter::once(begin).chain(rest).collect::<Vec<_>>().join(" ");
    Next::Text(text.trim_start().to_owned(), None)
}

/// `find … -exec command ;`: `{}` is something below where it starts.
fn found(call: &Simple) -> Vec<Next> {
    let roots: Vec<&Field> =
        call.arguments.iter().take_while(|field| !field.text.starts_with(['-', '(', '!'])).collect();
    let place = match roots.as_slice() {
        [root] => Field::new(format!("{}/{UNKNOWN}", root.text.trim_end_matches('/'))),
        _ => Field::unknown(),
    };
    let mut nexts = Vec::new();
    let mut rest = call.arguments.as_slice();
    while let Some(at) = rest.iter().position(|field| {
        matches!(field.text.as_str(), "-exec" | "-execdir" | "-ok" | "-okdir" | "-x" | "-X" | "--exec" | "--exec-batch")
    }) {
        rest = &rest[at + 1..];
        let end = rest.iter().position(|field| matches!(field.text.as_str(), ";" | "+")).unwrap_or(rest.len());
        let fill = |field: &Field| if field.text == "{}" { place.clone() } else { filled(field, "{}", &place.text) };
        nexts.extend(command(Some(&rest[..end].iter().map(fill).collect::<Vec<_>>()), "find"));
        rest = &rest[end..];
    }
    nexts
}

fn filled(field: &Field, mark: &str, with: &str) -> Field {
    if field.text.contains(mark) { Field::new(field.text.replace(mark, with)) } else { field.clone() }
}

/// `… | xargs command`: the words it gets on its input come behind.
fn fed(call: &Simple) -> Next {
    let xargs =
        with("xargs", "IinPLdEaspJR", &["--replace", "--max-args", "--max-procs", "--delimiter", "--arg-file"], 0);
    let start = command_start(&call.arguments, &xargs);
    let mut words: Vec<Field> = call.arguments.get(start..).unwrap_or_default().to_vec();
    if words.is_empty() {
        words.push(Field::new("echo"));
    }
    let fed: Vec<Field> = match call.feed.text() {
        Some(text) => text.split([' ', '\t', '\n', '\0']).filter(|word| !word.is_empty()).map(Field::new).collect(),
        None => vec![Field::unknown()],
    };
    match call.value_of("-I").or(call.value_of("--replace")) {
        Some(mark) if !mark.is_empty() => {
            let with = if let [word] = fed.as_slice() { word.text.clone() } else { UNKNOWN.to_string() };
            words = words.iter().map(|word| filled(word, mark, &with)).collect();
        }
        _ => words.extend(fed),
    }
    Next::Command(words, "xargs")
}

fn parallel(call: &Simple) -> Vec<Next> {
    let start = first_operand(call, "jNnIaS");
    let rest = call.arguments.get(start..).unwrap_or_default();
    let end = rest.iter().position(|field| field.text.starts_with(":::")).unwrap_or(rest.len());
    let (template, inputs) = rest.split_at(end);
    let mut text = template.iter().map(|field| field.text.as_str()).collect::<Vec<_>>().join(" ");
    let inputs = match inputs {
        [] => UNKNOWN.to_string(),
        [_, inputs @ ..] => inputs.iter().map(|field| field.text.as_str()).collect::<Vec<_>>().join(" "),
    };
    if text.is_empty() {
        return if inputs.contains(UNKNOWN) { vec![Next::Unknown] } else { vec![Next::Text(inputs, None)] };
    }
    if text.contains("{}") {
        text = text.replace("{}", &inputs);
    } else {
        text = format!("{text} {inputs}");
    }
    vec![Next::Text(text, None)]
}

fn watched(call: &Simple) -> Vec<Next> {
    let start = first_operand(call, "nqs");
    let words: Vec<&str> = call.texts().skip(start).collect();
    if words.is_empty() { Vec::new() } else { vec![Next::Text(words.join(" "), None)] }
}

/// `ssh host command`: it runs elsewhere, with the same harm.
fn remote(call: &Simple) -> Vec<Next> {
    let start = first_operand(call, "bBcDEeFIiJLlmOopQRSWw") + 1;
    let words: Vec<&str> = call.texts().skip(start).collect();
    if words.is_empty() { Vec::new() } else { vec![Next::Text(words.join(" "), None)] }
}

/// `source <(echo …)`
fn sourced(call: &Simple) -> Vec<Next> {
    match call.operand(0) {
        Some(file) if file.starts_with("/dev/") => text_of(call.feed.text()),
        _ => Vec::new(),
    }
}

fn git(call: &Simple) -> Option<Vec<Next>> {
    let words: Vec<&str> = call.texts().collect();
    if let Some(at) = words.iter().position(|word| *word == "foreach") {
        let rest: Vec<&str> = words[at + 1..].iter().copied().skip_while(|word| word.starts_with("--")).collect();
        return Some(text_of(Some(&rest.join(" "))));
    }
    if let ["bisect", "run", ..] = words.as_slice() {
        return Some(command(call.arguments.get(2..), "git"));
    }
    if words.first() == Some(&"rebase") {
        return Some(text_of(call.value_of("--exec").or(call.value_of("-x"))));
    }
    None
}

fn runner(call: &Simple, name: &'static str, verb: &str) -> Option<Vec<Next>> {
    let at = call.texts().position(|text| text == verb)?;
    let inner = with("", "", &["--with", "--python", "--extra", "--group", "--env-file", "--package"], 0);
    let rest = call.arguments.get(at + 1..).unwrap_or_default();
    Some(command(rest.get(command_start(rest, &inner)..), name))
}

/// `python -m pip …` is `pip …`.
fn module(call: &Simple) -> Option<Vec<Next>> {
    let at = call.texts().position(|text| text == "-m" || !text.starts_with('-'))?;
    let rest = call.arguments.get(at + 1..)?;
    (call.arguments[at].text == "-m").then(|| command(Some(rest), "python"))
}

/// Long options of `docker run` and `docker exec` with a value of their own.
const CONTAINER_OPTIONS: &[&str] = &[
    "--volume",
    "--env",
    "--publish",
    "--workdir",
    "--user",
    "--name",
    "--network",
    "--net",
    "--entrypoint",
    "--mount",
    "--label",
    "--memory",
    "--cpus",
    "--platform",
    "--pull",
    "--env-file",
    "--hostname",
    "--add-host",
    "--gpus",
    "--shm-size",
    "--restart",
    "--cap-add",
    "--cap-drop",
    "--security-opt",
    "--device",
    "--tmpfs",
    "--ulimit",
    "--pid",
    "--ipc",
    "--userns",
    "--detach-keys",
    "--file",
    "--project-name",
    "--profile",
    "--index",
];

/// `docker exec NAME command`, `docker run IMAGE command`, also through compose.
fn contained(call: &Simple) -> Option<Vec<Next>> {
    let at = call.texts().position(|text| matches!(text, "exec" | "run"))?;
    let before = call.texts().take(at).filter(|text| !text.starts_with('-'));
    if before.clone().any(|text| GROUPED.contains(&text)) {
        return None;
    }
    let rest = call.arguments.get(at + 1..)?;
    let start = command_start(rest, &with("", "vepwulhmca", CONTAINER_OPTIONS, 1));
    Some(command(rest.get(start..), "container"))
}

/// Subcommands that have a `run` or `exec` in their own words.
const GROUPED: &[&str] = &["build", "buildx", "pull", "push", "logs", "inspect", "tag", "stop", "start", "rm"];

/// `kubectl exec POD -- command`
fn in_pod(call: &Simple) -> Option<Vec<Next>> {
    call.texts().position(|text| text == "exec")?;
    let at = call.texts().position(|text| text == "--")?;
    Some(command(call.arguments.get(at + 1..), "container"))
}
