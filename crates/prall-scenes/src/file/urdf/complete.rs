//! What a robot's text leaves to its reader: names that it takes for granted, joints that repeat a joint that repeats another.

use std::collections::{HashMap, HashSet};

use super::Wrong;
use super::model::{Link, Name, Robot};
use crate::file::GROUND;
use crate::file::error::nearest;

/// The link that stands for the world, and that some programs add to every robot.
const WORLD: &str = "world";

/// Makes every name mean something, or says which does not.
pub(super) fn complete(robot: &mut Robot) -> Result<(), Wrong> {
    rename_ground(robot);
    add_world(robot);
    check_links(robot)?;
    check_joints(robot)?;
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

/// Every link that a joint names must be there, and there once.
fn check_links(robot: &Robot) -> Result<(), Wrong> {
    let mut own = HashSet::new();
    for Name { text, place } in robot.links.iter().map(|link| &link.name) {
        if !own.insert(text.as_str()) {
            let message = format!("there are two links named '{text}'");
            return Err((place.clone(), message, Some("name each link once".to_owned())));
        }
    }
    let known = robot.links.iter().map(|link| link.name.text.as_str());
    let names: HashSet<&str> = known.clone().collect();
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

/// A link hangs on one joint. Joints of one name are told apart by nothing but their links, which is noted.
fn check_joints(robot: &mut Robot) -> Result<(), Wrong> {
    let mut holders: HashMap<&str, &str> = HashMap::new();
    let mut names = HashSet::new();
    for joint in &robot.joints {
        let (child, own) = (&joint.child, joint.name.text.as_str());
        if let Some(other) = holders.insert(&child.text, own) {
            let message = format!(
                "link '{}' hangs on two joints, '{other}' and '{own}'; URDF describes trees",
                child.text
            );
            return Err((child.place.clone(), message, None));
        }
        if !names.insert(own) {
            robot.notes.push(format!("joint '{own}': there are two of that name"));
        }
    }
    Ok(())
}

/// Lets every joint that repeats another one repeat the first of a row of them. Each joint of a row is looked at once.
fn lead_directly(robot: &mut Robot) -> Result<(), Wrong> {
    let places: HashMap<String, usize> =
        robot.joints.iter().enumerate().map(|(at, joint)| (joint.name.text.clone(), at)).collect();
    let mut done: Vec<bool> = robot.joints.iter().map(|joint| joint.mimic.is_none()).collect();
    for first in 0..robot.joints.len() {
        let mut row = Vec::new();
        let mut at = first;
        while !done[at] {
            let Some(mimic) = &robot.joints[at].mimic else { break };
            let (own, leader) = (&robot.joints[at].name, &mimic.joint.text);
            if row.len() > robot.joints.len() {
                let message = format!("joint '{}' mimics itself, by way of '{leader}'", own.text);
                return Err((own.place.clone(), message, None));
            }
            let Some(above) = places.get(leader) else {
                let message = format!("joint '{}' mimics '{leader}', which is not there", own.text);
                let known = robot.joints.iter().map(|joint| joint.name.text.as_str());
                return Err((mimic.joint.place.clone(), message, Some(nearest(leader, known))));
            };
            row.push((at, *above));
            at = *above;
        }
        for (at, above) in row.into_iter().rev() {
            done[at] = true;
            let Some(leader) = robot.joints[above].mimic.clone() else { continue };
            if let Some(own) = &mut robot.joints[at].mimic {
                own.offset += own.multiplier * leader.offset;
                own.multiplier *= leader.multiplier;
                own.joint = leader.joint;
            }
        }
    }
    Ok(())
}
