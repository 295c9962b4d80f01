//! Files of the home that a container may read: credentials the operator named, and what
//! every session may. All read-only, and only from inside the home.

use std::path::{Component, Path};

use hermes_home::Home;
use hermes_home::config::Terminal;

use super::error::DockerError;
use super::volumes::Volume;
use crate::shown_folders::SHOWN;

/// Where the home's files are seen in the container.
pub(super) const PLACE: &str = "/root/.hermes";

pub(super) fn shown_to_container(
    home: &Home,
    terminal: &Terminal,
    notes: &mut Vec<String>,
) -> Result<Vec<Volume>, DockerError> {
    let mut volumes = Vec::new();
    for name in &terminal.credential_files {
        match credential_file(home, name) {
            Ok(()) => volumes.push(Volume::read_only(&home.path().join(name), &format!("{PLACE}/{name}"))?),
            Err(problem) => {
                tracing::warn!(file = name, problem, "a credential file is not shown to the container");
                notes.push(format!("terminal.credential_files: {name:?} is left out: {problem}"));
            }
        }
    }
    for name in SHOWN.iter().filter(|name| home.path().join(name).is_dir()) {
        volumes.push(Volume::read_only(&home.path().join(name), &format!("{PLACE}/{name}"))?);
    }
    Ok(volumes)
}

/// A regular file that really lies in the home, whatever its name or a link says.
fn credential_file(home: &Home, name: &str) -> Result<(), &'static str> {
    let is_inside = Path::new(name).components().all(|part| matches!(part, Component::Normal(_)));
    if !is_inside || name.is_empty() {
        return Err("not a name inside the home");
    }
    let real = std::fs::canonicalize(home.path().join(name)).map_err(|_| "source not found")?;
    let root = std::fs::canonicalize(home.path()).map_err(|_| "source not found")?;
    match (real.starts_with(root), real.is_dir()) {
        (false, _) => Err("it leads out of the home"),
        (true, true) => Err("source is a directory"),
        (true, false) => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use hermes_home::config::Terminal;
    use hermes_home::{Asked, HomeRoot};
    use hermes_proto::HostEnvironment;

    use super::shown_to_container;

    #[test]
    fn only_files_of_the_home_are_shown_and_only_to_be_read() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("home");
        let root = HomeRoot::find(&HostEnvironment::from_pairs([("HERMES_HOME", &path)])).unwrap();
        let home = root.select(&Asked::Nothing).unwrap();
        std::fs::create_dir_all(path.join("cache/images")).unwrap();
        std::fs::create_dir_all(path.join("folder")).unwrap();
        std::fs::write(path.join("token.json"), "t").unwrap();
        std::os::unix::fs::symlink("/etc/passwd", path.join("link")).unwrap();
        let names = ["token.json", "../up", "/etc/passwd", "absent", "folder", "link", ""];
        let terminal = Terminal { credential_files: names.map(str::to_owned).to_vec(), ..Terminal::default() };
        let mut notes = Vec::new();
        let volumes = shown_to_container(&home, &terminal, &mut notes).unwrap();
        let shown: Vec<_> = volumes.iter().map(|volume| volume.text().replace(path.to_str().unwrap(), "H")).collect();
        assert_eq!(shown, ["H/token.json:/root/.hermes/token.json:ro", "H/cache/images:/root/.hermes/cache/images:ro"]);
        assert_eq!(notes.len(), 6, "{notes:?}");
        assert!(notes[2].ends_with("source not found") && notes[3].ends_with("source is a directory"), "{notes:?}");
    }
}
