//! The engines.

#[cfg(feature = "jolt")]
mod jolt;
mod minimal;
mod mjcf;
mod mujoco;
mod own;
mod rapier;

use crate::engine::Contestant;

/// Everyone who takes part in contacts.
pub fn for_contacts() -> Vec<Contestant> {
    let mut all = vec![
        own::DEFAULT,
        own::TUNED,
        rapier::F32,
        rapier::F64,
        rapier::F32_TUNED,
        mujoco::DEFAULT,
        mujoco::STIFF,
    ];
    all.extend(jolt_contestants());
    all
}

/// Everyone who takes part in joints.
pub fn for_joints() -> Vec<Contestant> {
    let mut all = vec![
        own::DEFAULT,
        minimal::STABLE,
        minimal::EXPLICIT,
        rapier::F32,
        rapier::F64,
        rapier::F32_TUNED,
        rapier::MULTIBODY,
        mujoco::DEFAULT,
        mujoco::IMPLICIT,
    ];
    all.extend(jolt_contestants());
    all
}

/// Who lives in this process, so that memory can be counted.
pub fn for_growth() -> Vec<Contestant> {
    vec![own::DEFAULT, rapier::F32, rapier::F64]
}

/// The same where things move fast.
pub fn for_growth_of_fast() -> Vec<Contestant> {
    vec![own::DEFAULT, rapier::F32_CONTINUOUS, rapier::F64_CONTINUOUS]
}

/// The same where joints make trees.
pub fn for_growth_of_joints() -> Vec<Contestant> {
    vec![own::DEFAULT, minimal::STABLE, minimal::EXPLICIT, rapier::F32, rapier::F64]
}

/// Whose short steps are taken as the truth of a chain: not Prall.
pub fn reference() -> Contestant {
    mujoco::REFERENCE
}

/// Everyone who takes part where things move fast, continuous detection switched on.
pub fn for_fast() -> Vec<Contestant> {
    let mut all = vec![own::DEFAULT, rapier::F32_CONTINUOUS, rapier::F64_CONTINUOUS, mujoco::DEFAULT];
    all.extend(jolt_continuous());
    all
}

#[cfg(feature = "jolt")]
fn jolt_contestants() -> Vec<Contestant> {
    vec![jolt::DEFAULT]
}

#[cfg(feature = "jolt")]
fn jolt_continuous() -> Vec<Contestant> {
    vec![jolt::CONTINUOUS]
}

#[cfg(not(feature = "jolt"))]
fn jolt_contestants() -> Vec<Contestant> {
    Vec::new()
}

#[cfg(not(feature = "jolt"))]
fn jolt_continuous() -> Vec<Contestant> {
    Vec::new()
}
