//! What a robot's text leaves to its reader: names that it takes for granted, joints that repeat a joint that repeats another.

use std::collections::HashMap;

use super::Wrong;
use super::model::{Link, Mimic, Name, Robot};
use crate::file::GROUND;
use crate::file::error::nearest;

/// The link that stands for the world, and that some programs add to every robot.
const WORLD: &str = "world";

/// Makes every name mean something, or says which does not.
pub(super) fn complete(robot: &mut Robot) -> Result<(), Wrong> {
    rename_ground(robot);
    add_world(robot);
    check_links(robot)?;
    lead_directly(robot)
}

/// A link may be called like the world itself, which bodies of a scene may not.
fn rename_ground(robot: &mut Robot) {
    if !robot.links.iter().any(|link| link.name.text == GROUND) {
        return;
    }
    let mut other = format!("{GROUND} link");
    while robot.links.iter().any(|link| link.name.text == other) {
        other.push('\'');
    }
    robot
        .notes
        .push(format!("link '{GROUND}': it is called '{other}' here, as '{GROUND}' is the world itself"));
    let links = robot.links.iter_mut().map(|link| &mut link.name);
    let ends = robot.joints.iter_mut().flat_map(|joint| [&mut joint.parent, &mut joint.child]);
    for name in links.chain(ends).filter(|name| name.text == GROUND) {
        name.text.clone_from(&other);
    }
}

/// A joint may hold a robot to the link 'world' without the text having one.
fn add_world(robot: &mut Robot) {
    if robot.links.iter().any(|link| link.name.text == WORLD) {
        return;
    }
    let Some(joint) = robot.joints.iter().find(|joint| joint.parent.text == WORLD) else { return };
    let name = joint.parent.clone();
    robot.links.push(Link { name, inertial: None, shapes: Vec::new() });
}

/// Every link that a joint names must be there.
fn check_links(robot: &Robot) -> Result<(), Wrong> {
    let known = robot.links.iter().map(|link| link.name.text.as_str());
    let names: std::collections::HashSet<&str> = known.clone().collect();
    for joint in &robot.joints {
        for Name { text, place } in [&joint.parent, &joint.child] {
            if !names.contains(text.as_str()) {
                let own = &joint.name.text;
                let message = format!("joint '{own}' names the link '{text}', which is not there");
                return Err((place.clone(), message, Some(nearest(text, known))));
            }
        }
    }
    Ok(())
}

/// Lets every joint that repeats another one repeat the first of a row of them.
fn lead_directly(robot: &mut Robot) -> Result<(), Wrong> {
    let mimics: HashMap<&str, Option<&Mimic>> =
        robot.joints.iter().map(|joint| (joint.name.text.as_str(), joint.mimic.as_ref())).collect();
    let mut direct = Vec::with_capacity(robot.joints.len());
    for joint in &robot.joints {
        let Some(mut mimic) = joint.mimic.clone() else {
            direct.push(None);
            continue;
        };
        let own = &joint.name.text;
        let mut left = robot.joints.len();
        loop {
            let leader = mimic.joint.text.as_str();
            let Some(above) = mimics.get(leader) else {
                let message = format!("joint '{own}' mimics '{leader}', which is not there");
                let known = robot.joints.iter().map(|joint| joint.name.text.as_str());
                return Err((mimic.joint.place.clone(), message, Some(nearest(leader, known))));
            };
            let Some(above) = above else { break };
            if left == 0 {
                let message = format!("joint '{own}' mimics itself, by way of '{leader}'");
                return Err((joint.name.place.clone(), message, None));
            }
            left -= 1;
            mimic = Mimic {
                joint: above.joint.clone(),
                multiplier: mimic.multiplier * above.multiplier,
                offset: mimic.multiplier * above.offset + mimic.offset,
            };
        }
        direct.push(Some(mimic));
    }
    for (joint, mimic) in robot.joints.iter_mut().zip(direct) {
        joint.mimic = mimic;
    }
    Ok(())
}
