//! The tools. One file each.

mod clarify;
mod delegate_task;
mod execute_code;
mod memory;
mod patch;
mod process;
mod read_file;
mod search_files;
mod session_search;
mod skill_view;
mod skills_list;
mod terminal;
mod todo;
mod web_extract;
mod work;
mod write_file;

use std::sync::Arc;

pub use clarify::Clarify;
pub use delegate_task::DelegateTask;
pub use execute_code::ExecuteCode;
pub use memory::Memory;
pub use patch::Patch;
pub use process::Process;
pub use read_file::ReadFile;
pub use search_files::SearchFiles;
pub use session_search::SessionSearch;
pub use skill_view::SkillView;
pub use skills_list::SkillsList;
pub use terminal::Terminal;
pub use todo::{Todo, TodoList};
pub use web_extract::{Answered, PostError, Poster, WebExtract};
pub use write_file::WriteFile;

use crate::registry::Registry;
use crate::tool::Tool;

/// All of them.
pub fn all() -> Registry {
    let tools: [Arc<dyn Tool>; 15] = [
        Arc::new(Clarify),
        Arc::new(DelegateTask),
        Arc::new(ExecuteCode),
        Arc::new(Memory),
        Arc::new(Patch),
        Arc::new(Process),
        Arc::new(ReadFile),
        Arc::new(SearchFiles),
        Arc::new(SessionSearch),
        Arc::new(SkillView),
        Arc::new(SkillsList),
        Arc::new(Terminal),
        Arc::new(Todo),
        Arc::new(WebExtract::default()),
        Arc::new(WriteFile),
    ];
    Registry::new(tools)
}
