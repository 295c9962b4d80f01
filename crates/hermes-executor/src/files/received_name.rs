//! What a file is called here that somebody else has named.
//!
//! A model writes the name into a command, not always in quotes: `a; rm -rf ~` or `$(x)` must not survive in it, nor what a program
//! takes for an option, a hidden file or another folder.

/// Bytes of a name, with room for a number.
const LONGEST: usize = 120;
/// When there is nothing left of a name.
const NAMELESS: &str = "file";

/// A name of letters, digits, dots, dashes and underscores that is nothing else.
pub(super) fn safe(sent: &str) -> String {
    let last = sent.rsplit(['/', '\\']).next().unwrap_or_default();
    let clean: String = last.chars().map(|c| if is_plain(c) { c } else { '_' }).collect();
    let clean = clean.trim_start_matches(['.', '-', '_']).trim_end_matches(['.', '_']);
    // The end of a name says what kind of file it is.
    let excess = clean.len().saturating_sub(LONGEST);
    let start = (excess..=clean.len()).find(|index| clean.is_char_boundary(*index)).unwrap_or(clean.len());
    match clean[start..].trim_start_matches(['.', '-', '_']) {
        "" => NAMELESS.to_owned(),
        name => name.to_owned(),
    }
}

/// The name of the file that has this number among those of one name.
pub(super) fn numbered(name: &str, number: usize) -> String {
    match (number, name.rsplit_once('.')) {
        (1, _) => name.to_owned(),
        (_, Some((stem, ending))) if !stem.is_empty() => format!("{stem}-{number}.{ending}"),
        _ => format!("{name}-{number}"),
    }
}

fn is_plain(c: char) -> bool {
    c.is_alphanumeric() || matches!(c, '.' | '-' | '_')
}

#[cfg(test)]
mod tests {
    use super::{LONGEST, numbered, safe};

    #[test]
    fn a_hostile_name_becomes_a_plain_one() {
        let check = |sent: &str, name: &str| assert_eq!(safe(sent), name, "{sent:?}");
        check("report.pdf", "report.pdf");
        check("Größe 1.csv", "Größe_1.csv");
        check("../../.ssh/authorized_keys", "authorized_keys");
        check("..\\..\\boot.ini", "boot.ini");
        check("/etc/passwd", "passwd");
        check("a/..", "file");
        check("a/", "file");
        check("", "file");
        check("...", "file");
        check(".bashrc", "bashrc");
        check("-rf", "rf");
        check("--help .txt", "help_.txt");
        check("$(id).txt", "id_.txt");
        check("a; rm -rf ~", "a__rm_-rf");
        check("a`id`|b&c>d\"e'f", "a_id__b_c_d_e_f");
        check("a\0b\nc\u{1b}[2Jd", "a_b_c__2Jd");
        check("in\u{202e}gpj.exe", "in_gpj.exe");
        check("*", "file");
    }

    #[test]
    fn a_long_name_keeps_its_end() {
        for letter in ["x", "ö", "-", "."] {
            let name = safe(&format!("{}.png", letter.repeat(500)));
            assert!(name.len() <= LONGEST && name.ends_with("png") && !name.starts_with(['.', '-']), "{name}");
        }
    }

    #[test]
    fn a_number_stands_before_the_ending() {
        let check = |name: &str, number, expected: &str| assert_eq!(numbered(name, number), expected);
        check("a.txt", 1, "a.txt");
        check("a.txt", 2, "a-2.txt");
        check("a", 3, "a-3");
    }
}
