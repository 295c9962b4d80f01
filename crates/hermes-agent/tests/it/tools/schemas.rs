//! What the model is told about tools, byte for byte: a change makes every provider's cache useless and every model behave
//! differently, so it has to be meant.

use hermes_agent::tools;
use serde_json::{Value, json};

const KEPT: &str = include_str!("schemas.json");

fn schemas() -> Vec<Value> {
    let shown = |tool: &dyn hermes_agent::Tool| json!({"name": tool.name(), "description": tool.description(), "parameters": tool.parameters()});
    tools::all().iter().map(|tool| shown(tool.as_ref())).collect()
}

#[test]
fn schemas_change_only_on_purpose() {
    let now = format!("{}\n", serde_json::to_string_pretty(&schemas()).unwrap());
    if now != KEPT {
        let place = std::path::Path::new(env!("CARGO_TARGET_TMPDIR")).join("schemas.json");
        std::fs::write(&place, &now).unwrap();
        panic!(
            "what models are told about tools has changed; if that is meant, copy {} to tests/it/tools/schemas.json\n{}",
            place.display(),
            similar::TextDiff::from_lines(KEPT, &now).unified_diff().context_radius(2)
        );
    }
    assert_eq!(serde_json::to_string(&schemas()).unwrap(), serde_json::to_string(&schemas()).unwrap());
}

#[test]
fn every_schema_is_valid_and_describes_an_object() {
    for schema in schemas() {
        let (name, parameters) = (&schema["name"], &schema["parameters"]);
        assert!(jsonschema::meta::is_valid(parameters), "{name}: {parameters}");
        jsonschema::validator_for(parameters).unwrap_or_else(|error| panic!("{name}: {error}"));
        assert_eq!(parameters["type"], "object", "{name}");
        let properties = parameters["properties"].as_object().unwrap_or_else(|| panic!("{name} has no properties"));
        for required in parameters["required"].as_array().into_iter().flatten() {
            assert!(
                properties.contains_key(required.as_str().unwrap()),
                "{name} requires {required}, which it does not have"
            );
        }
        assert!(schema["description"].as_str().unwrap().len() > 40, "{name}");
    }
}

/// The names and arguments of the original, so that whoever knows its tools knows these.
#[test]
fn names_and_arguments_are_the_originals() {
    let expected = [
        ("clarify", "choices question"),
        ("execute_code", "code"),
        ("memory", "action content old_text target"),
        ("patch", "mode new_string old_string patch path replace_all"),
        ("process", "action data limit offset session_id timeout"),
        ("read_file", "limit offset path"),
        ("search_files", "context file_glob limit offset output_mode path pattern target"),
        ("session_search", "limit query role_filter"),
        ("skill_view", "file_path name"),
        ("skills_list", "category"),
        ("terminal", "background command notify_on_complete pty timeout watch_patterns workdir"),
        ("todo", "merge todos"),
        ("web_extract", "urls"),
        ("write_file", "content path"),
    ];
    let all = tools::all();
    for (name, arguments) in expected {
        let parameters = all.get(name).unwrap_or_else(|| panic!("no {name}")).parameters();
        let mut names: Vec<_> = parameters["properties"].as_object().unwrap().keys().map(String::as_str).collect();
        names.sort_unstable();
        assert_eq!(names.join(" "), arguments, "{name}");
    }
}
