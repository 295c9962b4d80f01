//! Which skills there are, one line each; the model loads one when it needs it.

use std::path::PathBuf;

use hermes_home::Home;
use hermes_home::config::Config;
use hermes_home::skills::{self, Skill};

use crate::injection::suspicion;
use crate::registry::Registry;
use crate::turn::shorten_text;

/// Skills that are listed; `skills_list` finds the others.
const MOST: usize = 150;
/// Characters of a description.
const LONGEST: usize = 200;

/// The list, if the model can load what it names.
pub(super) fn told(home: &Home, config: &Config, tools: &Registry) -> String {
    if tools.get("skill_view").is_none() {
        return String::new();
    }
    let mut roots = vec![home.path().join("skills")];
    roots.extend(config.skills.external_dirs.iter().map(PathBuf::from));
    let found = skills::find(&roots);
    let lines: Vec<String> = found.iter().filter(|skill| is_plain(skill)).take(MOST).map(line).collect();
    if lines.is_empty() {
        return String::new();
    }
    let more = if found.len() > MOST { "\nskills_list shows more." } else { "" };
    format!("# Skills\nLoad one with skill_view before a task that it is about.\n{}{more}", lines.join("\n"))
}

/// Skills come from strangers: one whose description talks to the model is not listed.
fn is_plain(skill: &Skill) -> bool {
    suspicion(&skill.name).or_else(|| suspicion(&skill.description)).is_none()
}

fn line(skill: &Skill) -> String {
    let mut description = skill.description.split_whitespace().collect::<Vec<_>>().join(" ");
    if description.chars().count() > LONGEST {
        shorten_text(&mut description, LONGEST);
        description = description.split_whitespace().collect::<Vec<_>>().join(" ");
    }
    format!("- {}: {description}", skill.name)
}
