//! The Python module through which a script calls tools: written anew for each script, with exactly
//! the tools that it was offered.
//!
//! It must run on every Python from 3.8 on with nothing but the standard library, from several
//! threads and after a fork. It decides nothing: whoever speaks to the socket without it is
//! held to the same rules.

use hermes_proto::executor::ScriptTool;

use super::gate::LONGEST_LINE;

const BASE: &str = include_str!("hermes_tools.py");

/// The source of `hermes_tools.py`.
pub(super) fn source(tools: &[ScriptTool]) -> String {
    let mut source = BASE.replace("@LONGEST@", &LONGEST_LINE.to_string());
    for tool in ScriptTool::ALL.into_iter().filter(|tool| tools.contains(tool)) {
        source.push_str("\n\n");
        source.push_str(&stub(tool));
    }
    source
}

/// A function that names its arguments and passes them on.
fn stub(tool: ScriptTool) -> String {
    let (signature, about) = described(tool);
    let names = signature.split(", ").map(|parameter| parameter.split('=').next().unwrap_or(parameter));
    let arguments: Vec<_> = names.map(|name| format!("\"{name}\": {name}")).collect();
    let (name, arguments) = (tool.name(), arguments.join(", "));
    format!("def {name}({signature}):\n    \"\"\"{about}\"\"\"\n    return _call(\"{name}\", {{{arguments}}})\n")
}

/// The parameters, no default of which contains a comma, and what the tool does.
fn described(tool: ScriptTool) -> (&'static str, &'static str) {
    match tool {
        ScriptTool::WebSearch => ("query, limit=5", "Searches the web."),
        ScriptTool::WebExtract => ("urls", "The readable text of web pages."),
        ScriptTool::ReadFile => ("path, offset=1, limit=500", "Lines of a text file, from 1."),
        ScriptTool::WriteFile => ("path, content", "Writes a whole file."),
        ScriptTool::SearchFiles => (
            "pattern, target=\"content\", path=\".\", file_glob=None, limit=50, offset=0, output_mode=\"content\", \
             context=0",
            "Finds lines by a pattern, or files by their names.",
        ),
        ScriptTool::Patch => (
            "path=None, old_string=None, new_string=None, replace_all=False, mode=\"replace\", patch=None",
            "Changes a part of a file.",
        ),
        ScriptTool::Terminal => ("command, timeout=None, workdir=None", "Runs a command to its end."),
    }
}

#[cfg(test)]
mod tests {
    use super::{ScriptTool, source};

    #[test]
    fn exactly_the_offered_tools_are_there() {
        let offered = |tools: &[ScriptTool]| -> Vec<ScriptTool> {
            let source = source(tools);
            ScriptTool::ALL.into_iter().filter(|tool| source.contains(&format!("def {}(", tool.name()))).collect()
        };
        let check = |tools: &[ScriptTool]| assert_eq!(Vec::<ScriptTool>::from(tools), offered(tools));
        check(&[]);
        check(&[ScriptTool::Terminal]);
        check(&[ScriptTool::ReadFile, ScriptTool::Patch]);
        check(&ScriptTool::ALL);
    }

    #[test]
    fn a_stub_has_the_arguments_of_its_tool() {
        let source = source(&ScriptTool::ALL);
        for expected in [
            "def web_search(query, limit=5):",
            "def web_extract(urls):",
            "def read_file(path, offset=1, limit=500):",
            "def write_file(path, content):",
            "def search_files(pattern, target=\"content\", path=\".\", file_glob=None, limit=50,",
            "def patch(path=None, old_string=None, new_string=None, replace_all=False, mode=\"replace\", patch=None):",
            "def terminal(command, timeout=None, workdir=None):",
            "return _call(\"terminal\", {\"command\": command, \"timeout\": timeout, \"workdir\": workdir})",
            "def json_parse(text):",
            "def shell_quote(text):",
            "def retry(fn, max_attempts=3, delay=2):",
        ] {
            assert!(source.contains(expected), "{expected}");
        }
        assert!(!source.contains('@'), "everything is filled in");
    }
}
