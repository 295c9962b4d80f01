//! Sizes as people read them.

const UNITS: [&str; 5] = ["bytes", "KiB", "MiB", "GiB", "TiB"];

/// A number of bytes, such as `1.5 MiB`.
pub(in crate::commands) fn human(bytes: u64) -> String {
    let mut value = bytes as f64;
    let mut unit = 0;
    while value >= 1024.0 && unit + 1 < UNITS.len() {
        value /= 1024.0;
        unit += 1;
    }
    if unit == 0 { format!("{bytes} {}", UNITS[0]) } else { format!("{value:.1} {}", UNITS[unit]) }
}

/// A size and a number of files, such as `1.5 MiB in 3 files`.
pub(super) fn human_in_files(bytes: u64, files: u64) -> String {
    let noun = if files == 1 { "file" } else { "files" };
    format!("{} in {files} {noun}", human(bytes))
}

#[cfg(test)]
mod tests {
    use super::human;

    #[test]
    fn sizes_are_rounded_to_the_largest_fitting_unit() {
        for (bytes, expected) in
            [(0, "0 bytes"), (1023, "1023 bytes"), (1024, "1.0 KiB"), (1536 * 1024, "1.5 MiB"), (4 << 30, "4.0 GiB")]
        {
            assert_eq!(human(bytes), expected);
        }
    }
}
