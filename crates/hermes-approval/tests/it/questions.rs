//! What a person reads before answering.

use std::time::Duration;

use hermes_approval::{Style, render};
use hermes_proto::consent::{ActionKind, ConsentRequest, Finding, Offer, Scope};

fn request(action: &str, about: &str) -> ConsentRequest {
    ConsentRequest {
        request: "r".to_owned(),
        kind: ActionKind::Command,
        action: action.to_owned(),
        place: "local sandbox".to_owned(),
        findings: vec![Finding {
            key: "git-push-force".to_owned(),
            reason: "overwrites history".to_owned(),
            about: about.to_owned(),
        }],
        offers: vec![
            Offer { scope: Scope::Once, allows: "this, now".to_owned() },
            Offer { scope: Scope::Always, allows: "for good: exactly this".to_owned() },
        ],
        patience: Duration::from_secs(300),
    }
}

#[test]
fn it_says_what_where_why_and_what_each_choice_allows() {
    let text = render(&request("cd x &&\ngit push -f", "git push -f"), Style::terminal(80));
    let expected = "\
This command needs your consent.

    cd x &&
    git push -f

where: local sandbox
why: overwrites history (git-push-force)
    in: git push -f

once     this, now
always   for good: exactly this
deny     it does not run
";
    assert_eq!(text, expected);
}

#[test]
fn nothing_in_it_can_move_the_cursor_or_turn_the_line() {
    let hostile = "echo safe \u{1b}[2K\rgit push\u{202e} -f\u{200b}";
    let mut request = request(hostile, hostile);
    request.place = "here\nwhy: nothing".to_owned();
    request.offers[0].allows = format!("exactly {hostile}\n");
    request.findings[0].reason = "a\u{7}b".to_owned();
    let text = render(&request, Style::CHAT);
    assert!(text.contains("echo safe \\x1b[2K\\rgit push\\u{202e} -f\\u{200b}\n"), "{text}");
    assert!(text.contains("where: here\\nwhy: nothing\n"), "{text}");
    let is_plain = |letter: char| letter == '\n' || (letter == ' ' || letter.is_ascii_graphic());
    assert_eq!(text.chars().find(|letter| !is_plain(*letter)), None, "{text}");
}

#[test]
fn of_a_long_command_head_tail_and_what_was_flagged_are_always_there() {
    let mut lines: Vec<String> = (0..500).map(|number| format!("echo line {number}")).collect();
    lines[250] = "git push --force origin main".to_owned();
    let text = render(&request(&lines.join("\n"), "git push --force origin main"), Style::CHAT);
    for part in
        ["echo line 0\n", "echo line 9\n", "[… 480 lines are not shown …]", "echo line 490\n", "echo line 499\n"]
    {
        assert!(text.contains(part), "{part} in {text}");
    }
    assert!(!text.contains("echo line 10\n") && !text.contains("echo line 489\n"), "{text}");
    assert!(text.contains("    in: git push --force origin main\n"), "{text}");

    let wide = format!("git push --force {} main", "x".repeat(5000));
    let text = render(&request(&wide, &wide), Style::terminal(80));
    assert!(text.contains("    git push --force xxx") && text.contains("characters are not shown …] x"), "{text}");
    assert!(text.contains("x main\n") && text.len() < 3000, "{}", text.len());
}
