//! TLS as the whole program speaks it: *ring*, and the roots that are compiled in. Nothing is set up for the process.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use rustls::pki_types::CertificateDer;
use rustls::pki_types::pem::PemObject;

/// Why there is no TLS.
#[derive(Debug, thiserror::Error)]
pub enum TlsError {
    #[error("certificates of {} cannot be used: {what}", path.display())]
    Certificates { path: PathBuf, what: String },
    #[error(transparent)]
    Setup(#[from] rustls::Error),
}

/// Settings for a client that also trusts the certificates of a file. Made when the first connection needs them.
pub fn tls(trusted: Option<&Path>) -> Result<rustls::ClientConfig, TlsError> {
    let mut roots = rustls::RootCertStore { roots: webpki_roots::TLS_SERVER_ROOTS.to_vec() };
    if let Some(path) = trusted {
        trust(path, &mut roots).map_err(|what| TlsError::Certificates { path: path.to_owned(), what })?;
    }
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let config = rustls::ClientConfig::builder_with_provider(provider).with_safe_default_protocol_versions()?;
    Ok(config.with_root_certificates(roots).with_no_client_auth())
}

/// Adds the certificates of a file to those that are trusted. One that cannot be used is an error: the operator counts on it.
fn trust(path: &Path, roots: &mut rustls::RootCertStore) -> Result<(), String> {
    let certificates = CertificateDer::pem_file_iter(path).map_err(|error| error.to_string())?;
    for certificate in certificates {
        roots.add(certificate.map_err(|error| error.to_string())?).map_err(|error| error.to_string())?;
    }
    Ok(())
}
