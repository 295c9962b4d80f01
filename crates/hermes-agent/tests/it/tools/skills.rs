//! Skills: found, shown, and no way out of their folder.

use std::fs;

use hermes_agent::ToolOutcome;
use serde_json::json;

use super::Bench;

fn bench() -> Bench {
    let bench = Bench::new();
    let folder = bench.home().path().join("skills/code/review");
    fs::create_dir_all(folder.join("references")).unwrap();
    let text = "---\nname: review\ndescription: Reviews changes.\n---\n\n# Steps\nLook at references/list.md.\n";
    fs::write(folder.join("SKILL.md"), text).unwrap();
    fs::write(folder.join("references/list.md"), "one\n").unwrap();
    fs::write(bench.home().path().join(".env"), "OPENAI_API_KEY=sk-of-the-home\n").unwrap();
    std::os::unix::fs::symlink(bench.home().path().join(".env"), folder.join("references/link.md")).unwrap();
    bench
}

#[tokio::test]
async fn skills_are_listed_by_category() {
    let bench = bench();
    let reply = bench.call("skills_list", json!({})).await;
    let expected = json!([{"name": "review", "description": "Reviews changes.", "category": "code"}]);
    assert_eq!((&reply.content["skills"], &reply.content["categories"]), (&expected, &json!(["code"])));
    assert_eq!(bench.call("skills_list", json!({"category": "law"})).await.content["count"], 0);
}

#[tokio::test]
async fn a_skill_is_shown_with_the_files_it_has() {
    let bench = bench();
    let reply = bench.call("skill_view", json!({"name": "review"})).await;
    assert!(reply.content["content"].as_str().unwrap().contains("# Steps"), "{reply:?}");
    assert!(reply.content["linked_files"].to_string().contains("references/list.md"), "{reply:?}");
    let reply = bench.call("skill_view", json!({"name": "code/review", "file_path": "references/list.md"})).await;
    assert_eq!(reply.content["content"], "one\n");
}

#[tokio::test]
async fn no_file_outside_of_the_skill_is_shown() {
    let bench = bench();
    let outside = bench.home().path().join(".env").display().to_string();
    for file in ["../../../.env", "references/../../../../.env", "references/link.md", &outside, "missing.md", ""] {
        let reply = bench.call("skill_view", json!({"name": "review", "file_path": file})).await;
        assert_eq!(reply.outcome, ToolOutcome::Failed, "{file}: {reply:?}");
        assert!(!reply.content.to_string().contains("sk-of-the-home"), "{file}: {reply:?}");
    }
    let reply = bench.call("skill_view", json!({"name": "../review"})).await;
    assert_eq!(reply.content["error"], "no skill \"../review\": see skills_list");
}
