//! A description as MuJoCo reads it: a tree of bodies where joints make one, loops closed by equalities.

use crate::description::{Description, Joint};
use crate::hanging::Hanging;
use glam::{DQuat, DVec3};
use prall_dynamics::{BodyDefinition, BodyKind, JointKind};
use prall_geometry::Shape;
use prall_math::Pose;
use std::fmt::Write;

/// What differs between the settings.
#[derive(Clone, Copy, Default)]
pub struct Setting {
    /// Attributes of the option element.
    pub option: &'static str,
    /// Contacts as stiff as the step allows.
    pub stiff: bool,
}

/// The model as text. Body `i` is called `b{i}`.
pub fn write(scene: &Description, setting: Setting) -> Result<String, String> {
    let model = Model { scene, hanging: Hanging::new(scene) };
    let mut bodies = String::new();
    for body in 0..scene.bodies.len() {
        if model.hanging.parent(body).is_none() {
            model.body(&mut bodies, body, None)?;
        }
    }
    let mut closed = String::new();
    for &joint in &model.hanging.loops {
        model.close(&mut closed, &scene.joints[joint])?;
    }
    let g = scene.gravity;
    let stiffness = format!("o_solref=\"{} 1\"", 2.0 * scene.step);
    let (stiffness, flag) =
        if setting.stiff { (stiffness.as_str(), "<flag override=\"enable\"/>") } else { ("", "") };
    Ok(format!(
        "<mujoco><compiler angle=\"radian\" inertiafromgeom=\"false\"/><size memory=\"2G\"/>\
         <option timestep=\"{}\" gravity=\"{} {} {}\" {} {stiffness}>{flag}</option>\
         <worldbody>{bodies}</worldbody><equality>{closed}</equality></mujoco>",
        scene.step, g.x, g.y, g.z, setting.option
    ))
}

struct Model<'s> {
    scene: &'s Description,
    hanging: Hanging,
}

impl Model<'_> {
    fn body(&self, text: &mut String, body: usize, within: Option<&Pose>) -> Result<(), String> {
        let definition = &self.scene.bodies[body];
        let pose = within.map_or(definition.pose, |parent| parent.inverse() * definition.pose);
        let _ = write!(text, "<body name=\"b{body}\" {}>", placed(&pose));
        if let Some(joint) = self.hanging.joints[body] {
            self.joint(text, body, &self.scene.joints[joint])?;
        } else if definition.kind == BodyKind::Dynamic {
            text.push_str("<freejoint/>");
        }
        if let Some(mass) = definition.mass_properties().map_err(|error| error.to_string())? {
            let (c, i) = (mass.center_of_mass, mass.inertia);
            let _ = write!(
                text,
                "<inertial pos=\"{} {} {}\" mass=\"{}\" fullinertia=\"{} {} {} {} {} {}\"/>",
                c.x,
                c.y,
                c.z,
                mass.mass,
                i.x_axis.x,
                i.y_axis.y,
                i.z_axis.z,
                i.y_axis.x,
                i.z_axis.x,
                i.z_axis.y
            );
        }
        for shape in &definition.shapes {
            geom(text, definition, &shape.pose, &shape.shape)?;
        }
        for &child in &self.hanging.children[body] {
            self.body(text, child, Some(&definition.pose))?;
        }
        text.push_str("</body>");
        Ok(())
    }

    fn joint(&self, text: &mut String, body: usize, joint: &Joint) -> Result<(), String> {
        let frame = &joint.frames[usize::from(joint.bodies[0] != Some(body))];
        let (at, axis) = (frame.translation, frame.transform_vector(DVec3::X));
        let kind = match joint.kind {
            JointKind::BALL => "ball",
            JointKind::HINGE => "hinge",
            JointKind::SLIDER => "slide",
            JointKind::FIXED => return Ok(()),
            other => return Err(format!("no such joint: {other:?}")),
        };
        let _ = write!(text, "<joint type=\"{kind}\" pos=\"{} {} {}\"", at.x, at.y, at.z);
        if kind != "ball" {
            let _ = write!(text, " axis=\"{} {} {}\"", axis.x, axis.y, axis.z);
        }
        text.push_str("/>");
        Ok(())
    }

    /// Points that coincide: one for a ball, two along the axis for a hinge.
    fn close(&self, text: &mut String, joint: &Joint) -> Result<(), String> {
        let points: &[f64] = match joint.kind {
            JointKind::BALL => &[0.0],
            JointKind::HINGE => &[-0.5, 0.5],
            other => return Err(format!("no loop by such a joint: {other:?}")),
        };
        let (first, second) = match joint.bodies {
            [Some(a), b] => ((a, &joint.frames[0]), b),
            [None, Some(b)] => ((b, &joint.frames[1]), None),
            [None, None] => return Ok(()),
        };
        for along in points {
            let at = first.1.transform_point(DVec3::X * *along);
            let _ = write!(text, "<connect body1=\"b{}\" anchor=\"{} {} {}\"", first.0, at.x, at.y, at.z);
            if let Some(second) = second {
                let _ = write!(text, " body2=\"b{second}\"");
            }
            text.push_str("/>");
        }
        Ok(())
    }
}

fn name(shape: &Shape) -> &'static str {
    match shape {
        Shape::TriangleMesh(_) => "a mesh (it would collide as its hull)",
        Shape::ConvexHull(_) => "a hull (it is moved to its own centre)",
        Shape::Heightfield(_) => "a height field",
        Shape::Compound(_) => "a compound",
        Shape::Cone(_) => "a cone",
        _ => "another",
    }
}

fn placed(pose: &Pose) -> String {
    let (t, q) = (pose.translation, pose.rotation);
    format!("pos=\"{} {} {}\" quat=\"{} {} {} {}\"", t.x, t.y, t.z, q.w, q.x, q.y, q.z)
}

fn geom(text: &mut String, body: &BodyDefinition, pose: &Pose, shape: &Shape) -> Result<(), String> {
    // Long axes are z there, y here; planes face z.
    let upright = *pose * Pose::new(DQuat::from_rotation_x(-std::f64::consts::FRAC_PI_2), DVec3::ZERO);
    let (kind, pose) = match shape {
        Shape::Sphere(ball) => (format!("type=\"sphere\" size=\"{}\"", ball.radius()), *pose),
        Shape::Box(cuboid) => {
            let half = cuboid.half_extents();
            (format!("type=\"box\" size=\"{} {} {}\"", half.x, half.y, half.z), *pose)
        }
        Shape::Capsule(c) => {
            (format!("type=\"capsule\" size=\"{} {}\"", c.radius(), c.half_height()), upright)
        }
        Shape::Cylinder(c) => {
            (format!("type=\"cylinder\" size=\"{} {}\"", c.radius(), c.half_height()), upright)
        }
        Shape::HalfSpace(_) => ("type=\"plane\" size=\"0 0 1\"".to_owned(), upright),
        other => return Err(format!("takes no such shape as it is: {}", name(other))),
    };
    let friction = body.material.dynamic_friction;
    let _ = write!(
        text,
        "<geom {kind} {} friction=\"{friction} 0 0\" contype=\"{}\" conaffinity=\"{}\" density=\"0\"/>",
        placed(&pose),
        body.filter.groups & 0x7fff_ffff,
        body.filter.mask & 0x7fff_ffff
    );
    Ok(())
}
