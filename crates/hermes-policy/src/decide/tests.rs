//! Every cell of both matrices against a table that was written from the contract, not from the
//! code; and each row of the contract by its name.

use hermes_proto::consent::Reach::{self, Nobody, Person};
use hermes_proto::turn::Surface;

use super::{
    Absence, Answer, Bypass, Decision, Denied, First, Mode, Remembered, SandboxTrust, Situation, Unattended, Why,
    decide, decide_script,
};
use crate::{Class, Isolation};

/// What a row of the tables looks at, in this order:
/// denied, class, bypass, mode, remembered, isolation, trust, surface, answer there, reach.
/// `.` stands for anything; the first row that fits decides.
type Row = (&'static str, &'static str);

const COMMANDS: &[Row] = &[
    ("named .     .       .      .          .         .       .            .       .     ", "refuse deny-list"),
    (".     floor .       .      .          .         .       .            .       .     ", "refuse floor"),
    (".     allow .       .      .          .         .       .            .       .     ", "run nothing-found"),
    (".     .     process .      .          .         .       .            .       .     ", "run yolo-process"),
    (".     .     session .      .          .         .       .            .       .     ", "run yolo-session"),
    (".     .     .       off    .          .         .       .            .       .     ", "run mode-off"),
    (".     .     .       .      everything .         .       .            .       .     ", "run remembered"),
    (".     .     .       .      .          container .       .            .       .     ", "run container"),
    (".     .     .       .      .          sandbox   trusted .            .       .     ", "run trusted-sandbox"),
    (".     .     .       .      .          .         .       cron         approve .     ", "run cron-mode"),
    (".     .     .       .      .          .         .       cron         deny    .     ", "refuse cron-mode"),
    (".     .     .       .      .          .         .       single-query approve .     ", "run single-query-mode"),
    (".     .     .       .      .          .         .       single-query deny    .     ", "refuse single-query-mode"),
    (".     .     .       .      .          .         .       unattended   approve .     ", "run unattended-mode"),
    (".     .     .       .      .          .         .       unattended   deny    .     ", "refuse unattended-mode"),
    (".     .     .       .      .          .         .       headless     approve .     ", "run headless-mode"),
    (".     .     .       .      .          .         .       headless     deny    .     ", "refuse headless-mode"),
    (".     .     .       .      .          .         .       .            .       nobody", "refuse nobody-to-ask"),
    (".     .     .       smart  .          .         .       .            .       person", "ask reviewer"),
    (".     .     .       manual .          .         .       .            .       person", "ask person"),
];

const SCRIPTS: &[Row] = &[
    ("named .     .       .      .          .         .       .            .       .     ", "refuse deny-list"),
    (".     floor .       .      .          .         .       .            .       .     ", "refuse floor"),
    (".     .     .       .      .          container .       .            .       .     ", "run container"),
    (".     .     .       .      .          sandbox   trusted .            .       .     ", "run trusted-sandbox"),
    (".     .     process .      .          .         .       .            .       .     ", "run yolo-process"),
    (".     .     session .      .          .         .       .            .       .     ", "run yolo-session"),
    (".     .     .       off    .          .         .       .            .       .     ", "run mode-off"),
    (".     .     .       .      .          .         .       cron         approve .     ", "run cron-mode"),
    (".     .     .       .      .          .         .       cron         deny    .     ", "refuse cron-mode"),
    (".     .     .       .      .          .         .       single-query approve .     ", "run single-query-mode"),
    (".     .     .       .      .          .         .       single-query deny    .     ", "refuse single-query-mode"),
    (".     .     .       .      .          .         .       unattended   approve .     ", "run unattended-mode"),
    (".     .     .       .      .          .         .       unattended   deny    .     ", "refuse unattended-mode"),
    (".     .     .       .      .          .         .       interactive  .       .     ", "run calls-are-guarded"),
    (".     .     .       .      .          .         .       headless     approve .     ", "run headless-mode"),
    (".     .     .       .      .          .         .       headless     deny    .     ", "refuse headless-mode"),
    (".     .     .       .      .          .         .       .            .       nobody", "refuse nobody-to-ask"),
    (".     .     .       smart  .          .         .       .            .       person", "ask reviewer"),
    (".     .     .       manual .          .         .       .            .       person", "ask person"),
];

/// The words that rows are compared with.
fn words(cell: &Situation) -> [&'static str; 10] {
    let answer = match cell.surface {
        Surface::Cron => cell.unattended.cron,
        Surface::SingleQuery => cell.unattended.single_query,
        Surface::Unattended => cell.unattended.unattended,
        _ => cell.unattended.headless,
    };
    let pick = |is: bool, yes, no| if is { yes } else { no };
    [
        pick(cell.denied == Denied::Named, "named", "not-named"),
        cell.class.name(),
        match cell.bypass {
            Bypass::None => "none",
            Bypass::Process => "process",
            Bypass::Session => "session",
        },
        match cell.mode {
            Mode::Manual => "manual",
            Mode::Smart => "smart",
            Mode::Off => "off",
        },
        pick(cell.remembered == Remembered::Everything, "everything", "not-all"),
        match cell.isolation {
            Isolation::Container => "container",
            Isolation::ContainerWithHostMount => "host-mount",
            Isolation::Sandbox => "sandbox",
            Isolation::None => "nothing",
        },
        pick(cell.sandbox == SandboxTrust::Trusted, "trusted", "guarded"),
        cell.surface.name(),
        pick(answer == Answer::Approve, "approve", "deny"),
        pick(cell.reach == Person, "person", "nobody"),
    ]
}

fn told(decision: Decision) -> String {
    match decision {
        Decision::Run(why) => format!("run {}", why.word()),
        Decision::Refuse(why) => format!("refuse {}", why.word()),
        Decision::Ask(First::Person) => "ask person".to_owned(),
        Decision::Ask(First::ReviewerThenPerson) => "ask reviewer".to_owned(),
    }
}

const ANSWERS: [Answer; 2] = [Answer::Deny, Answer::Approve];

fn unattended() -> Vec<Unattended> {
    let mut all = Vec::new();
    for cron in ANSWERS {
        for single_query in ANSWERS {
            for unattended in ANSWERS {
                all.extend(ANSWERS.map(|headless| Unattended { cron, single_query, unattended, headless }));
            }
        }
    }
    all
}

/// All values of one word of a situation, applied to all cells so far.
fn each<T: Copy>(cells: Vec<Situation>, values: &[T], set: fn(&mut Situation, T)) -> Vec<Situation> {
    let filled = |cell: Situation, value: T| {
        let mut cell = cell;
        set(&mut cell, value);
        cell
    };
    cells.into_iter().flat_map(|cell| values.iter().map(move |value| filled(cell, *value))).collect()
}

fn cells() -> Vec<Situation> {
    let cells = vec![at(Surface::Headless)];
    let cells = each(cells, &[Denied::Named, Denied::NotNamed], |cell, value| cell.denied = value);
    let cells = each(cells, &[Class::Floor, Class::Ask, Class::Allow], |cell, value| cell.class = value);
    let cells = each(cells, &Surface::ALL, |cell, value| cell.surface = value);
    let cells = each(cells, &[Person, Nobody], |cell, value| cell.reach = value);
    let cells = each(cells, &[Mode::Manual, Mode::Smart, Mode::Off], |cell, value| cell.mode = value);
    let cells = each(cells, &Isolation::ALL, |cell, value| cell.isolation = value);
    let cells = each(cells, &[SandboxTrust::Guarded, SandboxTrust::Trusted], |cell, value| cell.sandbox = value);
    let cells = each(cells, &[Remembered::Everything, Remembered::NotAll], |cell, value| cell.remembered = value);
    let cells = each(cells, &[Bypass::None, Bypass::Process, Bypass::Session], |cell, value| cell.bypass = value);
    each(cells, &unattended(), |cell, value| cell.unattended = value)
}

/// Holds a function to its table, cell by cell; every row decides somewhere.
fn check(table: &[Row], decide: fn(&Situation) -> Decision) {
    let rows: Vec<(Vec<&str>, &str)> =
        table.iter().map(|(row, expected)| (row.split_whitespace().collect(), *expected)).collect();
    let cells = cells();
    assert_eq!(cells.len(), 2 * 3 * 7 * 2 * 3 * 4 * 2 * 2 * 3 * 16);
    let mut used = vec![0_usize; rows.len()];
    for cell in &cells {
        let words = words(cell);
        let fits =
            |row: &[&str]| row.len() == 10 && row.iter().zip(words).all(|(want, is)| *want == "." || *want == is);
        let row = rows.iter().position(|(row, _)| fits(row)).unwrap_or_else(|| panic!("no row for {words:?}"));
        used[row] += 1;
        assert_eq!(told(decide(cell)), rows[row].1, "{words:?}");
    }
    let idle: Vec<_> = used.iter().zip(table).filter(|(count, _)| **count == 0).collect();
    assert!(idle.is_empty(), "rows that decide nothing: {idle:?}");
}

#[test]
fn every_cell_of_the_matrix_for_commands() {
    check(COMMANDS, decide);
}

#[test]
fn every_cell_of_the_matrix_for_scripts() {
    check(SCRIPTS, decide_script);
}

/// Said without any table: what must never happen, whatever else is true.
#[test]
fn no_cell_breaks_a_promise() {
    for cell in cells() {
        for decision in [decide(&cell), decide_script(&cell)] {
            if cell.class == Class::Floor || cell.denied == Denied::Named {
                assert_eq!(decision.name(), "refuse", "{cell:?}");
            }
            if cell.reach == Nobody {
                assert_ne!(decision.name(), "ask", "{cell:?}");
            }
            if cell.mode == Mode::Smart {
                let manual = Situation { mode: Mode::Manual, ..cell };
                let by_person = if decision == decide(&cell) { decide(&manual) } else { decide_script(&manual) };
                assert!(decision.name() != "run" || by_person.name() == "run", "a model alone let it run: {cell:?}");
            }
        }
        let forgotten = Situation { remembered: Remembered::NotAll, ..cell };
        assert_eq!(decide_script(&cell), decide_script(&forgotten), "a script was remembered");
    }
}

/// Flagged, nothing configured, nothing remembered, a person in reach.
fn at(surface: Surface) -> Situation {
    Situation {
        class: Class::Ask,
        surface,
        reach: Person,
        mode: Mode::Manual,
        isolation: Isolation::None,
        sandbox: SandboxTrust::Guarded,
        remembered: Remembered::NotAll,
        bypass: Bypass::None,
        unattended: Unattended::DENY,
        denied: Denied::NotNamed,
    }
}

fn reached(surface: Surface, reach: Reach) -> Situation {
    Situation { reach, ..at(surface) }
}

#[test]
fn cli_interactive_prompts() {
    assert_eq!(decide(&at(Surface::Interactive)), Decision::Ask(First::Person));
    assert_eq!(decide(&reached(Surface::Interactive, Nobody)), Decision::Refuse(Why::NobodyToAsk));
}

#[test]
fn gateway_with_a_notifier_asks() {
    assert_eq!(decide(&at(Surface::Gateway)), Decision::Ask(First::Person));
    let smart = Situation { mode: Mode::Smart, ..at(Surface::Gateway) };
    assert_eq!(decide(&smart), Decision::Ask(First::ReviewerThenPerson));
}

#[test]
fn gateway_or_ask_without_a_notifier_refuses() {
    for surface in [Surface::Gateway, Surface::Ask] {
        for mode in [Mode::Manual, Mode::Smart] {
            let cell = Situation { mode, ..reached(surface, Nobody) };
            assert_eq!(decide(&cell), Decision::Refuse(Why::NobodyToAsk), "{cell:?}");
        }
    }
}

#[test]
fn ask_goes_the_way_of_the_gateway() {
    for reach in [Person, Nobody] {
        assert_eq!(decide(&reached(Surface::Ask, reach)), decide(&reached(Surface::Gateway, reach)));
    }
}

#[test]
fn cron_single_query_unattended_and_headless_deny_until_configured() {
    for (surface, absence) in [
        (Surface::Cron, Absence::Cron),
        (Surface::SingleQuery, Absence::SingleQuery),
        (Surface::Unattended, Absence::Unattended),
        (Surface::Headless, Absence::Headless),
    ] {
        assert_eq!(decide(&at(surface)), Decision::Refuse(Why::Answered(absence, Answer::Deny)));
        let mut approving = at(surface);
        match absence {
            Absence::Cron => approving.unattended.cron = Answer::Approve,
            Absence::SingleQuery => approving.unattended.single_query = Answer::Approve,
            Absence::Unattended => approving.unattended.unattended = Answer::Approve,
            Absence::Headless => approving.unattended.headless = Answer::Approve,
        }
        assert_eq!(decide(&approving), Decision::Run(Why::Answered(absence, Answer::Approve)));
        let unflagged = Situation { class: Class::Allow, ..at(surface) };
        assert_eq!(decide(&unflagged), Decision::Run(Why::NothingFound));
    }
}

/// A model's approval is no consent where the configuration denies.
#[test]
fn a_reviewer_overrides_no_configured_denial() {
    let cell = Situation { mode: Mode::Smart, ..at(Surface::Cron) };
    assert_eq!(decide(&cell), Decision::Refuse(Why::Answered(Absence::Cron, Answer::Deny)));
}

#[test]
fn an_isolated_container_asks_nobody_and_keeps_floor_and_deny_list() {
    let inside = Situation { isolation: Isolation::Container, ..at(Surface::Headless) };
    assert_eq!(decide(&inside), Decision::Run(Why::Container));
    assert_eq!(decide(&Situation { class: Class::Floor, ..inside }), Decision::Refuse(Why::Floor));
    assert_eq!(decide(&Situation { denied: Denied::Named, ..inside }), Decision::Refuse(Why::DenyList));
    let mounted = Situation { isolation: Isolation::ContainerWithHostMount, ..at(Surface::Gateway) };
    assert_eq!(decide(&mounted), Decision::Ask(First::Person));
}

#[test]
fn the_sandbox_is_asked_about_until_it_is_trusted() {
    let inside = Situation { isolation: Isolation::Sandbox, ..at(Surface::Gateway) };
    assert_eq!(decide(&inside), Decision::Ask(First::Person));
    let trusted = Situation { sandbox: SandboxTrust::Trusted, ..inside };
    assert_eq!(decide(&trusted), Decision::Run(Why::TrustedSandbox));
    let outside = Situation { isolation: Isolation::None, ..trusted };
    assert_eq!(decide(&outside), Decision::Ask(First::Person));
}

#[test]
fn words_and_sentences_are_different_for_different_reasons() {
    let mut all = vec![
        Why::DenyList,
        Why::Floor,
        Why::NothingFound,
        Why::YoloProcess,
        Why::YoloSession,
        Why::ModeOff,
        Why::Remembered,
        Why::Container,
        Why::TrustedSandbox,
        Why::NobodyToAsk,
        Why::CallsAreGuarded,
    ];
    all.extend(Absence::ALL.iter().flat_map(|absence| ANSWERS.map(|answer| Why::Answered(*absence, answer))));
    let sentences: std::collections::HashSet<_> = all.iter().map(|why| why.sentence()).collect();
    assert_eq!(sentences.len(), all.len());
    for absence in Absence::ALL {
        for answer in ANSWERS {
            assert!(Why::Answered(absence, answer).sentence().contains(absence.setting()));
        }
    }
}
