//! File operations on real files, one folder per test.

mod bounds;
mod fetch;
mod hostile;
mod list;
mod patch;
mod patch_properties;
mod put;
mod read;
mod search_content;
mod search_names;
mod write;

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use hermes_proto::executor::{
    FileAnswer, FileProblem, FileRequest, ListFiles, PatchFile, PatchMode, ReadFile, SearchFiles, SearchTarget,
    WriteFile,
};
use rustix::fs::{FileType, Mode, mknodat};
use rustix::process::{Uid, geteuid};
use tempfile::TempDir;
use tokio_util::sync::CancellationToken;

use super::handle;

/// A folder with files, and a session in it.
struct Fixture {
    folder: TempDir,
}

impl Fixture {
    fn new(files: &[(&str, &str)]) -> Self {
        let folder = tempfile::tempdir().unwrap();
        fs::set_permissions(folder.path(), fs::Permissions::from_mode(0o755)).unwrap();
        let fixture = Self { folder };
        for (name, content) in files {
            fixture.put(name, content);
        }
        fixture
    }

    fn put(&self, name: &str, content: impl AsRef<[u8]>) {
        let path = self.path(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, content).unwrap();
    }

    fn fifo(&self, name: &str) {
        mknodat(rustix::fs::CWD, self.path(name), FileType::Fifo, Mode::RUSR | Mode::WUSR, 0).unwrap();
    }

    fn link(&self, name: &str, target: impl AsRef<Path>) {
        std::os::unix::fs::symlink(target, self.path(name)).unwrap();
    }

    fn mode(&self, name: &str, mode: u32) {
        fs::set_permissions(self.path(name), fs::Permissions::from_mode(mode)).unwrap();
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn shown(&self, name: &str) -> String {
        self.path(name).to_str().unwrap().to_owned()
    }

    fn content(&self, name: &str) -> String {
        fs::read_to_string(self.path(name)).unwrap()
    }

    /// Names in a folder, in order.
    fn names(&self, folder: &str) -> Vec<String> {
        let entries = fs::read_dir(self.path(folder)).unwrap();
        let mut names: Vec<_> = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }

    fn ask(&self, request: FileRequest) -> FileAnswer {
        handle(request, self.folder.path(), &CancellationToken::new())
    }

    fn problem(&self, request: FileRequest) -> FileProblem {
        match self.ask(request) {
            FileAnswer::Problem(problem) => problem,
            answer => panic!("no problem: {answer:?}"),
        }
    }

    /// Asks as a user who is not root, who may do anything.
    fn ask_as_ordinary_user(&self, request: FileRequest) -> FileAnswer {
        const NOBODY: u32 = 65534;
        std::thread::scope(|scope| {
            let asking = scope.spawn(|| {
                if geteuid().is_root() {
                    // Of this thread only.
                    let nobody = Uid::from_raw(NOBODY);
                    rustix::thread::set_thread_res_uid(nobody, nobody, nobody).unwrap();
                }
                self.ask(request)
            });
            asking.join().unwrap()
        })
    }
}

fn read(path: &str) -> FileRequest {
    lines(path, 1, 2000)
}

fn lines(path: &str, offset: usize, limit: usize) -> FileRequest {
    FileRequest::Read(ReadFile { path: path.to_owned(), offset, limit })
}

fn write(path: &str, content: &str) -> FileRequest {
    FileRequest::Write(WriteFile { path: path.to_owned(), content: content.to_owned() })
}

fn patch(path: &str, old: &str, new: &str) -> FileRequest {
    patch_in_mode(path, old, new, PatchMode::Unique)
}

fn patch_in_mode(path: &str, old: &str, new: &str, mode: PatchMode) -> FileRequest {
    FileRequest::Patch(PatchFile { path: path.to_owned(), old: old.to_owned(), new: new.to_owned(), mode })
}

fn search(target: SearchTarget, pattern: &str, path: &str) -> SearchFiles {
    SearchFiles {
        pattern: pattern.to_owned(),
        target,
        path: path.to_owned(),
        file_glob: None,
        context: 0,
        offset: 0,
        limit: 100,
    }
}

fn list(path: &str, limit: usize) -> FileRequest {
    FileRequest::List(ListFiles { path: path.to_owned(), limit })
}
