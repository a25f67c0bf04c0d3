//! How many inputs each reader got, and how many messages pages said: written to the file that `PRALL_COUNTS` names, every thousand inputs.

use crate::formats::Reader;
use std::fmt::Write;
use std::sync::LazyLock;
use std::sync::atomic::{AtomicU64, Ordering};

/// Inputs between two reports.
const BETWEEN: u64 = 1000;

static INPUTS: [AtomicU64; Reader::ALL.len()] = [const { AtomicU64::new(0) }; Reader::ALL.len()];
static MESSAGES: AtomicU64 = AtomicU64::new(0);
static FILE: LazyLock<Option<std::path::PathBuf>> =
    LazyLock::new(|| std::env::var_os("PRALL_COUNTS").map(Into::into));

/// Counts an input for the reader with this number.
pub fn input(number: usize) {
    INPUTS[number].fetch_add(1, Ordering::Relaxed);
    let all: u64 = INPUTS.iter().map(|count| count.load(Ordering::Relaxed)).sum();
    if all.is_multiple_of(BETWEEN) {
        report(all);
    }
}

/// Counts a message that a page understood.
pub fn message() {
    MESSAGES.fetch_add(1, Ordering::Relaxed);
}

fn report(all: u64) {
    let Some(file) = FILE.as_ref() else { return };
    let mut text = format!("{all} inputs that name a reader, of them\n");
    for (reader, count) in Reader::ALL.iter().zip(&INPUTS) {
        // Writing to a string cannot fail.
        let _ = writeln!(text, "{:10}  {reader:?}", count.load(Ordering::Relaxed));
    }
    let _ = writeln!(text, "{} messages of sockets were understood", MESSAGES.load(Ordering::Relaxed));
    std::fs::write(file, text).expect("room for the counts");
}
