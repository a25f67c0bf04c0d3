//! HTTPS with a certificate of our own, made anew at each start.
//!
//! Headsets want a secure page. Nobody vouches for the certificate: the browser warns, and a person has to accept it once.

use rcgen::{CertifiedKey, generate_simple_self_signed};
use rustls::ServerConfig;
use rustls::crypto::ring::cipher_suite::TLS13_AES_128_GCM_SHA256;
use rustls::pki_types::{PrivateKeyDer, PrivatePkcs8KeyDer};
use std::net::IpAddr;
use std::sync::Arc;

/// A certificate, and what a person can compare in the browser's warning.
pub(super) struct Certificate {
    pub(super) configuration: Arc<ServerConfig>,
    /// SHA-256 of the certificate, in pairs of digits with colons between them, as browsers show it.
    pub(super) fingerprint: String,
}

/// A certificate for these addresses, ready for the server; the error is a sentence.
pub(super) fn certificate(addresses: &[IpAddr]) -> Result<Certificate, String> {
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
    Ok(Certificate { configuration: Arc::new(config), fingerprint: fingerprint(cert.der()) })
}

fn fingerprint(certificate: &[u8]) -> String {
    let hash = TLS13_AES_128_GCM_SHA256.tls13().map(|suite| suite.common.hash_provider.hash(certificate));
    let pairs: Vec<String> = hash.iter().flat_map(AsRef::as_ref).map(|byte| format!("{byte:02X}")).collect();
    pairs.join(":")
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The example of the standard: SHA-256 of `abc` (FIPS 180-4).
    #[test]
    fn the_fingerprint_is_the_hash_that_browsers_show() {
        let expected =
            "BA:78:16:BF:8F:01:CF:EA:41:41:40:DE:5D:AE:22:23:B0:03:61:A3:96:17:7A:9C:B4:10:FF:61:F2:00:15:AD";
        assert_eq!(fingerprint(b"abc"), expected);
    }
}
