//! Folders of the host in a container, and who wins where two want one place.

use std::path::{Path, PathBuf};

use super::error::DockerError;

pub(super) const WORKSPACE: &str = "/workspace";
pub(super) const ROOT_HOME: &str = "/root";

/// One folder or file of the host, or a named volume, at a place in the container.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Volume {
    /// As `docker run -v` takes it.
    text: String,
    target: String,
}

impl Volume {
    /// A configured one: `source:target` or `source:target:options`.
    pub(super) fn parse(text: &str, user_home: Option<&Path>) -> Option<Self> {
        let (source, rest) = text.split_once(':')?;
        let target = rest.split(':').next().unwrap_or(rest);
        let source = expanded(source, user_home);
        let text = format!("{source}:{rest}");
        Some(Self { text, target: normal(target).to_owned() })
    }

    /// A folder of the host that may be changed.
    pub(super) fn bind(source: &Path, target: &str) -> Result<Self, DockerError> {
        Ok(Self { text: format!("{}:{target}", plain(source)?), target: target.to_owned() })
    }

    /// A folder or file of the host that may only be read.
    pub(super) fn read_only(source: &Path, target: &str) -> Result<Self, DockerError> {
        Ok(Self { text: format!("{}:{target}:ro", plain(source)?), target: target.to_owned() })
    }

    pub(super) fn text(&self) -> &str {
        &self.text
    }

    pub(super) fn is_at(&self, place: &str) -> bool {
        self.target == place
    }
}

/// The configured ones; what is not a volume is told and left out.
pub(super) fn configured(texts: &[String], user_home: Option<&Path>, notes: &mut Vec<String>) -> Vec<Volume> {
    let mut volumes = Vec::new();
    for text in texts {
        match Volume::parse(text.trim(), user_home) {
            Some(volume) => volumes.push(volume),
            None => {
                tracing::warn!(volume = text, "not a volume: it has no colon");
                notes
                    .push(format!("terminal.docker_volumes: {text:?} is not a volume (source:target) and is left out"));
            }
        }
    }
    volumes
}

/// Whether a configured volume is a folder of the host, not one that the engine keeps by a name.
pub(super) fn is_of_host(text: &str) -> bool {
    let source = text.trim().split(':').next().unwrap_or_default();
    source.contains('/') || source.starts_with(['~', '.'])
}

/// A path the engine can be told: it takes a colon for the end of it.
fn plain(path: &Path) -> Result<&str, DockerError> {
    let bad = || DockerError::Colon { path: path.to_owned() };
    path.to_str().filter(|text| !text.contains(':')).ok_or_else(bad)
}

/// `~` is the user's home: no shell expands it on the way to the engine.
fn expanded(source: &str, user_home: Option<&Path>) -> String {
    let rest = match source.strip_prefix('~') {
        Some("") => Some(""),
        Some(rest) => rest.strip_prefix('/'),
        None => None,
    };
    let path = rest.zip(user_home).map(|(rest, home)| -> PathBuf { home.join(rest) });
    path.map_or_else(|| source.to_owned(), |path| path.to_string_lossy().into_owned())
}

fn normal(target: &str) -> &str {
    let trimmed = target.trim_end_matches('/');
    if trimmed.is_empty() { "/" } else { trimmed }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::{Volume, is_of_host};

    #[test]
    fn a_folder_of_the_host_is_told_from_a_named_volume() {
        for text in ["/a:/b", "/:/host:ro", "~:/w", "~/x:/w", "./here:/w", "../up:/w", ".:/w", "  /a:/b", "a/b:/w"] {
            assert!(is_of_host(text), "{text}");
        }
        for text in ["named:/data", "named-2.x:/data:ro"] {
            assert!(!is_of_host(text), "{text}");
        }
    }

    #[test]
    fn a_volume_is_read_as_the_engine_reads_it() {
        let check = |text: &str, expected: Option<(&str, &str)>| {
            let volume = Volume::parse(text, Some(Path::new("/h/u")));
            assert_eq!(volume.as_ref().map(|v| (v.text.as_str(), v.target.as_str())), expected, "{text}");
        };
        check("/a:/b", Some(("/a:/b", "/b")));
        check("/a:/b/:ro", Some(("/a:/b/:ro", "/b")));
        check("named:/data", Some(("named:/data", "/data")));
        check("~/x:/workspace", Some(("/h/u/x:/workspace", "/workspace")));
        check("~:/w", Some(("/h/u/:/w", "/w")));
        check("~other:/w", Some(("~other:/w", "/w")));
        check("/no-colon", None);
    }
}
