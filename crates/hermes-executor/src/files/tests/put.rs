//! Files that come from outside, into real folders.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use hermes_proto::executor::{FileAnswer, FileProblem, FileRequest, LONGEST_PAYLOAD, PutFile, Request};
use tokio_util::sync::CancellationToken;

use crate::files::received::MOST_BYTES;
use crate::files::{Place, Received, handle};

const PIECE: usize = 512 * 1024;

fn ask(received: &Received, request: PutFile) -> Result<(PathBuf, u64), FileProblem> {
    let place = Place { working_directory: Path::new("/"), home: None, received: Some(received) };
    match handle(FileRequest::Put(request), place, &CancellationToken::new()) {
        FileAnswer::Put { path, size } => Ok((path.into(), size)),
        FileAnswer::Problem(problem) => Err(problem),
        other => panic!("{other:?}"),
    }
}

fn piece(name: &str, size: u64, offset: usize, bytes: &[u8]) -> PutFile {
    PutFile { name: name.to_owned(), size, offset: offset as u64, bytes: STANDARD.encode(bytes) }
}

fn whole(received: &Received, name: &str, content: &[u8]) -> Result<PathBuf, FileProblem> {
    ask(received, piece(name, content.len() as u64, 0, content)).map(|(path, _)| path)
}

fn mode(path: &Path) -> u32 {
    fs::symlink_metadata(path).unwrap().permissions().mode() & 0o777
}

#[test]
fn a_file_comes_in_pieces_is_private_and_goes_with_the_session() {
    let received = Received::default();
    let content: Vec<u8> = (0..1_500_000_u32).map(|number| (number % 251) as u8).collect();
    let (mut offset, mut path) = (0, PathBuf::new());
    for bytes in content.chunks(PIECE) {
        let request = piece("data 1.bin", content.len() as u64, offset, bytes);
        let frame = serde_json::to_vec(&Request::File(FileRequest::Put(request.clone()))).unwrap();
        assert!(frame.len() < LONGEST_PAYLOAD);
        let (at, size) = ask(&received, request).unwrap();
        offset += bytes.len();
        assert_eq!(size, offset as u64);
        path = at;
    }
    assert_eq!(fs::read(&path).unwrap(), content);
    assert_eq!(path.file_name().unwrap(), "data_1.bin");
    let folder = path.parent().unwrap().to_owned();
    assert_eq!((mode(&path), mode(&folder)), (0o600, 0o700));
    let empty = whole(&received, "empty", b"").unwrap();
    assert_eq!((fs::read(&empty).unwrap().len(), empty.parent()), (0, Some(folder.as_path())));
    drop(received);
    assert!(!folder.exists());
}

#[test]
fn files_of_one_name_are_numbered_and_none_is_written_over() {
    let received = Received::default();
    let paths = ["one", "two", "three"].map(|content| whole(&received, "../a.txt", content.as_bytes()).unwrap());
    let names = paths.each_ref().map(|path| path.file_name().unwrap().to_str().unwrap());
    assert_eq!(names, ["a.txt", "a-2.txt", "a-3.txt"]);
    assert_eq!(paths.each_ref().map(|path| fs::read_to_string(path).unwrap()), ["one", "two", "three"]);
}

#[test]
fn links_lead_nowhere() {
    let received = Received::default();
    let outside = tempfile::tempdir().unwrap();
    let victim = outside.path().join("victim");
    fs::write(&victim, "kept").unwrap();
    let folder = whole(&received, "first", b"x").unwrap().parent().unwrap().to_owned();
    // A link that waits for the name, to a file and to nothing.
    std::os::unix::fs::symlink(&victim, folder.join("a.txt")).unwrap();
    std::os::unix::fs::symlink(outside.path().join("new"), folder.join("a-2.txt")).unwrap();
    assert_eq!(whole(&received, "a.txt", b"stranger").unwrap(), folder.join("a-3.txt"));
    // The file is exchanged for a link between two pieces.
    let (path, _) = ask(&received, piece("b.txt", 8, 0, b"stra")).unwrap();
    fs::remove_file(&path).unwrap();
    std::os::unix::fs::symlink(&victim, &path).unwrap();
    ask(&received, piece("b.txt", 8, 4, b"nger")).unwrap();
    // So is the folder.
    let moved = outside.path().join("moved");
    fs::rename(&folder, &moved).unwrap();
    std::os::unix::fs::symlink(outside.path(), &folder).unwrap();
    let path = whole(&received, "victim", b"stranger").unwrap();
    assert_ne!(path.parent(), Some(folder.as_path()));
    assert_eq!(fs::read_to_string(path).unwrap(), "stranger");
    assert_eq!(fs::read_to_string(&victim).unwrap(), "kept");
    assert!(!outside.path().join("new").exists());
    drop(received);
    fs::remove_file(&folder).unwrap();
    assert_eq!(fs::read_to_string(&victim).unwrap(), "kept");
}

#[test]
fn what_is_too_much_is_not_taken() {
    let received = Received::default();
    let told = |problem: FileProblem| problem.to_string();
    let problem = told(ask(&received, piece("big", MOST_BYTES + 1, 0, b"x")).unwrap_err());
    assert!(problem.contains("too many"), "{problem}");
    // More than was said, and half a file is none.
    let (path, _) = ask(&received, piece("liar", 5, 0, b"abc")).unwrap();
    ask(&received, piece("liar", 5, 3, b"def")).unwrap_err();
    assert!(!path.exists());
    // As much as may be there.
    let folder = path.parent().unwrap();
    fs::File::create(folder.join("sparse")).unwrap().set_len(128 * 1024 * 1024).unwrap();
    let problem = told(whole(&received, "one more", b"x").unwrap_err());
    assert!(problem.contains("no room"), "{problem}");
    fs::remove_file(folder.join("sparse")).unwrap();
    whole(&received, "one more", b"x").unwrap();
}

#[test]
fn pieces_that_belong_to_nothing_are_refused() {
    let received = Received::default();
    ask(&received, piece("a", 9, 3, b"abc")).unwrap_err();
    let (path, _) = ask(&received, piece("a", 9, 0, b"abc")).unwrap();
    ask(&received, piece("a", 9, 4, b"abc")).unwrap_err();
    let (again, _) = ask(&received, piece("a", 9, 0, b"abc")).unwrap();
    ask(&received, piece("b", 9, 3, b"abc")).unwrap_err();
    ask(&received, PutFile { bytes: "no base64!".to_owned(), ..piece("a", 9, 0, b"") }).unwrap_err();
    // Two were given up for good.
    let begun = ask(&received, piece("a", 3, 0, b"abc")).unwrap().0;
    let left: Vec<_> = fs::read_dir(begun.parent().unwrap()).unwrap().map(|entry| entry.unwrap().path()).collect();
    assert_eq!(left, [begun]);
    assert!(path == again, "the name was free again");
}

#[test]
fn a_place_without_a_folder_for_them_takes_none() {
    let request = FileRequest::Put(piece("a", 1, 0, b"a"));
    let answer = handle(request, Path::new("/"), &CancellationToken::new());
    assert!(matches!(answer, FileAnswer::Problem(_)), "{answer:?}");
}
