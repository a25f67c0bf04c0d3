//! Torque-free rotation in closed form, however fast the body spins.
//!
//! In principal axes the angular momentum `l = R^T L` stays on the sphere `|l| = |L|` and on the ellipsoid `sum a l^2 = 2 E`, `a = 1 / I`: it
//! goes round a closed curve, the polhode, and is given by Jacobi's elliptic functions of time. With `a1 > a2 > a3` and `2 E > a2 L^2`,
//!
//! ```text
//! l = (A1 dn u, A2 sn u, A3 cn u),  u = u0 + w t,  w = |A1| sqrt((a1 - a3) (a1 - a2))
//! A1^2 = (2 E - a3 L^2) / (a1 - a3),  A2^2 = (a1 L^2 - 2 E) / (a1 - a2),  A3^2 = (a1 L^2 - 2 E) / (a1 - a3)
//! m = (a2 - a3) (a1 L^2 - 2 E) / ((a1 - a2) (2 E - a3 L^2))
//! ```
//!
//! If `2 E < a2 L^2`, the curve goes round the other end: the same with axes 1 and 3 exchanged and the signs of `a` and `E` turned round, as the
//! exchange mirrors space. The orientation follows from `l` but for the angle `psi` by which the line of nodes `L x e` has gone about `L`, where `e`
//! is axis 1 or 3 (Landau and Lifshitz, Mechanics, section 37):
//!
//! ```text
//! dpsi/dt = |L| (a2 l2^2 + a3 l3^2) / (l2^2 + l3^2)  for axis 1,  |L| (a1 l1^2 + a2 l2^2) / (l1^2 + l2^2)  for axis 3
//! ```
//!
//! The rate stays between the inverse moments of the other two axes. No moment exceeds the sum of the others, so that one of the two choices has
//! these near each other, and a smooth rate; it is summed over a period and over what is left. So momentum and energy are exact to rounding
//! whatever the spin, and the turn about `L` is as good as its sum.

use glam::{DMat3, DQuat, DVec3, Vec3Swizzles};
use prall_geometry::MassProperties;
use prall_math::Norm;

use super::Rotor;

/// Points of Gauss and Legendre in [0, 1], and their weights.
const NODES: [(f64, f64); 4] = [
    (0.069_431_844_202_973_71, 0.173_927_422_568_726_93),
    (0.330_009_478_207_571_9, 0.326_072_577_431_273_07),
    (0.669_990_521_792_428_1, 0.326_072_577_431_273_07),
    (0.930_568_155_797_026_3, 0.173_927_422_568_726_93),
];

/// Panels of a sum at least; and no panel is longer than 1 in `u`, over which the elliptic functions change little.
const PANELS: f64 = 12.0;

/// The curve that the angular momentum of a body follows in its principal axes.
pub(super) struct Polhode {
    /// The ordered principal axes in those of the body.
    axes: DMat3,
    /// `1 / I` of the ordered axes.
    inverse_moments: DVec3,
    /// Of the angular momentum.
    size: f64,
    amplitudes: DVec3,
    /// Of `u`, in 1/s.
    rate: f64,
    parameter: f64,
    /// `sn`, `cn`, `dn` at the start.
    start: [f64; 3],
}

impl Polhode {
    /// Of a body with this orientation and angular momentum in the world.
    pub(super) fn of(rotor: &Rotor, rotation: DQuat, momentum: DVec3) -> Polhode {
        let mass = MassProperties { mass: 1.0, center_of_mass: DVec3::ZERO, inertia: rotor.inertia };
        let (moments, turn) = mass.principal_axes();
        let axes = DMat3::from_quat(turn);
        let l = axes.transpose() * (rotation.conjugate() * momentum);
        let a = moments.recip();
        let square = l.length_squared();
        let energy = (a * l).dot(l);
        let other_end = energy < a.y * square;
        // Exchanged, and with the opposite signs.
        let (axes, l, sign) = if other_end { (swapped(axes), l.zyx(), -1.0) } else { (axes, l, 1.0) };
        let a = if other_end { -a.zyx() } else { a };
        let twice = sign * energy;
        let (d12, d13, d23) = (a.x - a.y, a.x - a.z, a.y - a.z);
        let (above, below) = ((twice - a.z * square).max(0.0), (a.x * square - twice).max(0.0));
        let first = (above / d13).sqrt().copysign(l.x);
        let third = (below / d13).sqrt();
        let second = (below / d12).sqrt().copysign(l.x);
        let parameter = (d23 * below / (d12 * above)).clamp(0.0, 1.0);
        let (sn, cn) = (l.y / second, l.z / third);
        let length = (sn * sn + cn * cn).sqrt();
        // On the axis itself there is no angle.
        let (sn, cn) = if length > 0.0 { (sn / length, cn / length) } else { (0.0, 1.0) };
        Polhode {
            axes,
            inverse_moments: sign * a,
            size: square.sqrt(),
            amplitudes: DVec3::new(first, second, third),
            rate: first.abs() * (d13 * d12).sqrt(),
            parameter,
            start: [sn, cn, (1.0 - parameter * sn * sn).sqrt()],
        }
    }

    /// True if the line of nodes is that of axis 1, not of axis 3.
    fn by_first_axis(&self) -> bool {
        let a = self.inverse_moments;
        (a.y - a.z).abs() < (a.x - a.y).abs()
    }

    /// 1 for the two axes across that of the line of nodes.
    fn others(&self) -> DVec3 {
        if self.by_first_axis() { DVec3::new(0.0, 1.0, 1.0) } else { DVec3::new(1.0, 1.0, 0.0) }
    }

    /// The angular momentum in ordered axes after `u` more.
    fn momentum(&self, u: f64) -> DVec3 {
        let [s, c, d] = jacobi(u, self.parameter);
        let [s0, c0, d0] = self.start;
        let below = 1.0 - self.parameter * s0 * s0 * s * s;
        let sn = (s0 * c * d + s * c0 * d0) / below;
        let cn = (c0 * c - s0 * s * d0 * d) / below;
        let dn = (d0 * d - self.parameter * s0 * s * c0 * c) / below;
        self.amplitudes * DVec3::new(dn, sn, cn)
    }

    /// The angle of the line of nodes about `L` for `u` from 0 to `end`, which is at most a period.
    fn precession(&self, end: f64) -> f64 {
        let panels = end.abs().ceil().clamp(PANELS, 512.0);
        let panel = end / panels;
        let mut sum = 0.0;
        for part in 0..panels as usize {
            for (node, weight) in NODES {
                let l = self.momentum((part as f64 + node) * panel);
                let squares = self.others() * l * l;
                sum += weight * self.inverse_moments.dot(squares) / squares.element_sum();
            }
        }
        self.size * sum * panel / self.rate
    }

    /// The orientation after `h` seconds.
    pub(super) fn turned(&self, rotation: DQuat, momentum: DVec3, h: f64) -> DQuat {
        let along = momentum.unit();
        if self.amplitudes.z == 0.0 {
            // About a principal axis the spin stays.
            let turn = along * (self.size * self.inverse_moments.x * h);
            return (prall_math::rotation::exp(turn) * rotation).unit();
        }
        let all = self.rate * h;
        // Squares of the elliptic functions come again after half of their period.
        let period = 2.0 * quarter_period(self.parameter);
        let rounds = if period.is_finite() { (all / period).trunc() } else { 0.0 };
        let mut angle = self.precession(all - rounds * period);
        if rounds != 0.0 {
            angle += rounds * self.precession(period);
        }
        let frame = |l: DVec3| {
            let along = (self.axes * l).unit();
            // `L x e`, or its opposite where the axes are mirrored: the same at both ends.
            let node =
                if self.by_first_axis() { DVec3::new(0.0, l.z, -l.y) } else { DVec3::new(l.y, -l.x, 0.0) };
            let node = (self.axes * node).unit();
            DMat3::from_cols(along, node, along.cross(node))
        };
        let (before, after) = (frame(self.momentum(0.0)), frame(self.momentum(all)));
        let world = DMat3::from_quat(rotation) * before;
        let turn = DMat3::from_quat(prall_math::rotation::exp(along * angle));
        let node = (turn * world.y_axis).reject_from_normalized(along).unit();
        let ended = DMat3::from_cols(along, node, along.cross(node)) * after.transpose();
        DQuat::from_mat3(&ended).unit()
    }
}

fn swapped(axes: DMat3) -> DMat3 {
    DMat3::from_cols(axes.z_axis, axes.y_axis, axes.x_axis)
}

/// `K(m)`, by the arithmetic and geometric mean.
fn quarter_period(m: f64) -> f64 {
    let (mut a, mut b) = (1.0, (1.0 - m).sqrt());
    if b == 0.0 {
        return f64::INFINITY;
    }
    while (a - b).abs() > 4.0 * f64::EPSILON * a {
        (a, b) = (0.5 * (a + b), (a * b).sqrt());
    }
    std::f64::consts::FRAC_PI_2 / a
}

/// `sn`, `cn` and `dn` of `u` for the parameter `m` from 0 to 1, by descending Landen transformations.
fn jacobi(u: f64, m: f64) -> [f64; 3] {
    /// Means converge quadratically: eight of them reach rounding from any `m` that is not 1 to all digits.
    const MOST: usize = 16;
    let mut b = (1.0 - m).sqrt();
    if b == 0.0 {
        let cn = 1.0 / libm::cosh(u);
        return [libm::tanh(u), cn, cn];
    }
    let (mut a, mut count) = (1.0, 0);
    let mut ratios = [0.0; MOST];
    while count < MOST {
        let (mean, c) = (0.5 * (a + b), 0.5 * (a - b));
        b = (a * b).sqrt();
        a = mean;
        ratios[count] = c / a;
        count += 1;
        if c <= f64::EPSILON * a {
            break;
        }
    }
    let mut angle = f64::from(1_u32 << count) * a * u;
    for ratio in ratios[..count].iter().rev() {
        angle = 0.5 * (angle + libm::asin((ratio * libm::sin(angle)).clamp(-1.0, 1.0)));
    }
    let (sn, cn) = (libm::sin(angle), libm::cos(angle));
    [sn, cn, (1.0 - m * sn * sn).sqrt()]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rotor(moments: DVec3) -> Rotor {
        let inertia = DMat3::from_diagonal(moments);
        Rotor::new(inertia, inertia.inverse())
    }

    /// Jacobi's functions against their differential equations, `sn' = cn dn`, `cn' = -sn dn`.
    #[test]
    fn elliptic_functions_solve_their_equations() {
        for m in [0.0, 0.3, 0.9, 0.999_999] {
            for step in 0..40 {
                let (u, e) = (0.37 * f64::from(step) - 5.0, 1e-5);
                let [s, c, d] = jacobi(u, m);
                let slope = |i: usize| (jacobi(u + e, m)[i] - jacobi(u - e, m)[i]) / (2.0 * e);
                // Central differences: e^2 times the third derivative, and rounding over e.
                assert!((slope(0) - c * d).abs() < 1e-9 && (slope(1) + s * d).abs() < 1e-9, "{m} {u}");
            }
        }
    }

    /// Against the Taylor series, which shares no code with it: round both ends, and for axes that are not the body's own.
    #[test]
    fn the_closed_form_is_the_series() {
        let turn = DMat3::from_quat(DQuat::from_scaled_axis(DVec3::new(0.3, -0.8, 0.5)));
        for moments in [DVec3::new(1.0, 1.4, 2.1), DVec3::new(0.02, 0.9, 0.91), DVec3::new(0.5, 0.51, 1.0)] {
            let inertia = turn * DMat3::from_diagonal(moments) * turn.transpose();
            let inertia = 0.5 * (inertia + inertia.transpose());
            for rotor in [rotor(moments), Rotor::new(inertia, inertia.inverse())] {
                for spin in
                    [DVec3::new(3.0, 0.4, 0.2), DVec3::new(0.1, 2.0, 0.3), DVec3::new(0.2, -0.5, -3.0)]
                {
                    let (start, h) = (DQuat::from_rotation_x(0.4), 3.0);
                    let momentum = rotor.momentum(start, spin);
                    let closed = Polhode::of(&rotor, start, momentum).turned(start, momentum, h);
                    let series = rotor.turned(start, spin, h);
                    let apart = (closed - series).length().min((closed + series).length());
                    // Forty pieces of the series round by some 1e-15; the sums over a period are good to 1e-9.
                    assert!(apart < 1e-8, "{moments} {spin}: {apart}");
                }
            }
        }
    }

    /// A flat sheet at thousands of rad/s, some of it next to the axis that is unstable: energy stays.
    #[test]
    fn a_fast_sheet_keeps_its_energy() {
        let rotor = rotor(DVec3::new(0.5, 2.0, 2.5));
        for spin in
            [DVec3::new(4000.0, 900.0, -700.0), DVec3::new(1e-3, 6000.0, 1e-3), DVec3::new(0.0, 10.0, 8000.0)]
        {
            let start = DQuat::from_rotation_y(1.1);
            let momentum = rotor.momentum(start, spin);
            let mut rotation = start;
            let energy = |rotation: DQuat| momentum.dot(rotor.velocity(rotation, momentum));
            for _ in 0..200 {
                rotation = rotor.turned(rotation, rotor.velocity(rotation, momentum), 1.0 / 60.0);
            }
            let change = energy(rotation) / energy(start) - 1.0;
            // 200 steps that round by some 1e-15.
            assert!(change.abs() < 1e-11, "{spin}: {change}");
        }
    }
}
