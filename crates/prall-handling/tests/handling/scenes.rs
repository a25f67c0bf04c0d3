//! Pegs, sheets, grooves, threads.
