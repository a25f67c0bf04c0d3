//! The tree that the bodies of a mechanism make, or where they fail to make one.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use super::error::nearest;
use super::{
    ActQuantity, ControlDescription, FormulaDescription, GROUND, JointDescription, JointKindName,
    MechanismDescription, MotionKind, SceneDescription,
};

/// What is wrong with a mechanism, and where in the file.
pub(crate) struct Fault {
    pub(crate) span: Range<usize>,
    pub(crate) message: String,
    pub(crate) help: Option<String>,
}

pub(super) fn fault<T>(span: Range<usize>, message: String, help: &str) -> Result<T, Fault> {
    let help = (!help.is_empty()).then(|| help.to_owned());
    Err(Fault { span, message, help })
}

/// Bodies that are welded to one, and the joint that holds them.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct TreeLink {
    /// Indices into the scene's bodies; the first gives the link its name.
    pub(crate) bodies: Vec<usize>,
    /// Index of the link that it hangs on; none is the world.
    pub(crate) parent: Option<usize>,
    /// Index into the scene's joints; none floats.
    pub(crate) joint: Option<usize>,
    /// True if the joint names the parent second, so that its axis is to be turned around.
    pub(crate) reversed: bool,
    /// True if it is welded to the world.
    pub(crate) fixed: bool,
}

/// The parameter that sets the free fall instead of a joint.
const GRAVITY: &str = "gravity";

/// Checks the parameters of a scene and all its mechanisms.
pub(super) fn check(scene: &SceneDescription) -> Result<(), Fault> {
    let mut owners: BTreeMap<&str, &str> = BTreeMap::new();
    let mut keys: Vec<&str> = Vec::new();
    for parameter in &scene.parameters {
        check_range(parameter, &mut keys)?;
        check_motors(scene, parameter)?;
    }
    for mechanism in &scene.mechanisms {
        for body in &mechanism.bodies {
            if let Some(other) = owners.insert(body.get_ref(), mechanism.name.get_ref()) {
                let message = format!("'{}' is part of mechanism '{other}' already", body.get_ref());
                return fault(body.span(), message, "name each body once");
            }
        }
        let links = tree_of(scene, mechanism)?;
        links.iter().try_for_each(|link| super::idle_keys::of_link(scene, link))?;
        check_followers(scene, &links)?;
        for control in &mechanism.controls {
            check_range(control, &mut keys)?;
            check_acts(scene, &links, control)?;
        }
    }
    super::driven_by::check(scene)
}

/// Checks that a control has a key of its own and a range that holds its default.
fn check_range<'a>(control: &'a ControlDescription, keys: &mut Vec<&'a str>) -> Result<(), Fault> {
    let key = control.key.get_ref().as_str();
    if keys.contains(&key) {
        let message = format!("there are two controls '{key}'");
        return fault(control.key.span(), message, "each needs a key of its own");
    }
    keys.push(key);
    let ordered = control.min < control.max && (control.min..=control.max).contains(&control.default);
    if !(ordered && control.min.is_finite() && control.max.is_finite()) {
        let message = format!(
            "control '{key}' goes from {} to {} and starts at {}",
            control.min, control.max, control.default
        );
        return fault(control.key.span(), message, "min <= default <= max is needed, and min < max");
    }
    Ok(())
}

/// Checks that a parameter of the scene sets speeds of motors, or gravity.
fn check_motors(scene: &SceneDescription, parameter: &ControlDescription) -> Result<(), Fault> {
    let key = parameter.key.get_ref();
    if parameter.acts.is_empty() != (key == GRAVITY) {
        let message = format!("parameter '{key}' does nothing that a parameter does");
        return fault(
            parameter.key.span(),
            message,
            "give it joints in acts, or call it gravity without any",
        );
    }
    let in_machine = |joint: &JointDescription| {
        let bodies = scene.mechanisms.iter().flat_map(|mechanism| &mechanism.bodies);
        bodies.into_iter().any(|body| joint.bodies.iter().any(|own| own.get_ref() == body.get_ref()))
    };
    let own = scene.joints.iter().filter(|joint| !in_machine(joint));
    for act in &parameter.acts {
        let Some(joint) = own.clone().find(|joint| joint.name == *act.joint.get_ref()) else {
            let known = own.clone().map(|joint| joint.name.as_str());
            let message = format!("no joint of the scene is named '{}'", act.joint.get_ref());
            return fault(act.joint.span(), message, &nearest(act.joint.get_ref(), known));
        };
        if joint.drive.motor.is_none() || act.quantity != ActQuantity::Speed {
            let message = format!("parameter '{key}' can only set the speed of a motor at '{}'", joint.name);
            return fault(
                act.joint.span(),
                message,
                "write as = \"speed\", and give the joint's drive a motor",
            );
        }
    }
    Ok(())
}

/// Checks that joints follow joints of the same machine that follow nobody themselves.
fn check_followers(scene: &SceneDescription, links: &[TreeLink]) -> Result<(), Fault> {
    let own = links.iter().filter_map(|link| link.joint).map(|joint| &scene.joints[joint]);
    for joint in own.clone() {
        let Some(follows) = &joint.follows else { continue };
        let name = follows.joint.get_ref();
        let Some(leader) = own.clone().find(|other| other.name == *name) else {
            let message =
                format!("joint '{}' follows '{name}', which is no movable joint of its machine", joint.name);
            return fault(
                follows.joint.span(),
                message,
                &nearest(name, own.clone().map(|other| other.name.as_str())),
            );
        };
        if leader.follows.is_some() {
            let message = format!("joint '{}' follows '{name}', which follows another one", joint.name);
            return fault(follows.joint.span(), message, "let both follow the same joint");
        }
        let has_coordinate = |joint: &JointDescription| {
            !matches!(joint.kind.get_ref(), JointKindName::Ball | JointKindName::Fixed)
        };
        if !(has_coordinate(joint) && has_coordinate(leader)) {
            let message = format!("joint '{}' or '{name}' has no coordinate", joint.name);
            return fault(follows.joint.span(), message, "a ball and a fixed joint have none");
        }
    }
    Ok(())
}

fn check_acts(
    scene: &SceneDescription,
    links: &[TreeLink],
    control: &ControlDescription,
) -> Result<(), Fault> {
    let own = links.iter().filter_map(|link| link.joint).map(|joint| &scene.joints[joint]);
    for act in &control.acts {
        let Some(joint) = own.clone().find(|joint| joint.name == *act.joint.get_ref()) else {
            let known = own.clone().map(|joint| joint.name.as_str());
            let message = format!("the mechanism has no movable joint '{}'", act.joint.get_ref());
            return fault(act.joint.span(), message, &nearest(act.joint.get_ref(), known));
        };
        let wanted = match act.quantity {
            ActQuantity::Position | ActQuantity::Speed if !joint.drive.driven => "driven = true",
            ActQuantity::Target if joint.drive.spring.is_none() => "a spring",
            _ => continue,
        };
        let message = format!("joint '{}' cannot be controlled so: it needs {wanted}", joint.name);
        return fault(act.joint.span(), message, "give it in the joint's drive");
    }
    Ok(())
}

/// The links of a mechanism, parents before children.
pub(crate) fn tree_of(
    scene: &SceneDescription,
    mechanism: &MechanismDescription,
) -> Result<Vec<TreeLink>, Fault> {
    let own = own_bodies(scene, mechanism)?;
    let joints = JointsOf::new(scene, &own, &own_joints(scene, mechanism, &own)?);
    let weld = |root: usize| welded(scene, &own, &joints, root);
    let mut placed: BTreeSet<usize> = BTreeSet::new();
    let mut links: Vec<TreeLink> = Vec::new();
    let mut used = vec![false; scene.joints.len()];
    let mut frontier = vec![None];
    let mut seeds = own.values().copied();
    loop {
        let Some(at) = frontier.pop() else {
            // Nothing hangs on the world any more: the next body that is left floats.
            let Some(root) = seeds.find(|body| !placed.contains(body)) else { break };
            let (bodies, inner, fixed) = weld(root);
            inner.iter().for_each(|&joint| used[joint] = true);
            let number = links.len();
            placed.extend(&bodies);
            links.push(TreeLink { bodies, parent: None, joint: None, reversed: false, fixed });
            frontier.push(Some(number));
            continue;
        };
        let bodies_here = at.map(|link: usize| links[link].bodies.clone()).unwrap_or_default();
        let here = |name: &str| match at {
            None => name == GROUND,
            Some(_) => own.get(name).is_some_and(|body| bodies_here.contains(body)),
        };
        for joint in joints.at(at.map(|_| bodies_here.as_slice())) {
            let [first, second] = &scene.joints[joint].bodies;
            let reversed = here(second.get_ref());
            if used[joint] || !(here(first.get_ref()) || reversed) {
                continue;
            }
            used[joint] = true;
            let kind = *scene.joints[joint].kind.get_ref();
            if reversed && matches!(kind, JointKindName::Path | JointKindName::Formula) {
                let message = format!(
                    "the joint's law is fixed on '{}', which hangs on '{}'",
                    first.get_ref(),
                    second.get_ref()
                );
                return fault(first.span(), message, "name the body that it is fixed on first");
            }
            let other = if reversed { first } else { second };
            let next = own.get(other.get_ref().as_str()).copied();
            let Some(next) = next.filter(|body| !placed.contains(body)) else {
                return circle(&scene.joints[joint], mechanism);
            };
            let (bodies, inner, fixed) = weld(next);
            inner.iter().for_each(|&joint| used[joint] = true);
            let number = links.len();
            placed.extend(&bodies);
            let to_ground = at.is_none() && *scene.joints[joint].kind.get_ref() == JointKindName::Fixed;
            links.push(TreeLink {
                bodies,
                parent: at,
                joint: Some(joint),
                reversed,
                fixed: fixed || to_ground,
            });
            frontier.push(Some(number));
        }
    }
    Ok(links)
}

fn circle<T>(joint: &JointDescription, mechanism: &MechanismDescription) -> Result<T, Fault> {
    let [first, second] = joint.bodies.each_ref().map(toml::Spanned::get_ref);
    let message = format!(
        "the joint between '{first}' and '{second}' closes a circle in mechanism '{}', which must be a tree",
        mechanism.name.get_ref()
    );
    let help =
        "take one of the circle's bodies out of the mechanism, or let all of them be free bodies with joints";
    fault(joint.kind.span(), message, help)
}

/// The joints of a mechanism at each of its bodies, and at the ground.
struct JointsOf {
    bodies: BTreeMap<usize, Vec<usize>>,
    ground: Vec<usize>,
}

impl JointsOf {
    fn new(scene: &SceneDescription, own: &BTreeMap<&str, usize>, joints: &[usize]) -> JointsOf {
        let mut found = JointsOf { bodies: BTreeMap::new(), ground: Vec::new() };
        for &joint in joints {
            for name in scene.joints[joint].bodies.each_ref().map(|body| body.get_ref().as_str()) {
                match own.get(name) {
                    Some(body) => found.bodies.entry(*body).or_default().push(joint),
                    None => found.ground.push(joint),
                }
            }
        }
        found
    }

    /// Joints at some bodies, or at the ground, in the order of the file.
    fn at(&self, bodies: Option<&[usize]>) -> Vec<usize> {
        let Some(bodies) = bodies else { return self.ground.clone() };
        let mut joints: Vec<usize> =
            bodies.iter().filter_map(|body| self.bodies.get(body)).flatten().copied().collect();
        joints.sort_unstable();
        joints.dedup();
        joints
    }
}

fn own_bodies<'a>(
    scene: &'a SceneDescription,
    mechanism: &'a MechanismDescription,
) -> Result<BTreeMap<&'a str, usize>, Fault> {
    let mut own = BTreeMap::new();
    let all: BTreeMap<&str, usize> =
        scene.bodies.iter().enumerate().map(|(index, body)| (body.name.get_ref().as_str(), index)).collect();
    for name in &mechanism.bodies {
        let found = all.get(name.get_ref().as_str()).copied();
        let Some(index) = found else {
            let known = scene.bodies.iter().map(|body| body.name.get_ref().as_str());
            let message = format!("no body is named '{}'", name.get_ref());
            return fault(name.span(), message, &nearest(name.get_ref(), known));
        };
        // A kinematic body without shapes is a frame, which has no mass of its own, as a link of a robot may have none.
        let body = &scene.bodies[index];
        let massless = body.shapes.is_empty() || scene.unweighed.contains_key(name.get_ref());
        let frame = body.kind == MotionKind::Kinematic && massless;
        if body.kind != MotionKind::Dynamic && !frame {
            let message = format!("'{}' is not dynamic, so it is no part of a mechanism", name.get_ref());
            return fault(name.span(), message, "leave its kind out, and fix it to the ground by a joint");
        }
        own.insert(name.get_ref().as_str(), index);
    }
    if own.is_empty() {
        let message = format!("mechanism '{}' has no bodies", mechanism.name.get_ref());
        return fault(mechanism.name.span(), message, "name at least one");
    }
    Ok(own)
}

/// Joints that touch the mechanism's bodies; all of them must lead to its bodies or to the ground.
fn own_joints(
    scene: &SceneDescription,
    mechanism: &MechanismDescription,
    own: &BTreeMap<&str, usize>,
) -> Result<Vec<usize>, Fault> {
    let mut joints = Vec::new();
    for (index, joint) in scene.joints.iter().enumerate() {
        let names = joint.bodies.each_ref().map(|body| body.get_ref().as_str());
        if !names.iter().any(|name| own.contains_key(name)) {
            continue;
        }
        let stranger = joint
            .bodies
            .iter()
            .find(|body| body.get_ref() != GROUND && !own.contains_key(body.get_ref().as_str()));
        if let Some(stranger) = stranger {
            let message = format!(
                "'{}' is held to mechanism '{}', but is not one of its bodies",
                stranger.get_ref(),
                mechanism.name.get_ref()
            );
            return fault(stranger.span(), message, "add it to the mechanism's bodies");
        }
        let kind = *joint.kind.get_ref();
        if kind == JointKindName::Distance {
            let message = "mechanisms have no joints of this kind".to_owned();
            return fault(
                joint.kind.span(),
                message,
                "use ball, hinge, slider, cylindrical, planar, universal, screw, path, formula or fixed",
            );
        }
        if let (JointKindName::Path, Some(Err(error))) =
            (kind, joint.path.as_ref().map(|path| path.law(joint.at)))
        {
            return fault(joint.kind.span(), error.to_string(), "");
        }
        if let (JointKindName::Formula, Some(Err((span, message)))) =
            (kind, joint.formula.as_ref().map(FormulaDescription::check))
        {
            return fault(span.unwrap_or_else(|| joint.kind.span()), message, "");
        }
        if joint.drive.spring.is_some() && joint.drive.limits.is_some() {
            let message = "a joint of a mechanism has a spring or limits, not both".to_owned();
            return fault(
                joint.kind.span(),
                message,
                "a spring with 'outer' and 'knee' is stiff beyond the knee",
            );
        }
        joints.push(index);
    }
    Ok(joints)
}

/// A body with all that fixed joints weld to it, those joints, and whether the ground is among them.
fn welded(
    scene: &SceneDescription,
    own: &BTreeMap<&str, usize>,
    joints: &JointsOf,
    root: usize,
) -> (Vec<usize>, Vec<usize>, bool) {
    let (mut bodies, mut inner, mut fixed) = (vec![root], Vec::new(), false);
    let mut at = 0;
    while let Some(&body) = bodies.get(at) {
        at += 1;
        for joint in joints.at(Some(&[body])) {
            if *scene.joints[joint].kind.get_ref() != JointKindName::Fixed {
                continue;
            }
            let ends =
                scene.joints[joint].bodies.each_ref().map(|end| own.get(end.get_ref().as_str()).copied());
            let other = match ends {
                [Some(a), other] if a == body => other,
                [other, Some(b)] if b == body => other,
                _ => continue,
            };
            match other {
                None => fixed = true,
                Some(other) if bodies.contains(&other) => {}
                Some(other) => bodies.push(other),
            }
            if other.is_some() {
                inner.push(joint);
            }
        }
    }
    (bodies, inner, fixed)
}
