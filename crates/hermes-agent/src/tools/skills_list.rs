//! `skills_list`: which skills there are.

use std::path::PathBuf;

use hermes_home::skills::{self, Skill};
use serde::Deserialize;
use serde_json::{Value, json};

use crate::registry::Toolset;
use crate::tool::{Arguments, Schedule, Tool, ToolContext, ToolFuture, ToolReply};

#[derive(Debug, Deserialize)]
struct Wanted {
    category: Option<String>,
}

#[derive(Debug)]
pub struct SkillsList;

/// The skills that a session can see. Reads folders: not for the turn's own thread.
pub(super) fn skills_of(context: &ToolContext) -> impl FnOnce() -> Vec<Skill> + Send + 'static {
    let mut roots = vec![context.home.path().join("skills")];
    roots.extend(context.config.skills.external_dirs.iter().map(PathBuf::from));
    move || skills::find(&roots)
}

async fn reply(context: &ToolContext, arguments: Arguments) -> Result<ToolReply, ToolReply> {
    let wanted: Wanted = arguments.read("skills_list").map_err(ToolReply::failed)?;
    let mut skills = tokio::task::spawn_blocking(skills_of(context)).await.map_err(ToolReply::failed)?;
    let categories: std::collections::BTreeSet<_> = skills.iter().map(|skill| skill.category.clone()).collect();
    if let Some(category) = &wanted.category {
        skills.retain(|skill| skill.category == *category);
    }
    let list: Vec<_> = skills
        .iter()
        .map(|skill| json!({"name": skill.name, "description": skill.description, "category": skill.category}))
        .collect();
    let count = list.len();
    let content =
        json!({"skills": list, "count": count, "categories": categories, "hint": "load one with skill_view(name)"});
    Ok(ToolReply::done(content, format!("{count} skills")))
}

impl Tool for SkillsList {
    fn name(&self) -> &'static str {
        "skills_list"
    }

    fn toolset(&self) -> Toolset {
        Toolset::Skills
    }

    fn description(&self) -> &'static str {
        "List the skills: tested instructions for certain tasks, with name, description and category. Load one with skill_view."
    }

    fn parameters(&self) -> Value {
        json!({
            "type": "object",
            "properties": {"category": {"type": "string", "description": "Only skills of this category"}},
        })
    }

    fn schedule(&self, _arguments: &Value) -> Schedule {
        Schedule::Beside
    }

    fn preview(&self, arguments: &Value) -> String {
        arguments["category"].as_str().unwrap_or("all skills").to_owned()
    }

    fn run<'a>(&'a self, context: &'a ToolContext, arguments: Arguments) -> ToolFuture<'a> {
        Box::pin(async move { reply(context, arguments).await.unwrap_or_else(|failed| failed) })
    }
}
