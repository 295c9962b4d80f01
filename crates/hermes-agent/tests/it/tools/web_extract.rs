//! Pages from a server of the test; without leave, none from this machine.

use hermes_agent::ToolContext;
use hermes_proto::turn::Surface;
use serde_json::json;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpListener;
use tokio::task::JoinSet;

use super::{Bench, call};
use crate::ground::turn;

/// Serves one page; the server ends with what is returned.
async fn serve() -> (u16, JoinSet<()>) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = listener.local_addr().unwrap().port();
    let body = "<html><head><title>Birds</title></head><body><p>A pelican.</p></body></html>";
    let answer = format!(
        "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: {}\r\nConnection: close\r\n\r\n{body}",
        body.len()
    );
    let mut serving = JoinSet::new();
    serving.spawn(async move {
        while let Ok((mut stream, _)) = listener.accept().await {
            let _ = stream.read(&mut [0; 4096]).await;
            let _ = stream.write_all(answer.as_bytes()).await;
        }
    });
    (port, serving)
}

#[tokio::test]
async fn a_page_comes_as_text_beside_those_that_do_not() {
    let (port, _serving) = serve().await;
    let mut bench = Bench::new();
    bench.config.security.allow_private_urls = true;
    let page = format!("http://127.0.0.1:{port}/birds");
    let reply = bench.call("web_extract", json!({"urls": [page, "file:///etc/passwd", "nonsense"]})).await;
    let results = &reply.content["results"];
    assert_eq!((&results[0]["url"], &results[0]["title"]), (&json!(page), &json!("Birds")), "{reply:?}");
    assert!(results[0]["content"].as_str().unwrap().contains("A pelican."), "{reply:?}");
    assert_eq!(results[1]["error"], "file addresses are not fetched, only http and https");
    assert_eq!(results[2]["error"], "\"nonsense\" is no address");
    assert_eq!(reply.summary, "1 of 3 pages");
}

/// Two agents of one process share the tool, and not the leave that one of them has.
#[tokio::test]
async fn private_addresses_are_refused_by_default_whatever_another_agent_may() {
    let (port, _serving) = serve().await;
    let mut bench = Bench::new();
    let turn = turn(Surface::Gateway);
    let closed = bench.context(&turn);
    bench.config.security.allow_private_urls = true;
    let open = ToolContext { tools: closed.tools.clone(), ..bench.context(&turn) };
    let urls = json!({"urls": [format!("http://127.0.0.1:{port}/"), format!("http://localhost:{port}/")]});
    for _ in 0..2 {
        let reply = call(&open, "web_extract", urls.clone()).await;
        assert_eq!(reply.summary, "2 of 2 pages", "{reply:?}");
        let reply = call(&closed, "web_extract", urls.clone()).await;
        assert_eq!(reply.summary, "0 of 2 pages", "{reply:?}");
        assert!(!reply.content.to_string().contains("pelican"), "{reply:?}");
    }
}

#[tokio::test]
async fn an_interrupted_turn_does_not_wait_for_a_page() {
    // Takes connections and says nothing.
    let silent = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}/", silent.local_addr().unwrap());
    let mut bench = Bench::new();
    bench.config.security.allow_private_urls = true;
    let turn = turn(Surface::Gateway);
    let context = bench.context(&turn);
    let interrupting = async {
        let connection = silent.accept().await.unwrap();
        turn.cancellation().cancel();
        connection
    };
    let (reply, _connection) = tokio::join!(call(&context, "web_extract", json!({"urls": [url]})), interrupting);
    assert_eq!(reply.outcome, hermes_agent::ToolOutcome::Interrupted);
}
