//! `skill_view`: the instructions of one skill, or another file of it.

use hermes_home::skills::{self, Skill};
use serde::Deserialize;
use serde_json::{Value, json};

use super::skills_list::skills_of;
use crate::registry::Toolset;
use crate::tool::{Arguments, Schedule, Tool, ToolContext, ToolFuture, ToolReply};

#[derive(Debug, Deserialize)]
struct Wanted {
    name: String,
    file_path: Option<String>,
}

#[derive(Debug)]
pub struct SkillView;

/// The skill of this name, with or without its category before it.
fn named<'a>(skills: &'a [Skill], name: &str) -> Result<&'a Skill, String> {
    let is_named = |skill: &&Skill| skill.name == name || format!("{}/{}", skill.category, skill.name) == name;
    let found: Vec<_> = skills.iter().filter(is_named).collect();
    match found.as_slice() {
        [skill] => Ok(skill),
        [] => Err(format!("no skill {name:?}: see skills_list")),
        several => {
            let names: Vec<_> = several.iter().map(|skill| format!("{}/{}", skill.category, skill.name)).collect();
            Err(format!("{name:?} could be {}", names.join(" or ")))
        }
    }
}

async fn reply(context: &ToolContext, arguments: Arguments) -> Result<ToolReply, ToolReply> {
    let wanted: Wanted = arguments.read("skill_view").map_err(ToolReply::failed)?;
    let find = skills_of(context);
    let read = move || {
        let skills = find();
        let skill = named(&skills, &wanted.name)?;
        let file = wanted.file_path.as_deref().unwrap_or("SKILL.md");
        let shown = skills::view(skill, file).map_err(|error| error.to_string())?;
        let summary = format!("{} of {}, {} characters", file, skill.name, shown.content.chars().count());
        let content = json!({
            "name": skill.name, "category": skill.category, "file": file, "content": shown.content,
            "linked_files": shown.others,
        });
        Ok::<_, String>(ToolReply::done(content, summary))
    };
    tokio::task::spawn_blocking(read).await.map_err(ToolReply::failed)?.map_err(ToolReply::failed)
}

impl Tool for SkillView {
    fn name(&self) -> &'static str {
        "skill_view"
    }

    fn toolset(&self) -> Toolset {
        Toolset::Skills
    }

    fn description(&self) -> &'static str {
        "Load a skill's instructions (SKILL.md), or with file_path one of the other files it names (references, templates, scripts)."
    }

    fn parameters(&self) -> Value {
        json!({
            "type": "object",
            "properties": {
                "name": {"type": "string", "description": "The skill, as skills_list names it"},
                "file_path": {"type": "string", "description": "A file of the skill, relative to its folder"},
            },
            "required": ["name"],
        })
    }

    fn schedule(&self, _arguments: &Value) -> Schedule {
        Schedule::Beside
    }

    fn preview(&self, arguments: &Value) -> String {
        let text = |name: &str| arguments[name].as_str().unwrap_or_default();
        format!("{} {}", text("name"), text("file_path")).trim_end().to_owned()
    }

    fn run<'a>(&'a self, context: &'a ToolContext, arguments: Arguments) -> ToolFuture<'a> {
        Box::pin(async move { reply(context, arguments).await.unwrap_or_else(|failed| failed) })
    }
}

#[cfg(test)]
mod tests {
    use hermes_home::skills::Skill;

    use super::named;

    #[test]
    fn a_skill_is_found_by_name_or_by_category_and_name() {
        let skill = |category: &str, name: &str| Skill {
            name: name.to_owned(),
            description: String::new(),
            category: category.to_owned(),
            folder: format!("/{category}/{name}").into(),
        };
        let skills = [skill("code", "review"), skill("law", "review"), skill("", "plan")];
        for (name, expected) in [
            ("plan", Ok("/")),
            ("law/review", Ok("/law/review")),
            ("review", Err("\"review\" could be code/review or law/review")),
            ("none", Err("no skill \"none\": see skills_list")),
        ] {
            match (named(&skills, name), expected) {
                (Ok(found), Ok(start)) => assert!(found.folder.to_str().unwrap().starts_with(start)),
                (found, expected) => assert_eq!(found.map(|_| ""), expected.map_err(str::to_owned), "{name}"),
            }
        }
    }
}
