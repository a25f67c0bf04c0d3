//! [`BobOffer`]: which tracks and which sled the scene has.

use super::parameters::declared;
use super::{Begun, SETS};
use crate::Parameter;
use prall_bob::haptics::FeelingOptions;
use prall_bob::pilot::{Line, Lines, Plan, PlanOptions};
use prall_bob::run::Course;
use prall_bob::sled::{SetupText, TWO_MAN, ValueError};
use prall_bob::track::{Ice, PointMassStart, Track};
use prall_mechanics::StateHash;
use std::net::SocketAddr;
use std::sync::OnceLock;

/// How many ways of taking a curve a pilot can be told, the plain one included.
pub(super) const LINES: usize = 5;

/// A track and what pilots know of it, by line; found out when it is first driven.
struct Offered {
    track: Track,
    /// Channels of the pilot's run, frame by frame.
    driven: OnceLock<Vec<Vec<f64>>>,
    courses: [OnceLock<Course>; LINES],
}

impl Offered {
    fn new(track: Track) -> Offered {
        Offered { track, driven: OnceLock::new(), courses: [const { OnceLock::new() }; LINES] }
    }
}

/// The tracks that can be driven, and the sled that drives them.
pub struct BobOffer {
    tracks: Vec<Offered>,
    setup: SetupText,
    parameters: Vec<Parameter>,
    /// Differs with what was brought along; 0 where nothing was.
    mark: u64,
    haptics: Option<Haptics>,
}

/// Where the forces for the hands are sent while somebody drives, and how.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Haptics {
    /// The controller of a force device.
    pub address: SocketAddr,
    /// How often, how strong.
    pub options: FeelingOptions,
}

impl BobOffer {
    /// The tracks and the sled that come with Prall.
    pub fn standard() -> &'static BobOffer {
        static STANDARD: OnceLock<BobOffer> = OnceLock::new();
        STANDARD.get_or_init(|| {
            let setup = SetupText::read("two-man", TWO_MAN).expect("the setup that comes with Prall is one");
            BobOffer::build(None, setup, 0).expect("the setup that comes with Prall has all spring sets")
        })
    }

    /// The same with a track of one's own behind the others, and another sled. It lasts as long as the program: runs hold on to it.
    ///
    /// Forces for the hands are sent if it is said where. An error names the spring set that the sled has not; sliders choose among soft, medium
    /// and hard ones.
    pub fn with(
        track: Option<Track>,
        setup: Option<SetupText>,
        haptics: Option<Haptics>,
    ) -> Result<&'static BobOffer, ValueError> {
        let standard = BobOffer::standard();
        let mut mark = StateHash::new();
        if let Some(track) = &track {
            let (begin, end) = track.plan().range();
            for i in 0..=100 {
                mark.vector(track.course(begin + (end - begin) * f64::from(i) / 100.0).position);
            }
        }
        for byte in setup.iter().flat_map(|setup| setup.text().bytes()) {
            mark.bits(u64::from(byte));
        }
        let mark = if track.is_none() && setup.is_none() { 0 } else { mark.finish().max(1) };
        let mut offer = BobOffer::build(track, setup.unwrap_or_else(|| standard.setup.clone()), mark)?;
        offer.haptics = haptics;
        Ok(Box::leak(Box::new(offer)))
    }

    fn build(own: Option<Track>, setup: SetupText, mark: u64) -> Result<BobOffer, ValueError> {
        let open = |name| Track::open(name, "standard").expect("the tracks that come with Prall are tracks");
        let tracks: Vec<Offered> = Track::known().map(open).chain(own).map(Offered::new).collect();
        let parameters = declared(
            tracks.len(),
            tracks.iter().map(|offered| offered.track.curves().len()).max().unwrap_or(0),
        );
        let offer = BobOffer { tracks, setup, parameters, mark, haptics: None };
        for set in 1..=SETS.len() {
            let begun = Begun { split: set, axle: set, ..Begun::plain(&offer) };
            begun.checked_setup(&offer)?;
        }
        Ok(offer)
    }

    /// The tracks, counted from 1 in the scene's parameter.
    pub fn tracks(&self) -> impl ExactSizeIterator<Item = &Track> {
        self.tracks.iter().map(|offered| &offered.track)
    }

    /// The sled.
    pub fn setup(&self) -> &SetupText {
        &self.setup
    }

    pub(super) fn haptics(&self) -> Option<Haptics> {
        self.haptics
    }

    pub(super) fn parameters(&self) -> &[Parameter] {
        &self.parameters
    }

    pub(super) fn mark(&self) -> u64 {
        self.mark
    }

    /// Channels of the pilot's run on a track, frame by frame until the sled stands; the first call drives it. The number is clamped to what
    /// there is.
    pub fn pilot_frames(&'static self, track: usize) -> &'static [Vec<f64>] {
        let number = track.clamp(1, self.tracks.len());
        self.tracks[number - 1].driven.get_or_init(|| super::Bobsleigh::of(self).drive_alone(number))
    }

    /// A track with what pilots know of it; the number is clamped to what there is.
    pub fn course(&self, track: usize, line: usize) -> &Course {
        let offered = &self.tracks[track.clamp(1, self.tracks.len()) - 1];
        let line = line.min(LINES - 1);
        offered.courses[line].get_or_init(|| {
            let track = offered.track.clone();
            let ice = Ice::new(&track);
            let told = line.checked_sub(1).map(|line| Line::ALL[line]);
            let lines = track.curves().filter_map(|curve| Some((curve.number, told?))).collect();
            let lines = Lines::new(lines, &track).expect("curves of a track have its numbers");
            let options = PlanOptions { lines, ..PlanOptions::default() };
            let plan = Plan::new(&track, &ice, PointMassStart::Pushed, options);
            Course { track, ice, plan }
        })
    }
}
