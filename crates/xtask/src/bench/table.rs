//! How results are shown: what, figure, baseline, ratio, and the limit it must keep.

use std::fmt;
use std::time::Duration;

/// A measured quantity.
#[derive(Debug, Clone, Copy)]
pub(super) enum Figure {
    Time(Duration),
    Bytes(u64),
    Count(u64),
}

/// What the result is held to.
#[derive(Debug, Clone, Copy)]
pub(super) enum Limit {
    /// At most this many times the baseline.
    Ratio(f64),
    /// At most this much more than the baseline.
    Difference(Duration),
    /// At most this long, whatever the baseline.
    Time(Duration),
    /// At most this many bytes, whatever the baseline.
    Bytes(u64),
    /// At most this many, whatever the baseline.
    Count(u64),
    /// Shown for comparison only.
    None,
}

/// One line of the table.
#[derive(Debug)]
pub(super) struct Row {
    pub(super) what: String,
    pub(super) figure: Figure,
    pub(super) baseline_name: &'static str,
    pub(super) baseline: Figure,
    pub(super) limit: Limit,
}

impl Figure {
    fn number(self) -> f64 {
        match self {
            Self::Time(time) => time.as_secs_f64(),
            Self::Bytes(bytes) => bytes as f64,
            Self::Count(count) => count as f64,
        }
    }
}

impl fmt::Display for Figure {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let text = match self {
            Self::Time(time) if *time < Duration::from_millis(1) => format!("{:.1} µs", time.as_secs_f64() * 1e6),
            Self::Time(time) => format!("{:.3} ms", time.as_secs_f64() * 1e3),
            Self::Bytes(bytes) => format!("{:.2} MB", *bytes as f64 / 1e6),
            Self::Count(count) => count.to_string(),
        };
        formatter.pad(&text)
    }
}

impl fmt::Display for Limit {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let text = match self {
            Self::Ratio(ratio) => format!("{ratio}x"),
            Self::Difference(time) => format!("+{}", Figure::Time(*time)),
            Self::Time(time) => Figure::Time(*time).to_string(),
            Self::Count(count) => count.to_string(),
            Self::None => "-".to_owned(),
            Self::Bytes(bytes) => Figure::Bytes(*bytes).to_string(),
        };
        formatter.pad(&text)
    }
}

impl Row {
    /// Nothing compared with nothing is as much.
    fn ratio(&self) -> f64 {
        if self.figure.number() == self.baseline.number() { 1.0 } else { self.figure.number() / self.baseline.number() }
    }

    pub(super) fn is_within_its_limit(&self) -> bool {
        match self.limit {
            Limit::Ratio(limit) => self.ratio() <= limit,
            Limit::Difference(limit) => self.figure.number() - self.baseline.number() <= limit.as_secs_f64(),
            Limit::Time(limit) => self.figure.number() <= limit.as_secs_f64(),
            Limit::Count(limit) => self.figure.number() <= limit as f64,
            Limit::None => true,
            Limit::Bytes(limit) => self.figure.number() <= limit as f64,
        }
    }
}

#[expect(clippy::print_stdout, reason = "the table is this command's answer")]
pub(super) fn print(rows: &[Row]) {
    let width = rows.iter().map(|row| row.what.len()).max().unwrap_or_default();
    println!("{:width$}  {:>11}  {:>38}  {:>7}  {:>10}", "what", "figure", "baseline", "ratio", "limit");
    for row in rows {
        let baseline = format!("{} {}", row.baseline_name, row.baseline);
        let verdict = if row.is_within_its_limit() { "ok" } else { "MISSED" };
        println!(
            "{:width$}  {:>11}  {baseline:>38}  {:>6.2}x  {:>10}  {verdict}",
            row.what,
            row.figure,
            row.ratio(),
            row.limit
        );
    }
}
