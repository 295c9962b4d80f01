//! Secure connections: whom they trust, and what is said when they do not.

use std::path::Path;
use std::sync::Arc;

use hermes_model::{Dialect, Endpoint, Retries};
use hermes_proto::{Explain, Fault};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpListener;
use tokio_rustls::TlsAcceptor;
use tokio_rustls::rustls::ServerConfig;
use tokio_rustls::rustls::pki_types::PrivateKeyDer;

use crate::support::{answer, ask, endpoint, kind};

const ANSWER: &str = r#"{"choices":[{"message":{"content":"privately"},"finish_reason":"stop"}]}"#;

/// A server with a certificate that nobody but the holder of the file trusts.
async fn server(folder: &Path) -> (TcpListener, TlsAcceptor) {
    let made = rcgen::generate_simple_self_signed(["localhost".to_owned()]).unwrap();
    std::fs::write(folder.join("own.pem"), made.cert.pem()).unwrap();
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let config = ServerConfig::builder_with_provider(provider).with_safe_default_protocol_versions().unwrap();
    let key = PrivateKeyDer::Pkcs8(made.signing_key.serialize_der().into());
    let config = config.with_no_client_auth().with_single_cert(vec![made.cert.der().clone()], key).unwrap();
    (TcpListener::bind("127.0.0.1:0").await.unwrap(), TlsAcceptor::from(Arc::new(config)))
}

/// Answers one request, if the caller trusts us.
async fn serve(listener: &TcpListener, acceptor: &TlsAcceptor) {
    let (stream, _) = listener.accept().await.unwrap();
    let Ok(mut stream) = acceptor.accept(stream).await else { return };
    let mut head = [0; 1024];
    assert!(stream.read(&mut head).await.unwrap() > 0);
    let answer = format!("HTTP/1.1 200 OK\r\ncontent-length: {}\r\n\r\n{ANSWER}", ANSWER.len());
    stream.write_all(answer.as_bytes()).await.unwrap();
    let _ = stream.shutdown().await;
}

#[tokio::test]
async fn only_a_trusted_server_gets_the_key() {
    let folder = tempfile::tempdir().unwrap();
    let (listener, acceptor) = server(folder.path()).await;
    let url = format!("https://localhost:{}/v1", listener.local_addr().unwrap().port());
    let once = Retries { attempts: 1, ..Retries::default() };
    let stranger = Endpoint { retries: once, ..endpoint(Dialect::ChatCompletions, url) };
    let request = ask("hi");
    let (error, ()) = tokio::join!(answer(stranger.clone(), &request), serve(&listener, &acceptor));
    let error = error.unwrap_err();
    assert_eq!(kind(&error), "NotReachable");
    assert!(error.to_string().contains("certificate"), "{error}");

    let trusting = Endpoint { trusted: Some(folder.path().join("own.pem")), ..stranger.clone() };
    let (finished, ()) = tokio::join!(answer(trusting, &request), serve(&listener, &acceptor));
    assert_eq!(finished.unwrap().message.text(), "privately");

    for (name, content) in
        [("none.pem", None), ("odd.pem", Some("-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n"))]
    {
        let path = folder.path().join(name);
        content.into_iter().for_each(|content| std::fs::write(&path, content).unwrap());
        let error = answer(Endpoint { trusted: Some(path), ..stranger.clone() }, &request).await.unwrap_err();
        assert_eq!((kind(&error).as_str(), error.fault()), ("Certificates", Fault::Configuration), "{error}");
    }
}
