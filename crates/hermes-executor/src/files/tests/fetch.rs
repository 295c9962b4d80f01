//! Pieces of files as they are.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use hermes_proto::executor::{FetchFile, FileAnswer, FileProblem, FileRequest};

use super::Fixture;

fn piece(fixture: &Fixture, path: &str, offset: u64) -> Result<(Vec<u8>, u64), FileProblem> {
    match fixture.ask(FileRequest::Fetch(FetchFile { path: path.to_owned(), offset })) {
        FileAnswer::Piece { bytes, size } => Ok((STANDARD.decode(bytes).unwrap(), size)),
        FileAnswer::Problem(problem) => Err(problem),
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_file_comes_in_pieces_as_it_is() {
    let fixture = Fixture::new(&[]);
    let content: Vec<u8> = (0..1_500_000_u32).map(|number| (number % 251) as u8).collect();
    fixture.put("chart.png", &content);
    let mut whole = Vec::new();
    loop {
        let (bytes, size) = piece(&fixture, "chart.png", whole.len() as u64).unwrap();
        assert_eq!(size, content.len() as u64);
        if bytes.is_empty() {
            break;
        }
        whole.extend(bytes);
    }
    assert_eq!(whole, content);
    assert_eq!(piece(&fixture, "chart.png", u64::MAX / 4).unwrap().0, Vec::<u8>::new());
}

#[test]
fn only_files_that_can_be_read_here_are_given_away() {
    let fixture = Fixture::new(&[("a/x", "")]);
    fixture.fifo("pipe");
    for path in ["a", "pipe", "missing", "/dev/zero", "a\0b", ""] {
        assert!(piece(&fixture, path, 0).is_err(), "{path:?}");
    }
}
