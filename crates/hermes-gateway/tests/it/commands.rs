//! Slash commands, as people type them.

use hermes_approval::Yolo;
use hermes_gateway::{Incoming, Role};

use crate::ground::{Ground, Running, direct};

async fn check(running: &Running, number: &mut u32, text: &str, expected: &str) {
    *number += 1;
    running.says("a", &number.to_string(), text).await;
    let heard = running.hears("a").await;
    assert!(heard.contains(expected), "{text}: {heard}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_conversation_is_begun_anew_taken_back_and_resumed() {
    let ground = Ground::new();
    let running = ground.start();
    let mut number = 0;
    let mut check = async |text: &str, expected: &str| {
        number += 1;
        running.says("a", &number.to_string(), text).await;
        let heard = running.hears("a").await;
        assert!(heard.contains(expected), "{text}: {heard}");
        heard
    };
    check("say one", "one").await;
    check("say two", "two").await;
    check("/undo", "say two").await;
    check("heard", "say one|heard").await;
    check("/retry", "say one|heard").await;
    check("/usage", "tokens").await;
    check("/status", "agent:main:test:dm:a").await;
    check("/help", "/approve").await;
    check("/nonsense", "no command").await;
    let sessions = check("/resume", "say one").await;
    let old = sessions.split('`').nth(1).unwrap().to_owned();
    check("/new", "a new session").await;
    check("heard", "heard").await;
    // Another chat cannot open it.
    running.says("b", "1", &format!("/resume {old}")).await;
    assert!(running.hears("b").await.contains("no such session"));
    check(&format!("/resume {old}"), "goes on").await;
    check("heard", "say one|heard|heard").await;
    running.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_new_session_stays_new_after_a_restart() {
    let ground = Ground::new();
    let running = ground.start();
    let mut number = 0;
    check(&running, &mut number, "say one", "one").await;
    check(&running, &mut number, "/new", "a new session").await;
    running.stop().await;
    let running = ground.start();
    running.says("a", "99", "heard").await;
    assert_eq!(running.hears("a").await, "heard");
    running.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn stop_ends_the_running_turn_and_work_beside_goes_on() {
    let ground = Ground::new();
    let running = ground.start();
    running.says("a", "1", "never").await;
    ground.server.received(1).await;
    running.says("a", "2", "/bg say beside").await;
    assert_eq!(running.hears("a").await, "beside");
    running.says("a", "3", "/stop").await;
    let mut heard = [running.hears("a").await, running.hears("a").await];
    heard.sort();
    assert_eq!(heard, ["(stopped)", "stopping"]);
    // What was done beside is no part of the conversation.
    running.says("a", "4", "heard").await;
    assert_eq!(running.hears("a").await, "never|heard");
    running.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn asking_is_switched_off_by_administrators_for_one_conversation() {
    let ground = Ground::new();
    let running = ground.start();
    let user = |message: &str, text: &str| {
        let mut incoming: Incoming = direct("a", message, text);
        incoming.person.role = Role::User;
        incoming
    };
    running.accepts(user("1", "/yolo on")).await;
    assert!(running.hears("a").await.contains("administrators"));
    let (a, b) = ("agent:main:test:dm:a".parse().unwrap(), "agent:main:test:dm:b".parse().unwrap());
    assert_eq!(running.guard.yolo(&a), Yolo::Off);
    running.says("a", "2", "/yolo on").await;
    running.hears("a").await;
    assert_eq!((running.guard.yolo(&a), running.guard.yolo(&b)), (Yolo::On, Yolo::Off));
    running.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn every_command_answers_whatever_stands_behind_it() {
    let ground = Ground::new();
    let running = ground.start();
    let mut number = 0;
    check(&running, &mut number, "/undo", "did not work").await;
    check(&running, &mut number, "/retry", "nothing to ask again").await;
    check(&running, &mut number, "/resume", "no earlier sessions").await;
    check(&running, &mut number, "/stop", "nothing is running").await;
    check(&running, &mut number, "/approve", "nothing").await;
    check(&running, &mut number, "/deny all because", "nothing").await;
    check(&running, &mut number, "say one", "one").await;
    check(&running, &mut number, "/model", "lab/m-1").await;
    check(&running, &mut number, "/model lab/m-2", "lab/m-2 answers").await;
    check(&running, &mut number, "say two", "two").await;
    assert_eq!(ground.server.requests().last().unwrap().body["model"], "m-2");
    check(&running, &mut number, "/model nowhere/else", "nowhere").await;
    check(&running, &mut number, "/compress", "messages").await;
    check(&running, &mut number, "/whoami", "user-a").await;
    check(&running, &mut number, "/stat", "nothing to do").await;
    check(&running, &mut number, "/st", "/stop or /status").await;
    check(&running, &mut number, "/yolo", "without asking").await;
    check(&running, &mut number, "/yolo", "ask first").await;
    check(&running, &mut number, "/bg say beside", "beside").await;
    let long = format!("/resume {}", "x".repeat(100_000));
    for hostile in ["/resume ../../etc/passwd", "/resume '; DROP TABLE sessions; --", "/resume \u{202e}x\0", &long] {
        check(&running, &mut number, hostile, "no such session").await;
    }
    for hostile in ["/model lab/\u{1b}[2J", "/model lab/m-1 or another"] {
        check(&running, &mut number, hostile, "no name of a model").await;
    }
    check(&running, &mut number, "heard", "say one").await;
    running.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn what_administrators_may_others_may_not() {
    let ground = Ground::new();
    let running = ground.start();
    for (number, text) in ["/model", "/model lab/m-2", "/yolo", "/yolo off", "/YOLO@bot on"].into_iter().enumerate() {
        let mut incoming = direct("a", &number.to_string(), text);
        incoming.person.role = Role::User;
        running.accepts(incoming).await;
        assert!(running.hears("a").await.contains("is for administrators"), "{text}");
    }
    let mut incoming = direct("a", "help", "/help");
    incoming.person.role = Role::User;
    running.accepts(incoming).await;
    let heard = running.hears("a").await;
    assert!(heard.contains("/stop") && !heard.contains("/yolo"), "{heard}");
    running.stop().await;
}
