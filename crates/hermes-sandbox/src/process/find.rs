//! Which file a program's name means.
//!
//! Left to `execvp`, a missing PATH silently becomes a built-in one and an empty
//! entry becomes the current folder, where anybody may have put a `docker`.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use rustix::fs::{Access, access};

/// The first executable regular file of this name in the folders of `path_variable`
/// (`PATH`). Only absolute folders count. A name with a slash in it is a path and is
/// looked at as it is.
pub fn find_program(name: impl AsRef<OsStr>, path_variable: &OsStr) -> Option<PathBuf> {
    let name = Path::new(name.as_ref());
    if is_path(name) {
        return is_executable(name).then(|| name.to_owned());
    }
    std::env::split_paths(path_variable)
        .filter(|folder| folder.is_absolute())
        .map(|folder| folder.join(name))
        .find(|file| is_executable(file))
}

/// Whether a program is named by its place rather than by its name.
pub(super) fn is_path(program: &Path) -> bool {
    program.as_os_str().as_encoded_bytes().contains(&b'/')
}

fn is_executable(file: &Path) -> bool {
    file.is_file() && access(file, Access::EXEC_OK).is_ok()
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::fs::PermissionsExt;

    use super::find_program;

    #[test]
    fn only_an_executable_regular_file_in_an_absolute_folder_is_found() {
        let folder = tempfile::tempdir().unwrap();
        let place = |name: &str| folder.path().join(name);
        for (name, mode) in [("first/plain", 0o644), ("second/plain", 0o755), ("second/tool", 0o755)] {
            fs::create_dir_all(place(name).parent().unwrap()).unwrap();
            fs::write(place(name), "").unwrap();
            fs::set_permissions(place(name), fs::Permissions::from_mode(mode)).unwrap();
        }
        fs::create_dir(place("first/tool")).unwrap();
        let both = std::env::join_paths([place("first"), place("second")]).unwrap();

        assert_eq!(find_program("tool", &both), Some(place("second/tool")), "a folder of that name is passed over");
        assert_eq!(find_program("plain", &both), Some(place("second/plain")), "a file without x is passed over");
        assert_eq!(find_program("absent", &both), None);
        assert_eq!(find_program("", &both), None);
        assert_eq!(find_program(place("second/tool"), "".as_ref()), Some(place("second/tool")));
        assert_eq!(find_program(place("first/plain"), &both), None);
        assert_eq!(find_program("Cargo.toml", "".as_ref()), None);
        assert_eq!(find_program("cargo", ":.:relative".as_ref()), None, "the current folder is never searched");
    }
}
