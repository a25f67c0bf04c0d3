//! Links of movers in the solid step.

use glam::{DMat3, DVec3};
use prall_math::rotation;
use prall_math::{Pose, Twist};
use prall_mechanics::Mover;

use super::World;
use super::movers::MoverShape;
use super::solid::{SolidPart, solid_shape};
use crate::flight::Rotor;
use crate::solid::{LinkName, Roundness, SolidBody, SolidMachine, SolidShape, apparent_mass};
use crate::{MoverHandle, WorldError};

impl World {
    /// Where a link's frame was at a share (0 to 1) of the last step, along the way that was proven free. `None` for links without shapes, for those that
    /// stood still and for those of movers that are not solid.
    pub fn link_pose_during(
        &self,
        mover: MoverHandle,
        link: u32,
        share: f64,
    ) -> Result<Option<Pose>, WorldError> {
        self.mover(mover)?;
        let place = self.solid.links.iter().position(|known| *known == [mover.index, link]);
        Ok(place.and_then(|place| self.solid.pose_during(self.solid.first_link + place, share)))
    }

    /// True if the coming step moves the mover under the rule that nothing overlaps.
    pub fn is_mover_solid(&self, mover: MoverHandle) -> Result<bool, WorldError> {
        self.mover(mover)?;
        Ok(self.solid.state.is_solid_mover(mover.index as usize))
    }

    /// Where links with shapes are, by mover and shape.
    pub(super) fn link_poses(&self, movers: &[Box<dyn Mover>]) -> Vec<Vec<Pose>> {
        let of = |mover: &dyn Mover, shapes: &[MoverShape]| {
            shapes.iter().map(|shape| mover.pose(shape.link)).collect()
        };
        movers.iter().zip(&self.mover_shapes).map(|(mover, shapes)| of(mover.as_ref(), shapes)).collect()
    }

    /// Adds links with shapes. Those of movers that are not solid have made their step, and are obstacles of given motion.
    pub(super) fn add_links<'a>(
        &'a self,
        solid: &mut SolidPart,
        movers: &mut [Box<dyn Mover>],
        bodies: &mut Vec<SolidBody>,
        shapes: &mut Vec<SolidShape<'a>>,
        h: f64,
    ) -> Vec<SolidMachine> {
        solid.first_link = self.bodies.len();
        solid.links.clear();
        let mut machines = Vec::new();
        for (number, (mover, own)) in movers.iter_mut().zip(&self.mover_shapes).enumerate() {
            let is_solid = solid.state.is_solid_mover(number);
            if is_solid {
                mover.refresh_responses();
            }
            let state = mover.save();
            let mut links: Vec<(u32, usize)> = Vec::new();
            for (place, shape) in own.iter().enumerate() {
                let known = links.iter().find(|(link, _)| *link == shape.link);
                let at = known.map_or(bodies.len(), |(_, at)| *at);
                if at == bodies.len() {
                    let name = LinkName { mover: number, link: shape.link };
                    let start = solid.link_starts[number][place];
                    let mut body = link_body(mover.as_ref(), name, start, is_solid, h);
                    body.index = solid.first_link + solid.links.len();
                    solid.links.push([number as u32, shape.link]);
                    links.push((shape.link, at));
                    bodies.push(body);
                }
                let body = &mut bodies[at];
                body.round = body.round.and(Roundness::of_shape(&shape.part.pose, &shape.part.shape));
                body.radius = body.radius.max(shape.radius);
                body.size = body.size.max(crate::body::size(&shape.part.shape));
                shapes.extend(solid_shape(at, &shape.part, shape.material, shape.filter));
            }
            if is_solid {
                self.see_driven(mover.as_mut(), &state, &links, bodies, h);
                machines.push(SolidMachine::new(number, links, state));
            }
        }
        machines
    }

    /// Gives links that nothing pushes the velocity at which they are driven in the coming step.
    fn see_driven(
        &self,
        mover: &mut dyn Mover,
        state: &[u8],
        links: &[(u32, usize)],
        bodies: &mut [SolidBody],
        h: f64,
    ) {
        if links.iter().all(|&(_, at)| bodies[at].is_movable()) {
            return;
        }
        mover.predict(h, self.options.gravity);
        mover.commit(h, 1.0);
        for &(link, at) in links {
            let (body, end) = (&mut bodies[at], mover.pose(link));
            if !body.is_movable() && end != body.pose {
                let turn = rotation::log(end.rotation * body.pose.rotation.conjugate());
                let way = end.translation - body.pose.translation;
                body.velocity = Twist { linear: way / h, angular: turn / h };
            }
        }
        // Its own state, which it has written.
        let _ = mover.restore(state);
    }
}

/// A link without its shapes: of a mover that is solid as it moves now, of another one with the motion that it has made from `start`.
fn link_body(mover: &dyn Mover, name: LinkName, start: Pose, is_solid: bool, h: f64) -> SolidBody {
    let now = mover.pose(name.link);
    let mut body = SolidBody {
        index: 0,
        link: is_solid.then_some(name),
        pose: start,
        velocity: Twist::ZERO,
        spin: DVec3::ZERO,
        mass: 0.0,
        rotor: Rotor::NONE,
        force: DVec3::ZERO,
        torque: DVec3::ZERO,
        locked: [false; 6],
        radius: 0.0,
        size: 0.0,
        round: Roundness::Ball,
        jointed: true,
        touching: is_solid,
        bent: false,
        was_stopped: false,
    };
    if !is_solid {
        let turn = rotation::log(now.rotation * start.rotation.conjugate());
        body.velocity = Twist { linear: (now.translation - start.translation) / h, angular: turn / h };
        return body;
    }
    let (mass, inertia) = apparent_mass(mover, name.link, now.translation);
    body.pose = now;
    body.mass = mass;
    // What only slides is as hard to turn as it is to shift by a metre.
    let inertia = DMat3::from_diagonal(DVec3::splat(if inertia > 0.0 { inertia } else { mass.max(1.0) }));
    body.rotor = Rotor::new(inertia, inertia.inverse());
    body.velocity = mover.twist_at(name.link, now.translation);
    body.spin = body.inertia(&now) * body.velocity.angular;
    body
}
