//! [`Pressure`]: how a load spreads over the points of a support.

use glam::{DMat3, DVec2, DVec3};

/// How normal forces depend on the place (Buck 1999, (53)): f0 + a U |U|^s + b V |V|^s, with U and V the coordinates as shares of the bounds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Pressure {
    /// s above -1; 0 is a plane. With three points it makes no difference.
    pub power: f64,
}

impl Default for Pressure {
    fn default() -> Pressure {
        Pressure { power: 0.0 }
    }
}

impl Pressure {
    fn value(self, share: f64) -> f64 {
        if share == 0.0 { 0.0 } else { share * libm::pow(share.abs(), self.power) }
    }

    /// Normal forces at points whose sum is `load`, so that moments about the mass centre, with the levers given for each point, vanish. None if no such forces
    /// exist, or some would have to pull: the body tips.
    pub(super) fn forces(
        self,
        points: &[DVec2],
        levers: &[DVec2],
        load: f64,
        forces: &mut Vec<f64>,
    ) -> Option<()> {
        let largest = points.iter().fold(DVec2::ZERO, |most, point| most.max(point.abs()));
        let shape =
            |point: &DVec2| DVec3::new(1.0, self.value(point.x / largest.x), self.value(point.y / largest.y));
        let mut matrix = DMat3::ZERO;
        for (point, lever) in points.iter().zip(levers) {
            let rows = DVec3::new(1.0, lever.x / largest.x, lever.y / largest.y);
            let law = shape(point);
            matrix += DMat3::from_cols(rows * law.x, rows * law.y, rows * law.z);
        }
        let scale = points.len() as f64;
        if !(matrix.determinant().abs() > 1e-12 * scale * scale * scale) {
            return None;
        }
        let law = matrix.inverse() * DVec3::new(load, 0.0, 0.0);
        forces.clear();
        forces.extend(points.iter().map(|point| law.dot(shape(point))));
        forces.iter().all(|force| *force >= 0.0).then_some(())
    }
}
