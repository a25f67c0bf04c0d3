//! Studies: the published times, and what restitution and friction do (Rempfler 2015, 4.3 and 6.3).

use serde::Serialize;

/// A station of the published validation: 77 simulated runs beside the 80 runs of the Olympic two-man race of 2010, in s.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct SourceSplit {
    /// Station in m.
    #[serde(skip)]
    pub s: f64,
    /// Mean of the race.
    pub race_mean: f64,
    /// Its standard deviation.
    pub race_deviation: f64,
    /// Mean of the source's simulation.
    pub simulation_mean: f64,
    /// Its standard deviation.
    pub simulation_deviation: f64,
}

/// The published table for Whistler (Rempfler 2015, 6.3).
pub const SOURCE_SPLITS: [SourceSplit; 6] = [
    source(50.0, [4.8732, 0.0691, 4.8182, 0.00109]),
    source(280.0, [16.2883, 0.1302, 16.4049, 0.0320]),
    source(660.0, [30.2721, 0.2054, 30.3003, 0.0922]),
    source(960.0, [39.1948, 0.2649, 39.4701, 0.1349]),
    source(1244.0, [46.9438, 0.3235, 47.0068, 0.1612]),
    source(1450.0, [52.3270, 0.4730, 52.5225, 0.1792]),
];

const fn source(
    s: f64,
    [race_mean, race_deviation, simulation_mean, simulation_deviation]: [f64; 4],
) -> SourceSplit {
    SourceSplit { s, race_mean, race_deviation, simulation_mean, simulation_deviation }
}
