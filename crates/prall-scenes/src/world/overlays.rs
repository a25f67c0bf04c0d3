//! What the mechanics shows of itself in scenes of the dynamics.

use super::Stage;
use super::stage::Thread;
use crate::{BoxKind, Frame, LineRole, Overlay, OverlayBox, OverlayItem, OverlayKind, OverlayLabel};
use glam::DVec3;
use prall_dynamics::{ContactMark, HandMark, JointKind, Party};
use prall_math::Pose;

/// Half the length of a drawn joint frame's axes in m.
const AXES: f64 = 0.1;

pub(super) fn draw(stage: &Stage, frame: &mut Frame) {
    contacts(stage, frame);
    threads(stage, frame);
    if frame.wanted.has(Overlay::Joints) {
        joints(stage, frame);
    }
    let world = &stage.world;
    for HandMark { held, target, force, torque } in world.hands() {
        let value = force.length();
        frame.overlays.push(OverlayItem { kind: OverlayKind::Grip, from: held, to: target, value });
        let value = torque.length();
        let to = held + torque.normalize_or_zero();
        frame.overlays.push(OverlayItem { kind: OverlayKind::GripTorque, from: held, to, value });
    }
    machines(stage, frame);
    for body in world.body_handles() {
        let (Ok(mass), Ok(centre), Ok(velocity)) =
            (world.mass(body), world.centre_of_mass(body), world.velocity(body))
        else {
            continue;
        };
        if frame.wanted.has(Overlay::Centres) && mass > 0.0 {
            frame.overlays.push(OverlayItem {
                kind: OverlayKind::CentreOfMass,
                from: centre,
                to: centre,
                value: mass,
            });
        }
        let speed = velocity.linear.length();
        if frame.wanted.has(Overlay::Velocities) && speed > 0.0 {
            let to = centre + velocity.linear;
            frame.overlays.push(OverlayItem { kind: OverlayKind::Velocity, from: centre, to, value: speed });
        }
    }
    if frame.wanted.has(Overlay::Index) {
        for bounds in world.index_boxes() {
            let half = 0.5 * (bounds.max - bounds.min);
            if half.max_element() < 1e3 {
                let pose = Pose::from_translation(0.5 * (bounds.min + bounds.max));
                frame.boxes.push(OverlayBox { kind: BoxKind::Index, pose, half, value: 0.0 });
            }
        }
    }
    if frame.wanted.has(Overlay::Labels) {
        let labels = stage.labels.iter().map(|label| OverlayLabel { at: label.at, text: label.text.clone() });
        frame.labels.extend(labels);
        frame.labels.extend(stage.tools.iter().filter_map(|tool| {
            let wrench = tool.wrench(world);
            let torque = wrench.torque.dot(tool.axis).abs();
            let at = world.centre_of_mass(tool.tool).ok()?;
            let text = format!("{}: {:.2} mN m, {:.1} N", tool.name, 1e3 * torque, wrench.force.length());
            (wrench.force != DVec3::ZERO).then_some(OverlayLabel { at, text })
        }));
    }
}

fn contacts(stage: &Stage, frame: &mut Frame) {
    let wanted = frame.wanted;
    let any = [Overlay::Contacts, Overlay::Normals, Overlay::Forces, Overlay::Friction];
    if !any.into_iter().any(|overlay| wanted.has(overlay)) {
        return;
    }
    for mark in stage.world.contact_marks() {
        let mut show = |overlay, kind, along: DVec3, value: f64| {
            if wanted.has(overlay) {
                frame.overlays.push(OverlayItem { kind, from: mark.point, to: mark.point + along, value });
            }
        };
        let pressed = mark.force != DVec3::ZERO;
        if !pressed && mark.gap > 1e-3 {
            continue;
        }
        show(Overlay::Contacts, OverlayKind::Contact, mark.normal, mark.gap);
        show(Overlay::Normals, OverlayKind::Normal, mark.normal, mark.gap);
        if pressed {
            let normal = mark.normal * mark.force.dot(mark.normal);
            let across = mark.force - normal;
            show(Overlay::Forces, OverlayKind::Force, mark.normal, normal.length());
            if across.length() > 1e-9 * normal.length() {
                show(Overlay::Forces, OverlayKind::FrictionForce, across.normalize(), across.length());
            }
            if let Some(friction) = friction(stage, &mark) {
                show(Overlay::Friction, OverlayKind::FrictionCone, mark.normal, friction);
            }
        }
    }
}

/// Coefficient of static friction of a contact between two bodies.
fn friction(stage: &Stage, mark: &ContactMark) -> Option<f64> {
    let (Party::Body(a), Party::Body(b)) = (mark.a, mark.b) else { return None };
    let (a, b) = (stage.world.material(a).ok()?, stage.world.material(b).ok()?);
    Some(a.against(&b).ok()?.static_friction())
}

/// Ropes, springs and rods between two points are seen whatever else is shown, as are a scene's own threads.
fn threads(stage: &Stage, frame: &mut Frame) {
    let world = &stage.world;
    let value = f64::from(LineRole::Ink as u32);
    let mut line = |from, to| frame.overlays.push(OverlayItem { kind: OverlayKind::Line, from, to, value });
    for mark in world.joint_marks() {
        if matches!(mark.kind, JointKind::Distance { .. } | JointKind::Reach) {
            line(mark.frames[0].translation, mark.frames[1].translation);
        }
    }
    for Thread { bodies, points } in &stage.threads {
        // A thread is gone with either of its bodies.
        if let (Ok(a), Ok(b)) = (world.pose(bodies[0]), world.pose(bodies[1])) {
            line(a.transform_point(points[0]), b.transform_point(points[1]));
        }
    }
}

fn joints(stage: &Stage, frame: &mut Frame) {
    for mark in stage.world.joint_marks() {
        let [a, b] = mark.frames;
        let (from, to) = (a.translation, b.translation);
        frame.overlays.push(OverlayItem { kind: OverlayKind::Joint, from, to, value: mark.error });
        let half = DVec3::splat(AXES);
        frame.boxes.push(OverlayBox { kind: BoxKind::CoordinateFrame, pose: a, half, value: mark.error });
        let force = mark.reaction.force.length();
        if force > 0.0 {
            let to = from + mark.reaction.force / force;
            frame.overlays.push(OverlayItem { kind: OverlayKind::JointForce, from, to, value: force });
        }
    }
}

/// Hands on machines, centres of mass and velocities of links, and the axes of their joints.
fn machines(stage: &Stage, frame: &mut Frame) {
    for machine in 0..stage.machines.len() {
        let Some(mechanism) = stage.mechanism(machine) else { continue };
        let tree = mechanism.tree();
        if let Some((from, to)) = mechanism.hand() {
            frame.overlays.push(OverlayItem { kind: OverlayKind::Grip, from, to, value: from.distance(to) });
        }
        for node in 0..tree.len() {
            let (centre, velocity) = (tree.pose(node).translation, tree.twist(node).linear);
            let speed = velocity.length();
            if frame.wanted.has(Overlay::Centres) {
                let value = tree.mass(node);
                let kind = OverlayKind::CentreOfMass;
                frame.overlays.push(OverlayItem { kind, from: centre, to: centre, value });
            }
            if frame.wanted.has(Overlay::Velocities) && speed > 0.0 {
                let to = centre + velocity;
                let kind = OverlayKind::Velocity;
                frame.overlays.push(OverlayItem { kind, from: centre, to, value: speed });
            }
            if frame.wanted.has(Overlay::Joints)
                && let Some(pose) = tree.joint_frame(node)
            {
                let half = DVec3::splat(AXES);
                frame.boxes.push(OverlayBox { kind: BoxKind::CoordinateFrame, pose, half, value: 0.0 });
            }
        }
    }
}
