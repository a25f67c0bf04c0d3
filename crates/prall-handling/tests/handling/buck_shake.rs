//! Fig. 38 of Buck 1999: two loose polyhedra, driven by random forces and torques with a mean into a concave corner.

use glam::DVec3;
use prall_geometry::{Amount, HalfEdges, MassProperties, Shape, generate};
use prall_handling::buck::{BuckHeld, BuckOptions, Partner, Solve};
use prall_math::Twist;

use crate::corner::{corner, corner_shapes};
use crate::shapes::*;

const INTERVAL: f64 = 0.01;
const GUARD: f64 = 10e-6;

/// What was seen.
#[derive(Default)]
pub(crate) struct Shaken {
    pub(crate) solves: Vec<Solve>,
    /// Intervals, and of them jams, intervals that a collision cut, and times that were estimated too late.
    pub(crate) intervals: usize,
    pub(crate) jams: usize,
    pub(crate) cut: usize,
    pub(crate) late: usize,
    /// The largest distance of a loaded contact from its guard at the end of a whole interval, in m.
    pub(crate) off: f64,
    /// The smallest condition of a set of contacts, and its largest size.
    pub(crate) condition: f64,
    pub(crate) most: usize,
    /// Intervals whose contacts were not independent.
    pub(crate) dependent: usize,
    /// Share of the intervals that was carried out.
    pub(crate) done: f64,
    /// How far a part was from the corner, in m.
    pub(crate) farthest: f64,
}

fn mass(shape: &Shape) -> MassProperties {
    let Shape::TriangleMesh(mesh) = shape else { panic!("a mesh") };
    MassProperties::of_mesh(mesh.mesh(), &HalfEdges::new(mesh.mesh()), Amount::Mass(2.0)).unwrap()
}

/// Shakes a box and a prism of seven sides in the corner; looks for overlaps in every tenth interval.
pub(crate) fn shake(options: BuckOptions, intervals: usize, seed: u64) -> Shaken {
    let parts = [cuboid(DVec3::new(0.08, 0.06, 0.07)), mesh(&generate::cylinder(0.04, 0.06, 7).unwrap())];
    let shapes = corner_shapes();
    let mut held = BuckHeld::new(&parts[0], &mass(&parts[0]), at(0.08, 0.08, 0.08), corner(&shapes), options)
        .unwrap()
        .with_part(&parts[1], &mass(&parts[1]), at(0.2, 0.08, 0.09))
        .unwrap();
    let mut judges: Vec<Judge> =
        parts.iter().map(|part| Judge::new(part, &shapes.iter().collect::<Vec<_>>())).collect();
    let mut between = Judge::new(&parts[0], &[&parts[1]]);
    let mut hand = Violence::new(seed);
    let mut seen = Shaken { condition: 1.0, ..Shaken::default() };
    let mut loads = [(DVec3::ZERO, DVec3::ZERO); 2];
    let mut left = 0.0;
    for interval in 0..intervals {
        // A collision costs the rest of its interval, so a load lasts for a time that was carried out.
        if left <= 0.0 {
            left = 5.0;
            // m/s^2 and rad/s^2: into the corner on the whole.
            loads = std::array::from_fn(|_| (hand.vector() * 6.0 - DVec3::splat(4.0), hand.vector() * 40.0));
        }
        let velocities: Vec<Twist> = held.velocities().copied().collect();
        let driven = |(velocity, load): (&Twist, &(DVec3, DVec3))| {
            // The air takes a tenth of the velocity, so that nothing is thrown out of the corner.
            let slower = *velocity * 0.9;
            Twist::new(slower.linear + load.0 * INTERVAL, slower.angular + load.1 * INTERVAL)
        };
        let wishes: Vec<Twist> = velocities.iter().zip(&loads).map(driven).collect();
        let report = *held.step_each(&wishes, INTERVAL).unwrap();
        seen.solves.extend(held.solves());
        seen.intervals += 1;
        left -= report.done;
        seen.done += report.done / intervals as f64;
        seen.jams += usize::from(report.jam);
        seen.cut += usize::from(report.born);
        seen.late += usize::from(report.late);
        seen.most = seen.most.max(held.contacts().len());
        seen.condition = seen.condition.min(held.condition());
        seen.dependent += usize::from(held.contacts().len() + held.free_directions() > 12);
        if report.done == 1.0 && !report.jam {
            let loaded =
                held.contacts().iter().filter(|contact| contact.force > 0.0 && !contact.is_auxiliary());
            seen.off = loaded.fold(seen.off, |off, contact| off.max((held.gap(contact) - GUARD).abs()));
        }
        let away = held.poses().map(|pose| pose.translation.length());
        seen.farthest = away.fold(seen.farthest, f64::max);
        if interval % 10 == 0 {
            let poses: Vec<_> = held.poses().copied().collect();
            judges.iter_mut().zip(&poses).for_each(|(judge, pose)| judge.look_at(pose, held.obstacles()));
            between.look_at(&poses[0], &[obstacle("other part", &parts[1], poses[1])]);
        }
    }
    assert!(held.contacts().iter().all(|contact| contact.partner != Partner::Part(0)));
    seen
}
