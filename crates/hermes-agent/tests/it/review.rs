//! A model that reviews flagged commands spares the person, or does not.

use hermes_agent::ModelReviewer;
use hermes_approval::{Review, ReviewRequest, Reviewer};
use hermes_home::config::{Auxiliary, Config};
use hermes_model::ModelError;
use hermes_proto::consent::Finding;

use super::script::{Answer, Script, Step, calls, fails, says};

async fn reviewed(command: &str, answer: Answer, config: &Config) -> (Review, usize) {
    let model = Script::new([answer]);
    let finding = Finding { key: "rm".to_owned(), reason: "removes".to_owned(), about: String::new() };
    let request = ReviewRequest {
        command: command.to_owned(),
        place: "here".to_owned(),
        findings: vec![finding],
        policy_text: String::new(),
    };
    let review = ModelReviewer::new(model.clone(), config).review(&request).await;
    for asked in model.requests() {
        assert_eq!(asked.temperature, Some(0.0));
        assert!(asked.tools.is_empty());
    }
    (review, model.requests().len())
}

#[tokio::test]
async fn only_a_clean_word_spares_the_person() {
    let config = Config::default();
    assert_eq!(reviewed("rm x", says("APPROVE"), &config).await, (Review::Approve, 1));
    for answer in [says("APPROVE, but"), says(""), calls(&[("a", "approve", "{}")]), fails(ModelError::CutOff)] {
        assert_ne!(reviewed("rm x", answer, &config).await.0, Review::Approve);
    }
    assert_eq!(reviewed("rm \u{202e}x", says("APPROVE"), &config).await, (Review::Escalate, 0));
}

#[tokio::test]
async fn a_model_that_does_not_answer_is_not_waited_for() {
    let mut config = Config::default();
    config.auxiliary.insert("approval".to_owned(), Auxiliary { timeout: Some(0), ..Auxiliary::default() });
    assert_eq!(reviewed("rm x", vec![Step::Hang], &config).await.0, Review::Escalate);
}
