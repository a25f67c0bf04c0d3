//! The comparison volumes: every pair test, every way to walk, and volumes of whole motions.

use std::ops::Range;

use glam::{DMat3, DQuat, DVec3};
use prall_detection::volumes::*;
use prall_geometry::{Aabb, BoundingSphere, OrientedBox};
use prall_math::{Motion, Pose};

use crate::bodies::{body, motion, pose, slow_overlaps};
use crate::meshes;
use crate::parts;
use crate::random::Random;

const KINDS: [VolumeKind; 3] = [VolumeKind::Sphere, VolumeKind::IsoBox, VolumeKind::Box];
const VARIANTS: [IsoBoxAgainstBox; 2] = [IsoBoxAgainstBox::Reboxing, IsoBoxAgainstBox::FifteenAxes];

fn volume(random: &mut Random, kind: VolumeKind) -> Volume {
    let centre = random.vector(1.0);
    // One half length in four is zero: flat boxes.
    let mut half = random.vector(0.5).abs();
    if random.chance(0.25) {
        half[random.integer(3) as usize] = 0.0;
    }
    match kind {
        VolumeKind::Sphere => Volume::Sphere(BoundingSphere { center: centre, radius: half.x }),
        VolumeKind::IsoBox => Volume::IsoBox(Aabb::from_center(centre, half)),
        VolumeKind::Box => {
            // Often parallel to the axes, where printed tests fail.
            let axes = if random.chance(0.5) { DMat3::IDENTITY } else { DMat3::from_quat(random.rotation()) };
            Volume::Box(OrientedBox::new(centre, axes, half))
        }
    }
}

/// A point of the volume: inside, on a face or a corner.
fn point_of(random: &mut Random, volume: &Volume) -> DVec3 {
    match volume {
        Volume::Sphere(BoundingSphere { center, radius }) => {
            *center + random.direction() * (radius * random.between(0.0, 1.0).sqrt())
        }
        _ => {
            let oriented = volume.oriented();
            let share = if random.chance(0.5) { random.vector(1.0) } else { random.vector(1.0).signum() };
            oriented.center() + oriented.axes() * (oriented.half_extents() * share)
        }
    }
}

/// Two volumes placed so that a known point lies in both are never called free.
#[test]
fn volumes_that_share_a_point_are_never_called_free() {
    let mut random = Random::new(71);
    for case in 0..40_000 {
        let kinds = (KINDS[case % 3], KINDS[case / 3 % 3]);
        let (first, second) = (volume(&mut random, kinds.0), volume(&mut random, kinds.1));
        let parallel = random.chance(0.5);
        let turn = |random: &mut Random| if parallel { DQuat::IDENTITY } else { random.rotation() };
        let at_first = Pose::new(turn(&mut random), random.vector(10.0));
        let rotation = turn(&mut random);
        let shared = at_first.transform_point(point_of(&mut random, &first));
        let at_second = Pose::new(rotation, shared - rotation * point_of(&mut random, &second));
        for variant in VARIANTS {
            assert!(
                volumes_overlap(&first, &at_first, &second, &at_second, variant),
                "{first:?} {second:?} {at_first:?} {at_second:?} {variant:?}"
            );
        }
    }
}

/// Volumes with a plane between them: exact tests must see it when the plane is one of their axes.
#[test]
fn volumes_apart_along_a_face_axis_are_called_free() {
    let mut random = Random::new(72);
    for case in 0..10_000 {
        let kinds = (KINDS[case % 3], KINDS[case / 3 % 3]);
        let (first, second) = (volume(&mut random, kinds.0), volume(&mut random, kinds.1));
        let at_first = pose(&mut random, 3.0);
        let axis = at_first.transform_vector(first.oriented().axes().x_axis);
        let reach = |v: &Volume| v.circumscribed().radius;
        let half = match first {
            Volume::Sphere(s) => s.radius,
            _ => first.oriented().half_extents().x,
        };
        let centre = at_first.transform_point(first.oriented().center());
        let place = centre + axis * (half + reach(&second) + 1e-9);
        let rotation = random.rotation();
        let at_second = Pose::new(rotation, place - rotation * second.oriented().center());
        let called_free =
            !volumes_overlap(&first, &at_first, &second, &at_second, IsoBoxAgainstBox::FifteenAxes);
        // Re-boxing an iso-box and clamping against a sphere are only conservative or face the other way.
        let exact = kinds != (VolumeKind::IsoBox, VolumeKind::IsoBox);
        assert!(called_free || !exact, "{first:?} {second:?}");
    }
}

#[test]
fn identical_boxes_overlap_at_any_turn() {
    let cube = Volume::Box(OrientedBox::new(DVec3::ZERO, DMat3::IDENTITY, DVec3::ONE));
    for degrees in [0.0_f64, 45.0, 90.0, 180.0] {
        let turned = Pose::from_rotation(DQuat::from_rotation_z(degrees.to_radians()));
        assert!(volumes_overlap(&cube, &Pose::IDENTITY, &cube, &turned, IsoBoxAgainstBox::FifteenAxes));
    }
    let plate = Volume::Box(OrientedBox::new(DVec3::ZERO, DMat3::IDENTITY, DVec3::new(1.0, 1.0, 0.0)));
    let beside = Pose::from_translation(DVec3::new(2.0, 0.0, 0.0));
    assert!(
        volumes_overlap(&plate, &Pose::IDENTITY, &plate, &beside, IsoBoxAgainstBox::FifteenAxes),
        "touching"
    );
}

#[test]
fn every_tree_and_every_expansion_finds_the_same_pairs() {
    let mut random = Random::new(73);
    let expansions = [Expansion::OneSided, Expansion::Simultaneous, Expansion::Hybrid];
    let mut hits = 0;
    for case in 0..40 {
        let (mesh_a, mesh_b) = (
            body(&mut random),
            if case % 3 == 0 { meshes::bumpy_sphere(0.5, 100) } else { body(&mut random) },
        );
        let at_a = pose(&mut random, 0.5);
        let placed: Vec<_> =
            mesh_a.iter().map(|t| t.map(|p| at_a.rotation_matrix() * p + at_a.translation)).collect();
        let expected = slow_overlaps(&placed, &mesh_b);
        hits += usize::from(!expected.is_empty());
        for (kind_a, kind_b) in KINDS.into_iter().flat_map(|a| KINDS.map(|b| (a, b))) {
            let a = VolumeTree::build(&mesh_a, kind_a, 1 + case % 3).expect("a body");
            let b = VolumeTree::build(&mesh_b, kind_b, 1).expect("a body");
            for expansion in expansions {
                let mut counts = TestCounts::default();
                let variant = VARIANTS[case % 2];
                let mut found =
                    tree_overlaps(&a, &at_a, &b, &Pose::IDENTITY, expansion, variant, &mut counts)
                        .expect("sound poses");
                found.sort_unstable();
                assert_eq!(found, expected, "{kind_a:?} {kind_b:?} {expansion:?}");
                assert!(counts.volumes() >= 1);
                assert!(counts.weighted(&MeanCosts::ECKSTEIN_1998) > 0.0);
            }
        }
    }
    assert!(hits > 10);
}

/// Two instances of one body make every measure of the hybrid expansion tie; the printed rule loses such pairs.
#[test]
fn a_body_against_its_own_copy_keeps_every_pair() {
    let mesh = meshes::bumpy_sphere(0.5, 200);
    let tree = VolumeTree::build(&mesh, VolumeKind::Box, 1).expect("a body");
    let mut counts = TestCounts::default();
    let variant = IsoBoxAgainstBox::FifteenAxes;
    let here = Pose::IDENTITY;
    let found = tree_overlaps(&tree, &here, &tree, &here, Expansion::Hybrid, variant, &mut counts)
        .expect("sound poses");
    assert_eq!(found.len(), slow_overlaps(&mesh, &mesh).len());
}

#[test]
fn boxes_take_fewer_tests_than_spheres_on_thin_parts() {
    let mesh = meshes::bumpy_sphere(0.5, 4000);
    let near = Pose::from_translation(DVec3::new(1.005, 0.0, 0.0));
    let tests = |kind| {
        let tree = VolumeTree::build(&mesh, kind, 1).expect("a body");
        let mut counts = TestCounts::default();
        let variant = IsoBoxAgainstBox::FifteenAxes;
        tree_overlaps(&tree, &near, &tree, &Pose::IDENTITY, Expansion::OneSided, variant, &mut counts)
            .expect("sound poses");
        counts.volumes()
    };
    assert!(2 * tests(VolumeKind::Box) < tests(VolumeKind::Sphere));
}

/// Six children, volumes of three kinds: a tree that no builder of ours makes.
#[test]
fn a_tree_built_by_somebody_else_is_checked_and_then_walked() {
    let mesh = parts::block(DVec3::splat(0.5));
    let order: Vec<u32> = (0..12).collect();
    let around = |range: Range<usize>| mesh[range].iter().flatten().copied().collect::<Aabb>();
    let leaf = |i: usize| {
        let iso = around(2 * i..2 * i + 2);
        let volume = match i % 3 {
            0 => Volume::IsoBox(iso),
            1 => Volume::Box(Volume::IsoBox(iso).oriented()),
            _ => Volume::Sphere(Volume::IsoBox(iso).circumscribed()),
        };
        TreeNode { volume, children: 0..0, triangles: 2 * i..2 * i + 2 }
    };
    let root = TreeNode { volume: Volume::IsoBox(around(0..12)), children: 1..7, triangles: 0..0 };
    let nodes: Vec<TreeNode> = std::iter::once(root).chain((0..6).map(leaf)).collect();
    let tree = VolumeTree::from_nodes(&mesh, order.clone(), nodes.clone()).expect("a sound tree");
    assert_eq!(tree.node_count(), 7);
    let at = Pose::new(DQuat::from_rotation_x(0.4), DVec3::new(0.9, 0.1, 0.2));
    let placed: Vec<_> = mesh.iter().map(|t| t.map(|p| at.rotation_matrix() * p + at.translation)).collect();
    for expansion in [Expansion::OneSided, Expansion::Simultaneous, Expansion::Hybrid] {
        let mut counts = TestCounts::default();
        let variant = IsoBoxAgainstBox::Reboxing;
        let mut found = tree_overlaps(&tree, &at, &tree, &Pose::IDENTITY, expansion, variant, &mut counts)
            .expect("sound poses");
        found.sort_unstable();
        assert_eq!(found, slow_overlaps(&placed, &mesh));
    }
    let mut small = nodes.clone();
    small[3].volume = Volume::Sphere(BoundingSphere { center: DVec3::ZERO, radius: 0.1 });
    assert_eq!(VolumeTree::from_nodes(&mesh, order.clone(), small).err(), Some(TreeError::Volume(3)));
    let mut shared = nodes;
    shared[4].triangles = 0..2;
    assert_eq!(VolumeTree::from_nodes(&mesh, order, shared).err(), Some(TreeError::Shape(4)));
}

#[test]
fn swept_volumes_contain_the_volume_at_every_time() {
    let mut random = Random::new(74);
    for case in 0..3000 {
        let volume = volume(&mut random, KINDS[case % 3]);
        let start = pose(&mut random, 2.0);
        let motion: Motion = motion(&mut random, start);
        let by_length = swept_by_length(&volume, &motion);
        let swept: Vec<Volume> =
            KINDS.iter().map(|&kind| swept_from_ends(&volume, &motion, kind)).chain([by_length]).collect();
        for (volume_swept, kind) in swept.iter().zip(KINDS) {
            assert_eq!(volume_swept.kind(), kind);
        }
        for i in 0..=24 {
            let pose = motion.pose(f64::from(i) / 24.0);
            for _ in 0..4 {
                let point = pose.transform_point(point_of(&mut random, &volume));
                for around in &swept {
                    assert!(around.contains(point, 1e-12), "{around:?} misses {point:?} of {volume:?}");
                }
            }
        }
    }
}

/// The printed hull of start and end misses the arc between: 2.93 m for a quarter turn at 10 m from the axis.
#[test]
fn a_quarter_turn_far_from_the_axis_stays_inside_its_swept_box() {
    let cube = Volume::Box(OrientedBox::new(DVec3::new(10.0, 0.0, 0.0), DMat3::IDENTITY, DVec3::splat(0.1)));
    let turn = |angle: f64| Pose::from_rotation(DQuat::from_rotation_z(angle));
    let quarter = std::f64::consts::FRAC_PI_4;
    let motion = Motion::slerp(turn(-quarter), turn(quarter)).expect("a motion");
    let swept = swept_from_ends(&cube, &motion, VolumeKind::Box);
    assert!(swept.contains(DVec3::new(10.1, 0.0, 0.0), 0.0));
}

/// For a straight motion nothing bulges: the hull of both ends is all there is.
#[test]
fn a_straight_motion_is_swept_without_padding() {
    let ball = Volume::Sphere(BoundingSphere { center: DVec3::ZERO, radius: 0.5 });
    let end = Pose::from_translation(DVec3::new(4.0, 0.0, 0.0));
    let motion = Motion::slerp(Pose::IDENTITY, end).expect("a motion");
    let Volume::IsoBox(swept) = swept_from_ends(&ball, &motion, VolumeKind::IsoBox) else { panic!("a box") };
    assert!(swept.max.distance(DVec3::new(4.5, 0.5, 0.5)) < 1e-12, "{swept:?}");
}

/// Every pair of triangles that meets at some sampled time is among the candidates; and a node's volume is made at most
/// once per motion, however often it is asked for.
#[test]
fn swept_trees_lose_no_pair_and_make_each_volume_once_per_step() {
    let mut random = Random::new(79);
    let sweeps = [Sweep::FromEnds(VolumeKind::Box), Sweep::FromEnds(VolumeKind::IsoBox), Sweep::ByLength];
    let mut meetings = 0;
    for case in 0..24 {
        let (mesh_a, mesh_b) = (body(&mut random), body(&mut random));
        let trees =
            [&mesh_a, &mesh_b].map(|mesh| VolumeTree::build(mesh, KINDS[case % 3], 2).expect("a tree"));
        let starts = [pose(&mut random, 0.6), pose(&mut random, 0.6)];
        let motions = starts.map(|start| motion(&mut random, start));
        let [mut a, mut b] = [0, 1]
            .map(|i| SweptTree::new(&trees[i], sweeps[case % 3], Motion::still(starts[i]).expect("rest")));
        let mut counts = TestCounts::default();
        let mut walk = |a: &mut SweptTree, b: &mut SweptTree| {
            let expansion = [Expansion::OneSided, Expansion::Simultaneous, Expansion::Hybrid][case / 3 % 3];
            swept_candidates(a, b, expansion, VARIANTS[case % 2], &mut counts)
        };
        walk(&mut a, &mut b);
        a.follow(motions[0].clone());
        b.follow(motions[1].clone());
        let before = a.made() + b.made();
        let found = walk(&mut a, &mut b);
        let made = a.made() + b.made() - before;
        assert!(made > 0 && made <= (trees[0].node_count() + trees[1].node_count()) as u64);
        assert_eq!(walk(&mut a, &mut b), found);
        assert_eq!(a.made() + b.made(), before + made, "the same motion, nothing new");
        for i in 0..=20 {
            let t = f64::from(i) / 20.0;
            let at = |mesh: &[[DVec3; 3]], motion: &Motion| crate::bodies::placed(mesh, &motion.pose(t));
            for pair in slow_overlaps(&at(&mesh_a, &motions[0]), &at(&mesh_b, &motions[1])) {
                meetings += 1;
                assert!(found.contains(&pair), "{pair:?} at {t}");
            }
        }
    }
    assert!(meetings > 500, "{meetings}");
}
