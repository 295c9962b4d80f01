//! Sessions and transcripts, through their interface.

use hermes_proto::message::{Message, Role, ToolCall, Usage};

use super::*;
use crate::{Settings, StoreError, Time};

struct Ground {
    folder: tempfile::TempDir,
    sessions: Sessions,
}

impl Ground {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let sessions = Sessions::open(&Store::of(folder.path(), Settings::default()));
        Self { folder, sessions }
    }

    fn session(&self, said: &[&str]) -> SessionId {
        let id = self.sessions.create(&NewSession::from("cli")).unwrap();
        self.sessions.append(&id, &spoken(said)).unwrap();
        id
    }

    /// What the model sees.
    fn seen(&self, id: &SessionId) -> Vec<String> {
        self.sessions.transcript(id).unwrap().messages.iter().map(|stored| stored.message.text()).collect()
    }

    fn positions(&self, id: &SessionId) -> Vec<Position> {
        self.sessions.everything(id).unwrap().iter().map(|stored| stored.position).collect()
    }

    fn found(&self, text: &str) -> Vec<String> {
        let hits = self.sessions.search(text, &SearchFilter::everywhere(10)).unwrap();
        hits.into_iter().map(|hit| hit.snippet).collect()
    }

    fn age(&self, id: &SessionId, days: u32) {
        let connection = rusqlite::Connection::open(self.folder.path().join(crate::FILE)).unwrap();
        let then = Time::now().days_before(days);
        connection.execute("UPDATE sessions SET updated = ?2 WHERE id = ?1", (id, then)).unwrap();
    }
}

fn spoken(texts: &[&str]) -> Vec<Said> {
    texts.iter().map(|text| Said::from(Message::user(*text))).collect()
}

#[test]
fn a_transcript_comes_back_as_it_was_said() {
    let ground = Ground::new();
    let new = NewSession {
        key: Some("agent:main:telegram:dm:7".to_owned()),
        user: Some("ann".to_owned()),
        model: Some("small".to_owned()),
        folder: Some("/work".to_owned()),
        ..NewSession::from("telegram")
    };
    let id = ground.sessions.create(&new).unwrap();
    let call = ToolCall { id: "c".into(), name: "terminal".to_owned(), arguments: "{\"command\":\"ls\"}".to_owned() };
    let usage = Usage { input: 10, output: 5, cached_input: 4, cache_write: 2, reasoning: 1 };
    let calling = Message::Assistant { text: "see".to_owned(), reasoning: None, tool_calls: vec![call.clone()] };
    let messages = [Message::user("list it"), calling, Message::tool_result(&call, "a b")];
    let said = messages.clone().map(|message| Said { usage: Some(usage), ..Said::from(message) });
    ground.sessions.append(&id, &said[..1]).unwrap();
    ground.sessions.append(&id, &said[1..]).unwrap();
    ground.sessions.add_usage(&id, usage).unwrap();
    let transcript = ground.sessions.transcript(&id).unwrap();
    assert_eq!(
        transcript.messages.iter().map(|stored| &stored.message).collect::<Vec<_>>(),
        messages.iter().collect::<Vec<_>>()
    );
    assert_eq!(transcript.repaired(), messages);
    let session = ground.sessions.find(id.as_str()).unwrap();
    assert_eq!((session.messages, session.tool_calls, session.usage.input, session.usage.total()), (3, 1, 40, 60));
    assert_eq!((session.preview.as_deref(), session.folder.as_deref()), (Some("list it"), Some("/work")));
    assert_eq!(ground.sessions.latest_of_key("agent:main:telegram:dm:7").unwrap().unwrap().id, id);
    assert_eq!(ground.sessions.latest_of("cli").unwrap(), None);
}

#[test]
fn a_killed_turn_is_repaired_when_it_is_loaded() {
    let ground = Ground::new();
    let id = ground.session(&["go"]);
    let call = ToolCall { id: "c".into(), name: "terminal".to_owned(), arguments: "{}".to_owned() };
    let calling = Message::Assistant { text: String::new(), reasoning: None, tool_calls: vec![call.clone()] };
    ground.sessions.append(&id, &[calling.clone().into()]).unwrap();
    let transcript = ground.sessions.transcript(&id).unwrap();
    assert_eq!(transcript.repaired(), [Message::user("go"), calling, Message::tool_result(&call, INTERRUPTED)]);
    assert_eq!(transcript.messages.len(), 2, "nothing is rewritten");
}

#[test]
fn the_end_of_a_transcript_is_replaced() {
    let ground = Ground::new();
    let id = ground.session(&["one", "two", "three"]);
    let positions = ground.positions(&id);
    ground.sessions.replace_tail(&id, Tail::After(positions[0]), &spoken(&["zwei"])).unwrap();
    assert_eq!(ground.seen(&id), ["one", "zwei"]);
    assert_eq!(ground.found("three"), Vec::<String>::new());
    let gone = ground.sessions.replace_tail(&id, Tail::After(positions[2]), &[]).unwrap_err();
    assert!(matches!(gone, SessionError::NotInTranscript { .. }), "{gone:?}");
    ground.sessions.replace_tail(&id, Tail::Everything, &[]).unwrap();
    assert_eq!(ground.seen(&id), Vec::<String>::new());
}

#[test]
fn what_a_summary_stands_for_stays_and_is_found() {
    let ground = Ground::new();
    let id = ground.session(&["head", "alpha", "beta", "tail"]);
    let positions = ground.positions(&id);
    ground.sessions.compact(&id, positions[1], positions[2], &spoken(&["summary one"])).unwrap();
    assert_eq!(ground.seen(&id), ["head", "summary one", "tail"]);
    ground.sessions.append(&id, &spoken(&["more"])).unwrap();
    // A second time, over the first summary.
    let seen = ground.sessions.transcript(&id).unwrap().messages;
    ground.sessions.compact(&id, seen[1].position, seen[2].position, &spoken(&["summary two"])).unwrap();
    assert_eq!(ground.seen(&id), ["head", "summary two", "more"]);
    let everything = ground.sessions.everything(&id).unwrap();
    let texts: Vec<_> = everything.iter().map(|stored| stored.message.text()).collect();
    assert_eq!(texts, ["head", "alpha", "beta", "summary one", "tail", "summary two", "more"]);
    assert!(matches!(everything[1].standing, Standing::Archived(_)));
    let hits = ground.sessions.search("alpha", &SearchFilter::everywhere(5)).unwrap();
    assert!(hits[0].archived, "{hits:?}");
    let hidden = ground.sessions.compact(&id, positions[1], positions[2], &[]).unwrap_err();
    assert!(matches!(hidden, SessionError::NotInTranscript { .. }), "{hidden:?}");
    // Undo beyond a summary takes what it stood for along.
    ground.sessions.replace_tail(&id, Tail::After(positions[0]), &[]).unwrap();
    assert_eq!(ground.sessions.everything(&id).unwrap().len(), 1);
}

#[test]
fn a_summary_of_a_summary_at_the_same_place_finds_room() {
    let ground = Ground::new();
    let id = ground.session(&["old", "new"]);
    for _ in 0..5 {
        let first = ground.sessions.transcript(&id).unwrap().messages[0].position;
        ground.sessions.compact(&id, first, first, &spoken(&["sum", "mary"])).unwrap();
        let second = ground.sessions.transcript(&id).unwrap().messages[1].position;
        ground.sessions.compact(&id, second, second, &[]).unwrap();
    }
    assert_eq!(ground.seen(&id), ["sum", "new"]);
}

#[test]
fn nothing_is_added_to_a_session_that_does_not_exist() {
    let ground = Ground::new();
    let error = ground.sessions.append(&SessionId::new(), &spoken(&["x"])).unwrap_err();
    assert!(matches!(error, SessionError::NotFound { .. }), "{error:?}");
}

#[test]
fn a_session_is_found_by_id_beginning_title_or_as_the_latest() {
    let ground = Ground::new();
    assert!(matches!(ground.sessions.find("latest"), Err(SessionError::NoneYet)));
    let (one, two) = (ground.session(&["one"]), ground.session(&["two"]));
    ground.sessions.rename(&one, " fix  the build ").unwrap();
    ground.age(&two, 1);
    let find = |asked: &str| ground.sessions.find(asked).map(|session| session.id);
    assert_eq!(find("latest").unwrap(), one);
    assert_eq!(find(two.as_str()).unwrap(), two);
    assert_eq!(find("fix the build").unwrap(), one);
    assert_eq!(find(&two.as_str()[..27]).unwrap(), two);
    assert!(matches!(find("2"), Err(SessionError::Ambiguous { candidates, .. }) if candidates.len() == 2));
    for nothing in ["", "  ", "%", "_", "fix", "x'; DROP TABLE sessions"] {
        assert!(matches!(find(nothing), Err(SessionError::NotFound { .. })), "{nothing:?}");
    }
}

#[test]
fn titles_are_unique() {
    let ground = Ground::new();
    let ids: Vec<_> = (0..3).map(|_| ground.session(&[])).collect();
    ground.sessions.rename(&ids[0], "plan").unwrap();
    ground.sessions.rename(&ids[0], "plan").unwrap();
    match ground.sessions.rename(&ids[1], "plan") {
        Err(SessionError::TitleTaken { holder, .. }) => assert_eq!(holder, ids[0]),
        other => panic!("{other:?}"),
    }
    let title = Title::parse("plan").unwrap();
    assert_eq!(ground.sessions.rename_freely(&ids[1], &title).unwrap().as_str(), "plan #2");
    assert_eq!(ground.sessions.rename_freely(&ids[2], &title).unwrap().as_str(), "plan #3");
    assert_eq!(ground.sessions.rename_freely(&ids[2], &title).unwrap().as_str(), "plan #3");
    assert!(matches!(ground.sessions.rename(&ids[1], "latest"), Err(SessionError::Title { .. })));
}

#[test]
fn old_sessions_are_removed_with_everything_in_them() {
    let ground = Ground::new();
    let (old, new) = (ground.session(&["ancient words"]), ground.session(&["fresh words"]));
    let child = ground.sessions.create(&NewSession { parent: Some(old.clone()), ..NewSession::from("cli") }).unwrap();
    ground.age(&old, 91);
    let moment = Time::now().days_before(90);
    assert_eq!(ground.sessions.unused_since(moment, Some("telegram")).unwrap(), []);
    assert_eq!(ground.sessions.unused_since(moment, None).unwrap()[0].id, old);
    assert_eq!(ground.sessions.prune(moment, None).unwrap(), 1);
    assert_eq!(ground.found("words"), ["fresh **words**"]);
    assert_eq!(ground.sessions.find(child.as_str()).unwrap().parent, None);
    ground.sessions.delete(&new).unwrap();
    assert_eq!(ground.found("words"), Vec::<String>::new());
    assert!(matches!(ground.sessions.delete(&new), Err(SessionError::NotFound { .. })));
    let connection = rusqlite::Connection::open(ground.folder.path().join(crate::FILE)).unwrap();
    connection.execute_batch("INSERT INTO messages_text (messages_text) VALUES ('integrity-check')").unwrap();
}

/// The index learns of messages later than the transcript, and a search never notices.
#[test]
fn what_was_said_last_is_found_and_what_was_removed_is_not() {
    let ground = Ground::new();
    let check = |sessions: &[SessionId]| {
        assert_eq!(ground.found("common").len(), sessions.len().min(10));
        let connection = rusqlite::Connection::open(ground.folder.path().join(crate::FILE)).unwrap();
        connection
            .execute_batch("INSERT INTO messages_text (messages_text, rank) VALUES ('integrity-check', 1)")
            .unwrap();
        let behind: i64 =
            connection.query_row("SELECT count(*) FROM messages_unindexed", [], |row| row.get(0)).unwrap();
        assert_eq!(behind, 0);
    };
    // Removed before and after the index knew it, and with its number used again.
    let mut sessions = vec![ground.session(&["common one"])];
    ground.sessions.delete(&sessions.remove(0)).unwrap();
    sessions.push(ground.session(&["common two"]));
    check(&sessions);
    ground.sessions.delete(&sessions.remove(0)).unwrap();
    sessions.push(ground.session(&["common three"]));
    check(&sessions);
    // Without a search the index does not fall far behind.
    sessions.extend((0..600).map(|number| ground.session(&[&format!("common {number}")])));
    let connection = rusqlite::Connection::open(ground.folder.path().join(crate::FILE)).unwrap();
    let behind: i64 = connection.query_row("SELECT count(*) FROM messages_unindexed", [], |row| row.get(0)).unwrap();
    assert!((1..512).contains(&behind), "{behind}");
    check(&sessions);
}

/// Whatever is looked for is words, never a query.
#[test]
fn a_search_is_safe_from_its_text() {
    let ground = Ground::new();
    ground.session(&[
        "the quick brown fox",
        "don't \"quote\" me",
        "面白い日本語のテキスト",
        "call foo_bar::baz(x)",
        "100%",
    ]);
    for (text, hits) in [
        ("quick fox", 1),
        ("quick AND fox", 0),
        ("quick NOT fox", 0),
        ("text:quick", 0),
        ("fox*", 1),
        ("\"quote\"", 1),
        ("don't", 1),
        ("NEAR(quick fox)", 0),
        ("^the", 1),
        ("日本語", 1),
        ("r::ba", 1),
        ("0%", 1),
        ("%", 1),
        ("", 0),
        (" \t", 0),
        ("\"", 1),
        ("\"\"", 0),
        ("(", 1),
        ("a OR", 0),
        ("-", 0),
        ("{quick} : fox", 1),
        ("'; DROP TABLE messages; --", 0),
        ("a\0b", 0),
    ] {
        let found = ground.sessions.search(text, &SearchFilter::everywhere(10));
        assert_eq!(found.unwrap_or_else(|error| panic!("{text:?}: {error}")).len(), hits, "{text:?}");
    }
    assert_eq!(ground.found(&"zz ".repeat(100_000)), Vec::<String>::new());
}

#[test]
fn a_search_can_be_narrowed() {
    let ground = Ground::new();
    let id = ground.session(&["needle", "needle needle"]);
    ground.session(&["needle"]);
    let count = |filter: SearchFilter| ground.sessions.search("needle", &filter).unwrap().len();
    let all = SearchFilter::everywhere(10);
    assert_eq!(count(all.clone()), 3);
    assert_eq!(count(SearchFilter { limit: 1, ..all.clone() }), 1);
    assert_eq!(count(SearchFilter { session: Some(id), ..all.clone() }), 2);
    assert_eq!(count(SearchFilter { role: Some(Role::Assistant), ..all.clone() }), 0);
    assert_eq!(count(SearchFilter { source: Some("telegram".to_owned()), ..all.clone() }), 0);
    assert_eq!(count(SearchFilter { key: Some("another chat".to_owned()), ..all }), 0);
}

#[test]
fn lists_and_sums() -> Result<(), StoreError> {
    let ground = Ground::new();
    assert_eq!(ground.sessions.list(&Listing::newest(5))?, []);
    assert_eq!(ground.sessions.stats()?, Stats::default());
    assert_eq!(std::fs::read_dir(ground.folder.path()).unwrap().count(), 0, "reading creates nothing");
    let ids: Vec<_> = (0..3).map(|_| ground.session(&["a", "b"])).collect();
    ground.sessions.create(&NewSession::from("telegram"))?;
    ground.age(&ids[0], 2);
    let listed: Vec<_> = ground.sessions.list(&Listing { source: Some("cli".to_owned()), ..Listing::newest(10) })?;
    assert_eq!(listed.len(), 3);
    assert_eq!(listed[2].id, ids[0]);
    assert_eq!(ground.sessions.list(&Listing { offset: 3, ..Listing::newest(10) })?.len(), 1);
    let stats = ground.sessions.stats()?;
    assert_eq!((stats.sessions, stats.messages, stats.sources[0].messages), (4, 6, 6));
    Ok(())
}

#[test]
fn a_session_ends_and_goes_on() {
    let ground = Ground::new();
    let id = ground.session(&[]);
    ground.sessions.end(&id, "quit").unwrap();
    ground.sessions.set_model(&id, "large").unwrap();
    ground.sessions.set_folder(&id, "/elsewhere").unwrap();
    let session = ground.sessions.find(id.as_str()).unwrap();
    assert_eq!((session.end_reason.as_deref(), session.model.as_deref()), (Some("quit"), Some("large")));
    ground.sessions.resume(&id).unwrap();
    assert_eq!(ground.sessions.find(id.as_str()).unwrap().ended, None);
}

#[test]
fn a_fork_sees_what_was_seen_and_goes_on_apart() {
    let ground = Ground::new();
    let first = ground.session(&["one", "two", "three"]);
    let positions = ground.positions(&first);
    ground.sessions.compact(&first, positions[0], positions[1], &spoken(&["sum"])).unwrap();
    let fork = ground.sessions.fork(&first, &NewSession::from("cli")).unwrap();
    assert_eq!(ground.seen(&fork), ["sum", "three"]);
    ground.sessions.append(&fork, &spoken(&["four"])).unwrap();
    assert_eq!((ground.seen(&first).len(), ground.seen(&fork).len()), (2, 3));
    assert_eq!(ground.sessions.find(fork.as_str()).unwrap().parent, Some(first));
    let missing = ground.sessions.fork(&SessionId::from("none".to_owned()), &NewSession::from("cli"));
    assert!(matches!(missing, Err(SessionError::NotFound { .. })));
}

#[test]
fn sessions_are_listed_by_their_conversation() {
    let ground = Ground::new();
    for key in ["agent:a:1", "agent:a:2", "agent:b:1", "agent:a"] {
        ground.sessions.create(&NewSession { key: Some(key.to_owned()), ..NewSession::from("cli") }).unwrap();
    }
    let ended = ground.sessions.latest_of_key("agent:a:2").unwrap().unwrap().id;
    ground.sessions.end(&ended, "done").unwrap();
    let check = |keys: Keys, ended: Option<bool>, expected: &[&str]| {
        let listed = ground.sessions.list(&Listing { keys, ended, ..Listing::newest(10) }).unwrap();
        let mut keys: Vec<_> = listed.into_iter().filter_map(|session| session.key).collect();
        keys.sort();
        assert_eq!(keys, expected);
    };
    check(Keys::Exactly("agent:a".to_owned()), None, &["agent:a"]);
    check(Keys::BeginningWith("agent:a:".to_owned()), None, &["agent:a:1", "agent:a:2"]);
    check(Keys::BeginningWith("agent:a:".to_owned()), Some(true), &["agent:a:2"]);
    check(Keys::All, Some(false), &["agent:a", "agent:a:1", "agent:b:1"]);
}
