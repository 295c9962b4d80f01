//! Paths as the rules see them: collapsed, absolute where possible, and with the
//! user's and Hermes' homes folded to `~` and `~/.hermes`.

use super::event::{Field, Simple};
use crate::{Context, SudoPassword};

/// Whose machine the text is read for.
#[derive(Debug, Clone)]
pub(crate) struct Place {
    home: String,
    hermes_home: String,
    folder: Option<String>,
    sudo_password: SudoPassword,
}

impl Place {
    pub(crate) fn new(context: &Context) -> Self {
        let home =
            context.home.as_deref().map(collapse).filter(|home| home.len() > 1).unwrap_or_else(|| "~".to_owned());
        let hermes_home = context.hermes_home.as_deref().map(collapse).filter(|home| home.len() > 1);
        let hermes_home = hermes_home.unwrap_or_else(|| format!("{home}/.hermes"));
        Self {
            home,
            hermes_home,
            folder: context.folder.as_deref().map(collapse),
            sudo_password: context.sudo_password,
        }
    }

    pub(crate) fn home(&self) -> &str {
        &self.home
    }

    pub(crate) fn hermes_home(&self) -> &str {
        &self.hermes_home
    }

    pub(crate) fn folder(&self) -> Option<&str> {
        self.folder.as_deref()
    }

    pub(crate) fn sudo_password(&self) -> SudoPassword {
        self.sudo_password
    }

    /// A collapsed path with the homes folded.
    pub(crate) fn fold(&self, path: &str) -> String {
        if let Some(rest) = below(path, &self.hermes_home) {
            return format!("~/.hermes{rest}");
        }
        match below(path, &self.home) {
            Some(rest) => format!("~{rest}"),
            None => path.to_owned(),
        }
    }

    /// The path a word names for this command, folded.
    pub(crate) fn resolve(&self, field: &Field, command: &Simple) -> String {
        self.resolve_text(&field.text, command)
    }

    pub(crate) fn resolve_text(&self, text: &str, command: &Simple) -> String {
        let path = join(command.folder.as_deref(), text);
        self.fold(&path)
    }
}

fn below<'p>(path: &'p str, folder: &str) -> Option<&'p str> {
    let rest = path.strip_prefix(folder)?;
    (rest.is_empty() || rest.starts_with('/')).then_some(rest)
}

/// A word as a collapsed path, absolute when the folder it starts from is known.
pub(crate) fn join(folder: Option<&str>, text: &str) -> String {
    match folder {
        Some(folder) if !text.starts_with(['/', '~']) => collapse(&format!("{folder}/{text}")),
        _ => collapse(text),
    }
}

/// `//`, `/.` and `/..` taken out; `..` above the root stays at the root.
pub(super) fn collapse(path: &str) -> String {
    if !path.contains("//")
        && !path.contains("/.")
        && !path.starts_with('.')
        && (path.len() == 1 || !path.ends_with('/'))
    {
        return path.to_owned();
    }
    let absolute = path.starts_with('/');
    let mut parts: Vec<&str> = Vec::new();
    for part in path.split('/') {
        match part {
            "" | "." => {}
            ".." => match parts.last() {
                Some(last) if *last != ".." => {
                    parts.pop();
                }
                _ if absolute => {}
                _ => parts.push(".."),
            },
            part => parts.push(part),
        }
    }
    let joined = parts.join("/");
    match (absolute, joined.is_empty()) {
        (true, _) => format!("/{joined}"),
        (false, true) => ".".to_owned(),
        (false, false) => joined,
    }
}

#[cfg(test)]
mod tests {
    use super::{Place, collapse, join};
    use crate::Context;

    #[test]
    fn paths_collapse() {
        for (path, expected) in [
            ("/", "/"),
            ("//", "/"),
            ("/./", "/"),
            ("/../..", "/"),
            ("/etc/../home/", "/home"),
            ("/tmp/../*", "/*"),
            ("a/../b", "b"),
            ("../a", "../a"),
            ("./", "."),
            ("", ""),
            ("~/", "~"),
            ("/.git", "/.git"),
        ] {
            assert_eq!(collapse(path), expected, "{path}");
        }
        assert_eq!(join(Some("/"), "*"), "/*");
        assert_eq!(join(Some("/home/ann/x"), ".."), "/home/ann");
    }

    #[test]
    fn homes_are_folded() {
        let place = Place::new(&Context {
            home: Some("/home/ann/".to_owned()),
            hermes_home: Some("/srv/hermes".to_owned()),
            ..Context::default()
        });
        for (path, expected) in [
            ("/home/ann", "~"),
            ("/home/ann/.ssh", "~/.ssh"),
            ("/home/anna", "/home/anna"),
            ("/srv/hermes/.env", "~/.hermes/.env"),
        ] {
            assert_eq!(place.fold(path), expected);
        }
    }
}
