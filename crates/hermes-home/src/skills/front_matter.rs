//! The lines between two `---` at the top of a SKILL.md.

use serde_json::Value as Json;

use crate::yaml;

/// What a SKILL.md says about itself; null when it says nothing that can be read.
pub(super) fn front_matter(text: &str) -> Json {
    let text = text.trim_start_matches('\u{feff}');
    let Some(rest) =
        text.strip_prefix("---").and_then(|rest| rest.trim_start_matches([' ', '\t', '\r']).strip_prefix('\n'))
    else {
        return Json::Null;
    };
    let mut end = 0;
    for line in rest.split_inclusive('\n') {
        if line.trim_end() == "---" {
            return yaml::parse(&rest.as_bytes()[..end]).map_or(Json::Null, |node| node.to_json());
        }
        end += line.len();
    }
    Json::Null
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::front_matter;

    #[test]
    fn only_a_closed_block_at_the_top_counts() {
        for (text, expected) in [
            ("---\nname: a\ntags: [x]\n---\nbody", json!({"name": "a", "tags": ["x"]})),
            ("\u{feff}---\r\nname: a\r\n---\r\nbody", json!({"name": "a"})),
            ("---\nname: a\n", Value::Null),
            ("name: a\n---\n", Value::Null),
            ("---\n- a\n---\n", Value::Null),
            ("---\nname: [\n---\n", Value::Null),
            ("", Value::Null),
            ("---", Value::Null),
            ("---\n---\n", json!({})),
        ] {
            assert_eq!(front_matter(text), expected, "{text:?}");
        }
    }
}
