//! The tools that there are, by name, in an order that never changes.

use std::collections::BTreeMap;
use std::sync::{Arc, OnceLock};

use hermes_model::ToolSchema;

use crate::tool::Tool;

/// A group of tools that is offered or left out together (`-t`).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Toolset {
    Terminal,
    File,
    CodeExecution,
    Todo,
    Clarify,
    Delegation,
    Memory,
    SessionSearch,
    Skills,
    Web,
}

impl Toolset {
    pub const ALL: [Self; 10] = [
        Self::Terminal,
        Self::File,
        Self::CodeExecution,
        Self::Todo,
        Self::Clarify,
        Self::Delegation,
        Self::Memory,
        Self::SessionSearch,
        Self::Skills,
        Self::Web,
    ];

    /// Whether its tools work in the session's place.
    pub const fn needs_place(self) -> bool {
        matches!(self, Self::Terminal | Self::File | Self::CodeExecution)
    }

    /// As it is written after `-t` and in config.yaml.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Terminal => "terminal",
            Self::File => "file",
            Self::CodeExecution => "code_execution",
            Self::Todo => "todo",
            Self::Clarify => "clarify",
            Self::Delegation => "delegation",
            Self::Memory => "memory",
            Self::SessionSearch => "session_search",
            Self::Skills => "skills",
            Self::Web => "web",
        }
    }

    /// The one that is written like this.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|toolset| toolset.name() == name)
    }
}

/// Names that mean the same tool, depending on the version.
const ALIASES: [[&str; 2]; 3] = [["process", "process_manage"], ["todo", "todo_list"], ["cronjob", "cronjob_manage"]];
/// How alike two names have to be for one to be meant by the other.
const ALIKE: f64 = 0.5;

/// The tools of a session.
#[derive(Debug, Clone, Default)]
pub struct Registry {
    tools: Arc<BTreeMap<&'static str, Arc<dyn Tool>>>,
    /// Made once: every request of every session with these tools carries the same.
    schemas: Arc<OnceLock<Arc<[ToolSchema]>>>,
}

impl Registry {
    pub fn new(tools: impl IntoIterator<Item = Arc<dyn Tool>>) -> Self {
        let tools = tools.into_iter().map(|tool| (tool.name(), tool)).collect();
        Self { tools: Arc::new(tools), schemas: Arc::default() }
    }

    pub fn get(&self, name: &str) -> Option<&Arc<dyn Tool>> {
        self.tools.get(name)
    }

    /// The tool that is called by this name, or was in another version.
    pub fn resolve(&self, name: &str) -> Option<&Arc<dyn Tool>> {
        let other = |name: &str| ALIASES.iter().find(|pair| pair.contains(&name));
        self.get(name).or_else(|| other(name)?.iter().find_map(|alias| self.get(alias)))
    }

    /// The name that looks most like this one, if any does.
    pub fn nearest(&self, name: &str) -> Option<&'static str> {
        let name = name.to_lowercase();
        let near = self.tools.keys().map(|known| (strsim::normalized_damerau_levenshtein(known, &name), *known));
        let best = near.max_by(|left, right| left.0.total_cmp(&right.0))?;
        (best.0 >= ALIKE).then_some(best.1)
    }

    /// In the order of their names.
    pub fn iter(&self) -> impl Iterator<Item = &Arc<dyn Tool>> {
        self.tools.values()
    }

    /// The tools as the model sees them, in an order that never changes.
    pub(crate) fn schemas(&self) -> Arc<[ToolSchema]> {
        let schema = |tool: &Arc<dyn Tool>| ToolSchema {
            name: tool.name().to_owned(),
            description: tool.description().to_owned(),
            parameters: tool.parameters(),
        };
        self.schemas.get_or_init(|| self.iter().map(schema).collect()).clone()
    }

    /// Only the tools of these groups.
    #[must_use]
    pub fn only(&self, toolsets: &[Toolset]) -> Self {
        self.narrowed(|tool| toolsets.contains(&tool.toolset()))
    }

    /// Only what `keeps` wants.
    #[must_use]
    pub fn narrowed(&self, keeps: impl Fn(&dyn Tool) -> bool) -> Self {
        Self::new(self.iter().filter(|tool| keeps(tool.as_ref())).cloned())
    }
}
