//! The bobsleigh: ice tracks from a handful of numbers a curve.
//!
//! After Rempfler (*Entwicklung eines Bobsimulators*, ETH Zurich 2015), with the printed errors corrected.

pub mod track;
