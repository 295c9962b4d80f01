//! Which profiles there are, and what only looks like one.

use std::fmt;
use std::io;
use std::path::PathBuf;

use hermes_proto::{InvalidProfileName, ProfileName};

use super::ProfileError;
use crate::HomeRoot;

/// How alike two names have to be to be offered for each other.
const ALIKE: f64 = 0.6;
const OFFERED: usize = 3;

/// Everything in `profiles/` but hidden entries and plain files.
#[derive(Debug, Default)]
pub struct Listing {
    /// Sorted by name.
    pub profiles: Vec<ProfileName>,
    pub ignored: Vec<Ignored>,
}

/// A folder or link that is not a profile.
#[derive(Debug)]
pub struct Ignored {
    pub path: PathBuf,
    pub why: WhyIgnored,
}

#[derive(Debug)]
pub enum WhyIgnored {
    Name(InvalidProfileName),
    LeadsNowhere,
}

impl fmt::Display for Ignored {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let path = self.path.display();
        match &self.why {
            WhyIgnored::Name(invalid) => write!(formatter, "{path} is ignored: {invalid}"),
            WhyIgnored::LeadsNowhere => write!(formatter, "{path} is ignored: it is a link that leads nowhere"),
        }
    }
}

pub fn list(root: &HomeRoot) -> Result<Listing, ProfileError> {
    root.check()?;
    let folder = root.profiles_path();
    let entries = match std::fs::read_dir(&folder) {
        Ok(entries) => entries,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Listing::default()),
        Err(error) => return Err(ProfileError::at("read the folder", &folder)(error)),
    };
    let mut paths = Vec::new();
    for entry in entries {
        paths.push(entry.map_err(ProfileError::at("read the folder", &folder))?.path());
    }
    paths.sort();
    Ok(paths.into_iter().fold(Listing::default(), |mut listing, path| {
        listing.add(path);
        listing
    }))
}

/// Profiles whose names look like this one, the most alike first. A root that
/// cannot be listed has none to offer.
pub fn alike(root: &HomeRoot, name: &ProfileName) -> Vec<ProfileName> {
    let score = |other: &ProfileName| strsim::normalized_damerau_levenshtein(name.as_str(), other.as_str());
    let names = list(root).unwrap_or_default().profiles;
    let mut scored: Vec<(f64, ProfileName)> = names.into_iter().map(|other| (score(&other), other)).collect();
    scored.retain(|(score, other)| *score >= ALIKE && other != name);
    scored.sort_by(|left, right| right.0.total_cmp(&left.0));
    scored.into_iter().map(|(_, name)| name).take(OFFERED).collect()
}

impl Listing {
    fn add(&mut self, path: PathBuf) {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        let is_link = path.is_symlink();
        if name.starts_with('.') || !(is_link || path.is_dir()) {
            return;
        }
        match name.parse() {
            Ok(name) if path.is_dir() => self.profiles.push(name),
            Ok(_) => self.ignored.push(Ignored { path, why: WhyIgnored::LeadsNowhere }),
            Err(invalid) => self.ignored.push(Ignored { path, why: WhyIgnored::Name(invalid) }),
        }
    }
}
