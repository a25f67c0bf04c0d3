//! HTTPS with a certificate of our own, made anew at each start.
//!
//! Headsets want a secure page. Nobody vouches for the certificate: the browser warns, and a person has to accept it once.

use rcgen::{CertifiedKey, generate_simple_self_signed};
use rustls::ServerConfig;
use rustls::pki_types::{PrivateKeyDer, PrivatePkcs8KeyDer};
use std::net::IpAddr;
use std::sync::Arc;

/// A certificate for these addresses, ready for the server; the error is a sentence.
pub(super) fn configuration(addresses: &[IpAddr]) -> Result<Arc<ServerConfig>, String> {
    let names = std::iter::once("localhost".to_owned()).chain(addresses.iter().map(ToString::to_string));
    let CertifiedKey { cert, signing_key } =
        generate_simple_self_signed(names.collect::<Vec<_>>()).map_err(|error| error.to_string())?;
    let key = PrivateKeyDer::from(PrivatePkcs8KeyDer::from(signing_key.serialize_der()));
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let mut config = ServerConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .and_then(|builder| builder.with_no_client_auth().with_single_cert(vec![cert.der().clone()], key))
        .map_err(|error| error.to_string())?;
    // WebSockets are opened with HTTP/1.1.
    config.alpn_protocols = vec![b"http/1.1".to_vec()];
    Ok(Arc::new(config))
}
