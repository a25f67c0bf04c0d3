//! [`Motion`]: a pose as a function of t in [0, 1], with proven bounds on where it can carry a point.

mod bound;
mod error;
mod law;
mod nlerp;
mod precession;
mod uniform;

use std::sync::Arc;

use glam::DVec3;

pub use error::MotionError;
pub use law::MotionLaw;
pub use precession::PrecessionMotion;
pub use uniform::UniformMotion;

use crate::rotation::AxisAngle;
use crate::{Pose, Twist};
use bound::outward;
use law::LawMotion;
use nlerp::NlerpMotion;

/// Largest coordinate (metres), angle (radians) or advance (metres) that a motion may have: products of three
/// of them stay finite, and no scene is as large.
const LARGEST_MAGNITUDE: f64 = 1e100;

/// A pose as a function of t in [0, 1]: where a body is while it moves from one pose to the next.
///
/// A motion is checked when it is made; afterwards nothing can fail. Before t = 0 and after t = 1 the body
/// rests. Cloning is cheap.
///
/// ```
/// use prall_math::{Motion, Pose};
/// use glam::{DQuat, DVec3};
///
/// let end = Pose::new(DQuat::from_rotation_z(1.0), DVec3::X);
/// let motion = Motion::slerp(Pose::IDENTITY, end)?;
/// // No point within 0.1 m of the body's origin gets farther than this, whatever happens in between:
/// let bound = motion.displacement_bound(0.1, 0.0, 1.0);
/// assert!(1.0 < bound && bound < 1.0 + 2.0 * 0.1 * 0.5_f64.sin() + 1e-9);
/// # Ok::<(), prall_math::MotionError>(())
/// ```
#[derive(Clone, Debug)]
pub struct Motion {
    kind: Kind,
}

#[derive(Clone, Debug)]
enum Kind {
    Uniform(UniformMotion),
    Precession(PrecessionMotion),
    Nlerp(NlerpMotion),
    Law(LawMotion),
}

/// Ways to make a motion.
impl Motion {
    /// A body that stays where it is.
    pub fn still(pose: Pose) -> Result<Motion, MotionError> {
        UniformMotion::still(pose).map(Motion::of)
    }

    /// The body's origin goes straight, the body turns steadily by the shorter way (at most half a turn).
    pub fn slerp(start: Pose, end: Pose) -> Result<Motion, MotionError> {
        Motion::slerp_about(start, end, DVec3::ZERO)
    }

    /// As [`Motion::slerp`], but the point `reference` of the body goes straight, for example its mass centre.
    pub fn slerp_about(start: Pose, end: Pose, reference: DVec3) -> Result<Motion, MotionError> {
        UniformMotion::slerp(start, end, reference).map(Motion::of)
    }

    /// The body's origin goes straight, quaternions are blended linearly and normalised: the turn of
    /// [`Motion::slerp`] without sines, at a speed that is not constant.
    pub fn nlerp(start: Pose, end: Pose) -> Result<Motion, MotionError> {
        NlerpMotion::new(start, end).map(|nlerp| Motion { kind: Kind::Nlerp(nlerp) })
    }

    /// The screw from `start` to `end` (Chasles), at most half a turn.
    ///
    /// Below an angle of 1e-6 rad the axis is so far away that the body's origin goes straight instead, which
    /// differs by less than 1.3e-7 of the way.
    pub fn screw(start: Pose, end: Pose) -> Result<Motion, MotionError> {
        UniformMotion::screw(start, end).map(Motion::of)
    }

    /// The screw about the line through `point` along `axis` (world coordinates, any length but zero): `angle`
    /// in radians, of either sign and any number of turns, with `advance` in metres along `axis` in all.
    ///
    /// A thread of pitch p advances by p per turn: `advance = p * angle / (2 pi)`.
    pub fn screw_about(
        start: Pose,
        point: DVec3,
        axis: DVec3,
        angle: f64,
        advance: f64,
    ) -> Result<Motion, MotionError> {
        UniformMotion::screw_about(start, point, axis, angle, advance).map(Motion::of)
    }

    /// What a body does that keeps its velocities for `duration`: its point `reference` (body coordinates) moves
    /// with `twist.linear`, and it turns about that point with `twist.angular`, both in world axes.
    pub fn from_twist(
        start: Pose,
        reference: DVec3,
        twist: Twist,
        duration: f64,
    ) -> Result<Motion, MotionError> {
        error::valid_number("duration", duration)?;
        error::valid_vector("angular velocity", twist.angular)?;
        error::valid_vector("linear velocity", twist.linear)?;
        let turned = twist.angular * duration;
        let AxisAngle { axis, angle } = AxisAngle::from_vector(turned);
        Motion::uniform(UniformMotion { start, reference, velocity: twist.linear * duration, axis, angle })
    }

    /// Any motion of the uniform class.
    pub fn uniform(motion: UniformMotion) -> Result<Motion, MotionError> {
        motion.validated().map(Motion::of)
    }

    /// The motion of a free top with an axis of symmetry, by any number of turns.
    pub fn precession(motion: PrecessionMotion) -> Result<Motion, MotionError> {
        motion.validated().map(|precession| Motion { kind: Kind::Precession(precession) })
    }

    /// A motion that follows somebody else's law. Its poses at 0 and 1 and its bounds over [0, 1] are checked.
    pub fn law(law: Arc<dyn MotionLaw>) -> Result<Motion, MotionError> {
        LawMotion::new(law).map(|law| Motion { kind: Kind::Law(law) })
    }
}

/// What a motion does.
impl Motion {
    /// Private, because the numbers must have been checked.
    fn of(uniform: UniformMotion) -> Motion {
        Motion { kind: Kind::Uniform(uniform) }
    }

    /// Pose at `t`; before 0 and after 1 the body rests.
    ///
    /// For uniform motions `pose(0)` is the start bit by bit. Elsewhere poses are rounded: a few units in the
    /// last place of the rotation and of the largest length involved, see [`Motion::rounding`].
    pub fn pose(&self, t: f64) -> Pose {
        let t = within(t);
        match &self.kind {
            Kind::Uniform(uniform) => uniform.pose(t),
            Kind::Precession(precession) => precession.pose(t),
            Kind::Nlerp(nlerp) => nlerp.pose(t),
            Kind::Law(law) => law.pose(t),
        }
    }

    /// Pose at t = 0.
    pub fn start(&self) -> Pose {
        self.pose(0.0)
    }

    /// Pose at t = 1.
    pub fn end(&self) -> Pose {
        self.pose(1.0)
    }

    /// The piece of this motion from `t0` to `t1`, as a motion of its own kind over [0, 1].
    pub fn part(&self, t0: f64, t1: f64) -> Result<Motion, MotionError> {
        if !(0.0 <= t0 && t0 <= t1 && t1 <= 1.0) {
            return Err(MotionError::Interval { t0, t1 });
        }
        let kind = match &self.kind {
            Kind::Uniform(uniform) => Kind::Uniform(uniform.part(t0, t1)),
            Kind::Precession(precession) => Kind::Precession(precession.part(t0, t1)),
            Kind::Nlerp(nlerp) => Kind::Nlerp(nlerp.part(t0, t1)),
            Kind::Law(law) => Kind::Law(law.part(t0, t1)),
        };
        Ok(Motion { kind })
    }

    /// The same path, backwards.
    pub fn reversed(&self) -> Motion {
        let kind = match &self.kind {
            Kind::Uniform(uniform) => Kind::Uniform(uniform.reversed()),
            Kind::Precession(precession) => Kind::Precession(precession.reversed()),
            Kind::Nlerp(nlerp) => Kind::Nlerp(nlerp.reversed()),
            Kind::Law(law) => Kind::Law(law.reversed()),
        };
        Motion { kind }
    }

    /// The motion as one of the uniform class: rest, slerp, screw and all their parts; `None` for all others.
    pub fn as_uniform(&self) -> Option<&UniformMotion> {
        if let Kind::Uniform(uniform) = &self.kind { Some(uniform) } else { None }
    }

    /// The motion as that of a top, if it was made as one.
    pub fn as_precession(&self) -> Option<&PrecessionMotion> {
        if let Kind::Precession(precession) = &self.kind { Some(precession) } else { None }
    }

    /// True if every pose of the motion is, bit by bit, the same.
    pub fn is_still(&self) -> bool {
        match &self.kind {
            Kind::Uniform(uniform) => !uniform.turns() && !uniform.translates(),
            Kind::Precession(precession) => precession.is_still(),
            Kind::Nlerp(nlerp) => nlerp.is_still(),
            Kind::Law(law) => law.is_still(),
        }
    }

    /// Proven upper bound on `|x(t) - x(t0)|`, in metres, for every t between `t0` and `t1` and every point of
    /// the body not farther than `radius` from its origin.
    ///
    /// Holds for the exact motion and for points computed with `pose(t).transform_point(x)`: rounding is
    /// included. Attained, up to that rounding, by some point for slerp, nlerp and screws.
    pub fn displacement_bound(&self, radius: f64, t0: f64, t1: f64) -> f64 {
        let (t0, t1) = (within(t0), within(t1));
        let share = (t1 - t0).abs();
        if share == 0.0 || self.is_still() {
            return if radius >= 0.0 { 0.0 } else { f64::INFINITY };
        }
        let sweep = match &self.kind {
            Kind::Uniform(uniform) => uniform.sweep(radius, share),
            Kind::Precession(precession) => precession.sweep(radius, share),
            Kind::Nlerp(nlerp) => nlerp.sweep(radius, t0, t1),
            Kind::Law(law) => law.sweep(radius, t0, t1, share),
        };
        outward(sweep.chord() + self.rounding(radius))
    }

    /// Proven upper bound on the speed `|dx/dt|`, in metres per unit of t, for every t between `t0` and `t1`
    /// and every point of the body not farther than `radius` from its origin.
    pub fn speed_bound(&self, radius: f64, t0: f64, t1: f64) -> f64 {
        let (t0, t1) = (within(t0), within(t1));
        match &self.kind {
            Kind::Uniform(uniform) => uniform.sweep(radius, 1.0).arc(),
            Kind::Precession(precession) => precession.sweep(radius, 1.0).arc(),
            Kind::Nlerp(nlerp) => nlerp.fastest(radius, t0, t1).arc(),
            Kind::Law(law) => law.sweep(radius, t0, t1, 1.0).arc(),
        }
    }

    /// Upper bound on the rounding, in metres, of a distance between two points of the path that were computed
    /// with `pose(t).transform_point(x)`, for body points not farther than `radius` from the origin.
    pub fn rounding(&self, radius: f64) -> f64 {
        match &self.kind {
            Kind::Uniform(uniform) => uniform.rounding(radius),
            Kind::Precession(precession) => precession.rounding(radius),
            Kind::Nlerp(nlerp) => nlerp.rounding(radius),
            Kind::Law(law) => law.rounding(radius),
        }
    }
}

/// `t` held between 0 and 1; NaN stays NaN, and bounds of it are infinite.
fn within(t: f64) -> f64 {
    t.clamp(0.0, 1.0)
}
