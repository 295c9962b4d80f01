//! What a file's first bytes say about it: text, or which kind of binary.
//!
//! A model that is shown a picture's bytes as text learns nothing and pays for it.

/// Bytes that are looked at.
pub(super) const HEAD: usize = 8 * 1024;

/// What a file holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ContentKind {
    /// UTF-8 or something near it.
    Text,
    /// UTF-8 after a byte order mark.
    MarkedText,
    /// UTF-16 after a byte order mark.
    Utf16,
    /// Not text; what it looks like.
    Binary(&'static str),
}

/// Judges by the first bytes of a file, [`HEAD`] of them if there are as many.
pub(super) fn content_kind(head: &[u8]) -> ContentKind {
    if let Some((_, name)) = SIGNATURES.iter().find(|(signature, _)| signature.fits(head)) {
        return ContentKind::Binary(name);
    }
    if head.starts_with(b"\xef\xbb\xbf") && !head.contains(&0) {
        return ContentKind::MarkedText;
    }
    // UTF-32 begins with the mark of UTF-16 and goes on with nuls.
    if (head.starts_with(b"\xff\xfe") && !head.starts_with(b"\xff\xfe\0\0")) || head.starts_with(b"\xfe\xff") {
        return ContentKind::Utf16;
    }
    if !head.contains(&0) {
        return ContentKind::Text;
    }
    let weak = WEAK_SIGNATURES.iter().find(|(signature, _)| signature.fits(head));
    ContentKind::Binary(weak.map_or("unknown data with nul bytes", |(_, name)| name))
}

/// Bytes at a place.
struct Signature(usize, &'static [u8]);

impl Signature {
    fn fits(&self, head: &[u8]) -> bool {
        head.get(self.0..).is_some_and(|rest| rest.starts_with(self.1))
    }
}

/// No text begins like this.
const SIGNATURES: &[(Signature, &str)] = &[
    (Signature(0, b"\x89PNG\r\n\x1a\n"), "PNG picture"),
    (Signature(0, b"\xff\xd8\xff"), "JPEG picture"),
    (Signature(0, b"GIF87a"), "GIF picture"),
    (Signature(0, b"GIF89a"), "GIF picture"),
    (Signature(8, b"WEBPVP8"), "WebP picture"),
    (Signature(0, b"II*\0"), "TIFF picture"),
    (Signature(0, b"MM\0*"), "TIFF picture"),
    (Signature(0, b"\x7fELF"), "ELF program or library"),
    (Signature(0, b"\0asm"), "WebAssembly module"),
    (Signature(0, b"\xca\xfe\xba\xbe"), "Java class or Mach-O program"),
    (Signature(0, b"\xcf\xfa\xed\xfe"), "Mach-O program"),
    (Signature(0, b"PK\x03\x04"), "zip archive, or a document or package made of one"),
    (Signature(0, b"PK\x05\x06"), "empty zip archive"),
    (Signature(0, b"\x1f\x8b\x08"), "gzip data"),
    (Signature(0, b"\xfd7zXZ\0"), "xz data"),
    (Signature(0, b"\x28\xb5\x2f\xfd"), "zstd data"),
    (Signature(4, b"1AY&SY"), "bzip2 data"),
    (Signature(0, b"7z\xbc\xaf\x27\x1c"), "7z archive"),
    (Signature(0, b"Rar!\x1a\x07"), "rar archive"),
    (Signature(0, b"!<arch>\n"), "static library or Debian package"),
    (Signature(257, b"ustar"), "tar archive"),
    (Signature(0, b"%PDF-"), "PDF document"),
    (Signature(0, b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"), "old Office document"),
    (Signature(0, b"SQLite format 3\0"), "SQLite database"),
    (Signature(0, b"\x89HDF\r\n\x1a\n"), "HDF5 data"),
    (Signature(0, b"OggS\0"), "Ogg sound"),
    (Signature(0, b"fLaC\0"), "FLAC sound"),
    (Signature(0, b"wOFF"), "web font"),
    (Signature(0, b"wOF2"), "web font"),
];

/// Text may begin like this too, so they only name what is known to be binary.
const WEAK_SIGNATURES: &[(Signature, &str)] = &[
    (Signature(0, b"MZ"), "Windows program"),
    (Signature(0, b"BM"), "BMP picture"),
    (Signature(0, b"ID3"), "MP3 sound"),
    (Signature(4, b"ftyp"), "MP4 or HEIF media"),
    (Signature(8, b"WAVE"), "WAV sound"),
    (Signature(8, b"AVI "), "AVI video"),
    (Signature(0, b"PAR1"), "Parquet data"),
    (Signature(0, b"PACK"), "git pack"),
    (Signature(0, b"DIRC"), "git index"),
    (Signature(0, b"\0\0\x01\0"), "icon"),
    (Signature(0, b"\0\x01\0\0"), "TrueType font"),
    (Signature(0, b"OTTO"), "OpenType font"),
    (Signature(0, b"\x93NUMPY"), "NumPy array"),
];

#[cfg(test)]
mod tests {
    use super::{ContentKind, content_kind};

    #[test]
    fn the_first_bytes_tell() {
        let check = |head: &[u8], expected: ContentKind| assert_eq!(content_kind(head), expected, "{head:?}");
        check(b"", ContentKind::Text);
        check(b"plain\r\ntext", ContentKind::Text);
        check(b"latin \xe9 one", ContentKind::Text);
        check(b"BM is a shop, MZ too", ContentKind::Text);
        check(b"\xef\xbb\xbftext", ContentKind::MarkedText);
        check(b"\xff\xfea\0", ContentKind::Utf16);
        check(b"\xfe\xff\0a", ContentKind::Utf16);
        check(b"\xff\xfe\0\0a\0\0\0", ContentKind::Binary("unknown data with nul bytes"));
        check(b"a\0b", ContentKind::Binary("unknown data with nul bytes"));
        check(b"MZ\x90\0", ContentKind::Binary("Windows program"));
        check(b"\x89PNG\r\n\x1a\n....", ContentKind::Binary("PNG picture"));
        check(b"\xff\xd8\xff\xe0", ContentKind::Binary("JPEG picture"));
        check(b"\x7fELF\x02", ContentKind::Binary("ELF program or library"));
        check(b"\x1f\x8b\x08\x01", ContentKind::Binary("gzip data"));
        check(b"%PDF-1.7\n", ContentKind::Binary("PDF document"));
        check(b"SQLite format 3\0\x10", ContentKind::Binary("SQLite database"));
        check(&[&[b'x'; 257][..], b"ustar\0"].concat(), ContentKind::Binary("tar archive"));
    }
}
