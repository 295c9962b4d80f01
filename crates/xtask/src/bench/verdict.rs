//! How long a verdict on a command takes, against the bare parse of the same text.

use std::hint::black_box;
use std::time::{Duration, Instant};

use anyhow::ensure;
use hermes_policy::{Context, judge};

use super::Bench;
use super::table::{Figure, Limit, Row};

const ROUNDS: usize = 40;
const MEDIAN: Limit = Limit::Time(Duration::from_micros(20));
const NINETY_NINTH: Limit = Limit::Time(Duration::from_micros(200));

/// The corpus that the policy's own tests are held to.
const CORPUS: &[&str] = &[
    include_str!("../../../hermes-policy/tests/corpus/floor.txt"),
    include_str!("../../../hermes-policy/tests/corpus/ask.txt"),
    include_str!("../../../hermes-policy/tests/corpus/allow.txt"),
];

pub(super) fn measure(_: &Bench) -> anyhow::Result<Vec<Row>> {
    let commands = commands();
    ensure!(commands.len() > 900, "only {} commands in the corpus", commands.len());
    let context = Context {
        home: Some("/home/ann".to_owned()),
        hermes_home: Some("/home/ann/.hermes".to_owned()),
        folder: Some("/home/ann/work".to_owned()),
        ..Context::default()
    };
    let (mut verdicts, mut parses) = (Vec::new(), Vec::new());
    for command in &commands {
        let (mut verdict, mut bare) = (Duration::MAX, Duration::MAX);
        // Alternately, and the best of the rounds: the machine's other work is not the subject.
        for _ in 0..ROUNDS {
            bare = bare.min(timed(|| parse(command)));
            verdict = verdict.min(timed(|| judge(command, &context)));
        }
        verdicts.push(verdict);
        parses.push(bare);
    }
    verdicts.sort_unstable();
    parses.sort_unstable();
    Ok([("verdict, median", 50, MEDIAN), ("verdict, 99th percentile", 99, NINETY_NINTH)]
        .map(|(what, percent, limit)| Row {
            what: what.to_owned(),
            figure: Figure::Time(at(&verdicts, percent)),
            baseline_name: "bare parse",
            baseline: Figure::Time(at(&parses, percent)),
            limit,
        })
        .into())
}

fn commands() -> Vec<String> {
    let lines = CORPUS.iter().flat_map(|text| text.lines()).filter(|line| !line.starts_with('#'));
    lines.map(|line| line.rsplit('\t').next().unwrap_or(line).replace('⏎', "\n")).collect()
}

fn parse(text: &str) -> bool {
    let tokens = brush_parser::uncached_tokenize_str(text, &brush_parser::TokenizerOptions::default());
    tokens.is_ok_and(|tokens| brush_parser::parse_tokens(&tokens, &brush_parser::ParserOptions::default()).is_ok())
}

fn timed<T>(work: impl Fn() -> T) -> Duration {
    let start = Instant::now();
    black_box(work());
    start.elapsed()
}

fn at(sorted: &[Duration], percent: usize) -> Duration {
    sorted[(sorted.len() * percent / 100).min(sorted.len() - 1)]
}
