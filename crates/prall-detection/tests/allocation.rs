//! Steps and queries allocate nothing once they have seen the largest crowd.

mod spheres;

use glam::DVec3;
use prall_detection::{
    Budget, Detection, Distribution, Filter, GlobalPoses, Method, PairIndex, ProxyId, StepControl, SweptBox,
    box_distance,
};
use prall_geometry::Aabb;
use prall_math::Pose;
use spheres::Spheres;

const METHODS: [Method; 2] = [Method::SweepAndPrune, Method::Tree];

/// Places of a crowd that swings to and fro: the same at every even step.
fn place(i: u32, step: u32) -> DVec3 {
    let grid = DVec3::new(f64::from(i % 7), f64::from(i / 7 % 7), f64::from(i / 49));
    grid * 1.1 + DVec3::splat(f64::from(step % 2) * 0.3 * f64::from(i % 3))
}

fn step_index(index: &mut PairIndex, ids: &[ProxyId], found: &mut Vec<ProxyId>, step: u32) -> usize {
    for (i, &id) in ids.iter().enumerate() {
        index.update(id, Aabb::from_center(place(i as u32, step), DVec3::splat(0.5))).unwrap();
    }
    let pairs = index.refresh().all.len();
    index.partners(ids[0]).unwrap();
    index.overlapping(Aabb::from_center(DVec3::ONE, DVec3::splat(2.0)), found).unwrap();
    index.cast_ray(DVec3::ZERO, DVec3::ONE, 20.0, |_, _| f64::INFINITY).unwrap();
    index.nearest(Aabb::from_center(DVec3::splat(9.0), DVec3::ZERO), f64::INFINITY, box_distance).unwrap();
    pairs
}

#[test]
fn an_index_allocates_nothing_after_warm_up() {
    for method in METHODS {
        let mut index = PairIndex::new(method);
        let mut insert =
            |i: u32| index.insert(Aabb::from_center(place(i, 0), DVec3::splat(0.5)), Filter::EVERYTHING);
        let ids: Vec<ProxyId> = (0..343).map(|i| insert(i).unwrap()).collect();
        let mut found = Vec::new();
        let warm: Vec<usize> = (0..100).map(|step| step_index(&mut index, &ids, &mut found, step)).collect();
        let counted = allocation_counter::measure(|| {
            for step in 0..8 {
                assert_eq!(step_index(&mut index, &ids, &mut found, step), warm[step as usize]);
            }
        });
        assert_eq!(counted.count_total, 0, "{method:?}");
    }
}

#[test]
fn a_step_allocates_nothing_after_warm_up() {
    for method in METHODS {
        let mut control = StepControl::new(GlobalPoses::new(), method, SweptBox::StartAndEnd);
        let mut spheres = Spheres::default();
        let mut objects = Vec::new();
        for i in 0..100 {
            let local = Aabb::from_center(DVec3::ZERO, DVec3::splat(0.4));
            let pose = Pose::from_translation(place(i, 0));
            let object = control.add(local, pose, Filter::EVERYTHING).unwrap();
            spheres.set(object, DVec3::ZERO, 0.4);
            objects.push(object);
        }
        control.attach(objects[1], objects[0]).unwrap();
        let mut detection = Detection::default();
        let mut step = |number: u32| {
            for (i, &object) in objects.iter().enumerate().filter(|(i, _)| i % 3 != 1) {
                let to = Pose::from_translation(place(i as u32, number));
                let pose = prall_detection::Assembly::pose(control.assembly(), object).unwrap();
                control.register_displacement(object, to * pose.inverse()).unwrap();
            }
            let mut budget = Budget::of_work(5000);
            control.detect(&mut spheres, Distribution::Common, &mut budget, &mut detection).unwrap();
            control.commit().unwrap();
        };
        (0..8).for_each(&mut step);
        let counted = allocation_counter::measure(|| (0..4).for_each(&mut step));
        assert_eq!(counted.count_total, 0, "{method:?}");
    }
}
