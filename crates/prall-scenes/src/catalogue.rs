//! Every scene by name.

use crate::{BouncingBall, Simulation, Tunnelling};
use serde::Serialize;
use thiserror::Error;

/// A scene of the gallery.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct Scene {
    /// The name used in commands.
    pub name: &'static str,
    /// The name that people read.
    pub title: &'static str,
    /// One line, at most 34 characters.
    pub line: &'static str,
    /// The band of the gallery that it belongs to.
    pub group: &'static str,
    /// The publication that it comes from.
    pub source: &'static str,
    /// How large it is.
    pub size: &'static str,
    /// A paragraph that teaches the physics.
    pub about: &'static str,
    /// Builds it.
    #[serde(skip)]
    build: fn() -> Box<dyn Simulation>,
}

static SCENES: &[Scene] = &[
    Scene {
        name: "bouncing-ball",
        title: "Bouncing ball",
        line: "Falls, bounces, comes to rest",
        group: "Contacts",
        source: "Newton 1687, Moreau 1988",
        size: "1 body",
        about: "A ball that keeps the share e of its speed at each impact bounces infinitely often and yet comes to rest in \
            finite time: dropped from rest with its lowest point at height h, at t = √(2h/g) (1 + e)/(1 − e). \
            The event-driven solver follows each parabola to its end and sums the last, infinitely many bounces in \
            closed form. Moreau's time stepping never looks for the moment of impact: it lets the law hold on average \
            over a step, overlaps a little and is a little late, and gets by without any event. \
            Pull the ball aside and let it slide: friction turns sliding into rolling, and 5/7 of the speed is left.",
        build: || Box::new(BouncingBall::new()),
    },
    Scene {
        name: "tunnelling",
        title: "Tunnelling",
        line: "Free at every pose, and yet not",
        group: "Detection",
        source: "Eckstein 1998",
        size: "2 parts",
        about: "Eckstein recorded by hand how bulbs are taken out of an engine bay, and a test at every pose called the paths \
                free. A test over the whole motion found that they were not: between two poses the part had passed through \
                a rib. Here a plate goes through a sheet of 4 mm. Tested at eight poses it is never seen in the sheet; with \
                forty it is. The certified solver needs no fine steps: for every pair of triangles it finds a plane that \
                keeps them apart for a while, proven with all rounding, and moves only as far as is proven. Switch on \
                the boxes to see what the search opens first.",
        build: || Box::new(Tunnelling::new()),
    },
];

/// No scene of that name.
#[derive(Clone, Debug, PartialEq, Error)]
#[error("no scene '{name}'{}; `prall scenes` lists all of them", suggestion(.nearest))]
pub struct UnknownScene {
    /// What was asked for.
    pub name: String,
    /// What may have been meant.
    pub nearest: Option<&'static str>,
}

fn suggestion(nearest: &Option<&'static str>) -> String {
    nearest.map_or(String::new(), |scene| format!(", did you mean '{scene}'?"))
}

/// All scenes, in the order of the gallery.
pub fn scenes() -> &'static [Scene] {
    SCENES
}

/// The scene of that name.
pub fn scene(name: &str) -> Result<&'static Scene, UnknownScene> {
    SCENES.iter().find(|scene| scene.name == name).ok_or_else(|| {
        // Similar enough that a typing slip explains the difference.
        const SIMILAR: f64 = 0.75;
        let nearest = SCENES
            .iter()
            .map(|scene| (strsim::jaro_winkler(scene.name, name), scene.name))
            .filter(|(similarity, _)| *similarity > SIMILAR)
            .max_by(|a, b| a.0.total_cmp(&b.0))
            .map(|(_, name)| name);
        UnknownScene { name: name.to_owned(), nearest }
    })
}

impl Scene {
    /// Builds it.
    pub fn build(&self) -> Box<dyn Simulation> {
        (self.build)()
    }
}

/// Builds the scene of that name.
pub fn open(name: &str) -> Result<Box<dyn Simulation>, UnknownScene> {
    Ok(scene(name)?.build())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_scene_keeps_to_the_cards_measures_and_opens() {
        for scene in scenes() {
            assert!(scene.line.chars().count() <= 34, "{}: the line is too long for its card", scene.name);
            assert!(!scene.about.is_empty() && !scene.source.is_empty());
            let simulation = open(scene.name).unwrap();
            let assets = simulation.assets();
            assert!(!assets.bodies.is_empty());
            for body in &assets.bodies {
                assert!(body.shape < assets.shapes.len() && body.look < assets.looks.len());
            }
            assert!(!simulation.solvers().is_empty());
        }
    }

    #[test]
    fn a_misspelt_scene_gets_the_name_that_was_meant() {
        let error = scene("bouncing_ball").unwrap_err();
        assert_eq!(error.nearest, Some("bouncing-ball"));
        assert!(error.to_string().contains("did you mean 'bouncing-ball'"));
        assert_eq!(scene("xyz").unwrap_err().nearest, None);
    }
}
