//! Tokens: what somebody beyond this machine must know.

use subtle::ConstantTimeEq;

/// 128 random bits as hexadecimal digits.
pub(super) fn random() -> String {
    let mut bytes = [0_u8; 16];
    // The system's generator is there on every platform that a server runs on; without it there must be no token.
    getrandom::fill(&mut bytes).expect("the system has random numbers");
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Compares in a time that tells nothing about where they differ.
pub(super) fn fits(token: &str, offered: &str) -> bool {
    token.as_bytes().ct_eq(offered.as_bytes()).into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tokens_are_long_differ_and_fit_only_themselves() {
        let (a, b) = (random(), random());
        assert_eq!((a.len(), b.len()), (32, 32));
        assert!(fits(&a, &a) && !fits(&a, &b) && !fits(&a, "") && !fits(&a, &a[..31]));
    }
}
