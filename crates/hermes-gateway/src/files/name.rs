//! What a file is called where it arrives. The agent chose the path, and perhaps a stranger told it to.

/// Characters of a name.
const LONGEST: usize = 120;
/// When there is nothing left of a name.
const NAMELESS: &str = "file";

/// The name of the file at the end of a path: no folder, nothing that turns text around, not too long.
pub(super) fn name_of(path: &str) -> String {
    let last = path.rsplit(['/', '\\']).next().unwrap_or_default();
    let clean: String = last.chars().filter(|c| !is_deceiving(*c)).collect();
    let clean = clean.trim().trim_start_matches('.');
    let excess = clean.chars().count().saturating_sub(LONGEST);
    // The end of a name says what kind of file it is.
    let short: String = clean.chars().skip(excess).collect();
    if short.is_empty() { NAMELESS.to_owned() } else { short }
}

/// Control characters, and those that are not seen but change what is.
fn is_deceiving(c: char) -> bool {
    c.is_control()
        || matches!(c, '\u{ad}' | '\u{61c}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}')
}

/// What kind of file a name says it is.
pub(super) fn media_type_of(name: &str) -> &'static str {
    let ending = name.rsplit_once('.').map(|(_, ending)| ending.to_ascii_lowercase()).unwrap_or_default();
    match ending.as_str() {
        "png" => "image/png",
        "jpg" | "jpeg" => "image/jpeg",
        "gif" => "image/gif",
        "webp" => "image/webp",
        "svg" => "image/svg+xml",
        "mp4" => "video/mp4",
        "webm" => "video/webm",
        "mov" => "video/quicktime",
        "mp3" => "audio/mpeg",
        "ogg" | "oga" | "opus" => "audio/ogg",
        "wav" => "audio/wav",
        "m4a" => "audio/mp4",
        "pdf" => "application/pdf",
        "zip" => "application/zip",
        "json" => "application/json",
        "csv" => "text/csv",
        "html" | "htm" => "text/html",
        "md" => "text/markdown",
        "txt" | "log" => "text/plain",
        _ => "application/octet-stream",
    }
}

#[cfg(test)]
mod tests {
    use super::{LONGEST, media_type_of, name_of};

    #[test]
    fn a_name_is_a_name() {
        let check = |path: &str, name: &str| assert_eq!(name_of(path), name, "{path:?}");
        check("/tmp/chart.png", "chart.png");
        check("report 1.pdf", "report 1.pdf");
        check("/a/..", "file");
        check("/a/", "file");
        check("C:\\x\\y.txt", "y.txt");
        check("/tmp/.bashrc", "bashrc");
        check("/tmp/in\u{202e}gpj.exe", "ingpj.exe");
        check("/tmp/a\nb\u{1b}[2J", "ab[2J");
        let long = name_of(&format!("/{}.png", "x".repeat(500)));
        assert!(long.chars().count() == LONGEST && long.ends_with(".png"));
    }

    #[test]
    fn its_ending_says_what_it_is() {
        assert_eq!(media_type_of("A.PNG"), "image/png");
        assert_eq!(media_type_of("no-ending"), "application/octet-stream");
    }
}
