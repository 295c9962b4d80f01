//! Texts made to break the reader: random, mutated, nested, huge. Whatever comes, an
//! answer comes, soon, and nothing panics.

use std::time::Duration;

use hermes_policy::{Class, Context, judge};
use proptest::prelude::*;
use rustix::time::{ClockId, clock_gettime};

const FLOOR: &str = include_str!("../corpus/floor.txt");
const ASK: &str = include_str!("../corpus/ask.txt");
const ALLOW: &str = include_str!("../corpus/allow.txt");

/// No text may take longer than this, in an unoptimised build on a busy machine.
const PATIENCE: Duration = Duration::from_secs(20);

fn context() -> Context {
    Context { home: Some("/home/ann".to_owned()), ..Context::default() }
}

/// What a verdict costs this process, whatever else the machine does meanwhile.
fn timed(text: &str) -> (Class, Duration) {
    let start = processor_time();
    let class = judge(text, &context()).class;
    (class, processor_time().saturating_sub(start))
}

fn processor_time() -> Duration {
    let time = clock_gettime(ClockId::ProcessCPUTime);
    Duration::new(time.tv_sec.try_into().unwrap(), time.tv_nsec.try_into().unwrap())
}

fn answered(text: &str) -> Class {
    let (class, taken) = timed(text);
    assert!(taken < PATIENCE, "{taken:?} for {} characters: {:.200}", text.len(), text);
    class
}

fn corpus() -> Vec<String> {
    let lines = [FLOOR, ASK, ALLOW].into_iter().flat_map(str::lines).filter(|line| !line.starts_with('#'));
    lines.map(|line| line.rsplit('\t').next().unwrap_or(line).replace('⏎', "\n")).collect()
}

/// What shell programs are made of, and what breaks readers of them.
fn token() -> impl Strategy<Value = &'static str> {
    prop::sample::select(vec![
        " ",
        "\n",
        ";",
        "&",
        "&&",
        "||",
        "|",
        "|&",
        "(",
        ")",
        "((",
        "))",
        "{",
        "}",
        "[[",
        "]]",
        "<",
        ">",
        ">>",
        "<<E\n",
        "\nE\n",
        "<<<",
        "<(",
        ">(",
        "&>",
        "2>&1",
        "'",
        "\"",
        "`",
        "\\",
        "\\\n",
        "$",
        "$(",
        "$((",
        "${",
        "${x:-",
        "${x/a/",
        "${!x",
        "${#x}",
        "$'",
        "$\"",
        "$[",
        "~",
        "*",
        "?",
        "[",
        "]",
        "!",
        "#",
        "=",
        "+=",
        "x=",
        "x=rm;",
        "$x",
        "$1",
        "$@",
        "\"$@\"",
        "${a[@]}",
        "a=(",
        "{a,b}",
        "{1..9}",
        "rm",
        "-rf",
        "/",
        "//",
        "echo",
        "eval",
        "sh -c",
        "bash",
        "sudo",
        "env -S",
        "xargs",
        "find . -exec",
        "if",
        "then",
        "else",
        "elif",
        "fi",
        "for x in",
        "do",
        "done",
        "while",
        "until",
        "case x in",
        "x)",
        ";;",
        "esac",
        "function f",
        "f()",
        "f",
        "select",
        "coproc",
        "time",
        "trap",
        "alias f=",
        "printf '%s'",
        "base64 -d",
        "\0",
        "\r\n",
        "é",
        "𝒙",
        "\u{202e}",
        "999999999999>",
        "0",
        "\t",
        "set --",
        "read x",
        "cd /",
        "local",
        "export x=",
        ":",
    ])
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1500, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn random_programs_are_answered(tokens in prop::collection::vec(token(), 0..60)) {
        answered(&tokens.concat());
        answered(&tokens.join(" "));
    }

    #[test]
    fn random_text_is_answered(text in "\\PC{0,200}") {
        answered(&text);
    }

    /// A command of the corpus with something cut out, doubled, or put in.
    #[test]
    fn mutated_commands_are_answered(index: prop::sample::Index, from in 0..200_usize, length in 0..20_usize, put in token(), doubled: bool) {
        let commands = corpus();
        let command: Vec<char> = index.get(&commands).chars().collect();
        let from = from.min(command.len());
        let to = (from + length).min(command.len());
        let middle: String = if doubled { command[from..to].iter().chain(&command[from..to]).collect() } else { String::new() };
        let text: String = command[..from].iter().collect::<String>() + &middle + put + &command[to..].iter().collect::<String>();
        answered(&text);
    }
}

/// Every construct that opens something, opened very often, closed and not.
#[test]
fn deep_nesting_is_answered() {
    for (open, close) in [
        ("(", ")"),
        ("{ ", ";}"),
        ("$(", ")"),
        ("\"$(", ")\""),
        ("`", "`"),
        ("${x:-", "}"),
        ("$((", "))"),
        ("((", "))"),
        ("[[ ( ", " ) ]]"),
        ("<(", ")"),
        ("if ", ";then x;fi"),
        ("while ", ";do x;done"),
        ("for x in a;do ", ";done"),
        ("case a in a) ", ";; esac"),
        ("case a in a) ", " esac"),
        ("f() { ", "; }"),
        ("eval ", ""),
        ("sudo ", ""),
        ("bash -c '", "'"),
        ("! ", ""),
        ("time ", ""),
        ("coproc ", ""),
        ("{a,", "}"),
        ("x=", ""),
        ("<", ""),
        ("<<E\n", "\nE\n"),
        ("xargs ", ""),
        ("-- ", ""),
        ("a | ", ""),
        ("a && ", ""),
        ("$x", ""),
        ("\\", ""),
        ("env -S ", ""),
        ("\\\n", ""),
        ("[", "]"),
        ("${", "}"),
        ("~", ""),
        ("{1..9}", ""),
        ("trap '", "' EXIT"),
    ] {
        for count in [30, 1000, 3000] {
            answered(&format!("{}x{}", open.repeat(count), close.repeat(count)));
            answered(&open.repeat(count));
            answered(&format!("{}{}", "x ".repeat(10), close.repeat(count)));
        }
    }
}

/// Short texts that stand for very much.
#[test]
fn multiplying_texts_are_bounded() {
    let mut growing = String::from("x=aaaaaaaaaaaaaaaa;");
    for _ in 0..40 {
        growing.push_str("x=$x$x$x$x;");
    }
    answered(&growing);
    let calls: String = (0..30).map(|index| format!("f{index}() {{ f{}; f{}; }};", index + 1, index + 1)).collect();
    answered(&format!("{calls} f0"));
    let loops = "for i in 1 2; do x=$x$i; ".repeat(20) + "ls" + &"; done".repeat(20);
    answered(&loops);
    answered(&format!("x=(a b c); echo {}", "${x[@]}".repeat(2000)));
    answered(&"alias a='a a'\na\n".repeat(500));
    answered(&format!("echo {}", "${x:-${y:-$(echo z)}}".repeat(500)));
    let nested = (0..6).fold("rm -rf /".to_owned(), |inner, _| format!("bash -c {}", quoted(&inner)));
    answered(&nested);
}

fn quoted(text: &str) -> String {
    format!("'{}'", text.replace('\'', "'\\''"))
}

#[test]
fn a_megabyte_is_refused_at_once() {
    for unit in ["a", "rm -rf / ; ", "$(", "'", "é", "\n", "{a,b}"] {
        let (class, taken) = timed(&unit.repeat((1 << 20) / unit.len()));
        assert_eq!(class, Class::Floor, "{unit}");
        assert!(taken < Duration::from_secs(1), "{taken:?} for {unit}");
    }
}

/// Ten times the text takes about ten times as long. The bound is generous, because the machine
/// is shared: what it catches is a square.
#[test]
fn time_grows_with_the_text_and_no_faster() {
    for unit in [
        "echo hello world; ",
        "a=b; ",
        "ls | ",
        "echo 'quoted text' \"and $this\" ",
        "if true; then ls; fi; ",
        "# comment\n",
        "x=$(echo a); ",
        "cat <<E\nsome data here\nE\n",
        "rm -f a b c\n",
        "case x in a) b;; esac\n",
        "{ ls; } > x; ",
        "( ls ); ",
        "f() { ls; }; ",
        "echo ${x:-y} ",
        "[[ a == b ]] && ",
    ] {
        let measure = |size: usize| {
            let text = unit.repeat(size / unit.len()) + "true";
            (0..3).map(|_| timed(&text).1).min().unwrap_or_default()
        };
        let (small, large) = (measure(10_000), measure(100_000));
        assert!(large < small * 40 + Duration::from_millis(50), "{unit:?}: {small:?} for 10 kB, {large:?} for 100 kB");
    }
}
