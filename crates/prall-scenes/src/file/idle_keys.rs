//! Keys that would do nothing where they stand: a person who wrote one expects something of it.

use super::mechanism::{Fault, TreeLink, fault};
use super::{DriveDescription, JointDescription, JointKindName, SceneDescription};
use glam::DVec3;

/// Keys of a joint that its kind, or its place in or outside of a mechanism, has no use for: the sentence and what to do instead.
pub(super) fn of_joint(joint: &JointDescription, in_mechanism: bool) -> Option<(String, &'static str)> {
    let kind = *joint.kind.get_ref();
    let for_kind = |key: &str, given: bool, belongs: bool| {
        let sentence = || format!("'{key}' means nothing for a joint of this kind");
        (given && !belongs).then(|| (sentence(), "leave it out, or choose another kind"))
    };
    let for_place = |key: &str, given: bool, help: &'static str| {
        let place = if in_mechanism { "of" } else { "outside of" };
        given.then(|| (format!("'{key}' means nothing for a joint {place} a mechanism"), help))
    };
    let drive = &joint.drive;
    let driven = *drive != DriveDescription::default();
    let spring = drive.spring.as_ref();
    let free = match kind {
        JointKindName::Fixed | JointKindName::Distance => false,
        JointKindName::Ball => !in_mechanism,
        _ => true,
    };
    for_kind("axis", joint.axis.is_some(), kind.has_axis())
        .or_else(|| for_kind("to", joint.to.is_some(), kind == JointKindName::Distance))
        .or_else(|| for_kind("pitch", joint.pitch.is_some(), kind == JointKindName::Screw))
        .or_else(|| for_kind("path", joint.path.is_some(), kind == JointKindName::Path))
        .or_else(|| for_kind("formula", joint.formula.is_some(), kind == JointKindName::Formula))
        .or_else(|| for_kind("drive", driven, free))
        .or_else(|| {
            let lonely = spring.is_some_and(|spring| spring.knee != 0.0 && spring.outer.is_none());
            lonely.then(|| {
                ("'knee' of a spring means nothing without 'outer'".to_owned(), "give both, or none")
            })
        })
        .or_else(|| {
            if in_mechanism {
                let motor = drive.motor.is_some();
                for_place(
                    "motor",
                    motor,
                    "let a control act on it, as = \"speed\" with driven = true, or as = \"force\"",
                )
                .or_else(|| {
                    for_place("collide", joint.collide, "links of one machine do not touch each other")
                })
            } else {
                let help = "name its bodies in [[mechanisms]]";
                for_place("driven", drive.driven, help)
                    .or_else(|| for_place("follows", joint.follows.is_some(), help))
                    .or_else(|| for_place("outer", spring.is_some_and(|spring| spring.outer.is_some()), help))
            }
        })
}

/// A velocity of a link that goes where its joint takes it.
pub(super) fn of_link(scene: &SceneDescription, link: &TreeLink) -> Result<(), Fault> {
    let floats = link.joint.is_none() && !link.fixed;
    for (number, body) in link.bodies.iter().enumerate() {
        let body = &scene.bodies[*body];
        let moves = body.velocity != DVec3::ZERO || body.angular_velocity != DVec3::ZERO;
        if moves && !(floats && number == 0) {
            let message =
                format!("'{}' has a velocity, but goes where its joint takes it", body.name.get_ref());
            return fault(
                body.name.span(),
                message,
                "only the first body of a floating mechanism can have one",
            );
        }
    }
    Ok(())
}
