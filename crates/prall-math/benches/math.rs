//! What the innermost loops pay for a pose.

use divan::{Bencher, black_box};
use glam::DVec3;
use prall_math::{Motion, Pose, rotation};

fn main() {
    divan::main();
}

fn poses() -> (Pose, Pose) {
    let start = Pose::new(rotation::exp(DVec3::new(0.3, -1.0, 0.2)), DVec3::new(1.0, 2.0, 3.0));
    (start, Pose::new(rotation::exp(DVec3::new(0.1, -0.7, 0.9)), DVec3::new(1.5, 2.0, 2.0)))
}

#[divan::bench]
fn compose_poses(bencher: Bencher<'_, '_>) {
    let (a, b) = poses();
    bencher.bench(|| black_box(a) * black_box(b));
}

#[divan::bench]
fn make_slerp(bencher: Bencher<'_, '_>) {
    let (start, end) = poses();
    bencher.bench(|| Motion::slerp(black_box(start), black_box(end)));
}

#[divan::bench(args = ["slerp", "nlerp", "screw"])]
fn pose_of_motion(bencher: Bencher<'_, '_>, kind: &str) {
    let motion = motion(kind);
    bencher.bench(|| motion.pose(black_box(0.37)));
}

#[divan::bench(args = ["slerp", "nlerp", "screw"])]
fn displacement_bound(bencher: Bencher<'_, '_>, kind: &str) {
    let motion = motion(kind);
    bencher.bench(|| motion.displacement_bound(black_box(0.5), black_box(0.2), black_box(0.7)));
}

fn motion(kind: &str) -> Motion {
    let (start, end) = poses();
    let made = match kind {
        "slerp" => Motion::slerp(start, end),
        "nlerp" => Motion::nlerp(start, end),
        _ => Motion::screw(start, end),
    };
    made.expect("both poses are rigid")
}
