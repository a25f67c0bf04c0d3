//! Jolt, through its C interface: shapes and contacts; the interface knows no joints, planes or meshes.

use crate::description::Description;
use crate::engine::{BodyState, Contestant, Engine};
use glam::{DQuat, DVec3};
use joltc_sys::*;
use prall_dynamics::{BodyDefinition, BodyKind};
use prall_geometry::Shape;
use prall_math::{Pose, Twist};
use std::ffi::{CStr, c_uint, c_void};
use std::ptr;
use std::time::{Duration, Instant};

// What the archive of C++ that the crate links needs and does not name.
#[link(name = "stdc++")]
unsafe extern "C" {}

pub const DEFAULT: Contestant = Contestant {
    name: "jolt",
    setting: "defaults (spins are cut at 47 rad/s), one thread, sleeping off; planes as boxes of 200 m",
    open: |scene| Jolt::open(scene, JPC_MOTION_QUALITY_DISCRETE),
};

pub const CONTINUOUS: Contestant = Contestant {
    name: "jolt, linear cast",
    setting: "MotionQuality = LinearCast on every body; the rest as above",
    open: |scene| Jolt::open(scene, JPC_MOTION_QUALITY_LINEAR_CAST),
};

const STILL: JPC_ObjectLayer = 0;
const MOVING: JPC_ObjectLayer = 1;

/// A world in Jolt. The interface is of raw pointers; each is made in `open` and freed in `drop`, and nothing else keeps them.
struct Jolt {
    system: *mut JPC_PhysicsSystem,
    memory: *mut JPC_TempAllocatorImpl,
    jobs: *mut JPC_JobSystemThreadPool,
    layers: *mut JPC_BroadPhaseLayerInterface,
    against_layers: *mut JPC_ObjectVsBroadPhaseLayerFilter,
    pairs: *mut JPC_ObjectLayerPairFilter,
    step: f32,
    bodies: Vec<JPC_BodyID>,
    /// By body: where its shape's centre lies in the body's frame.
    shifts: Vec<DVec3>,
    forces: Vec<DVec3>,
}

fn vector(v: DVec3) -> JPC_Vec3 {
    JPC_Vec3 { x: v.x as f32, y: v.y as f32, z: v.z as f32, _w: v.z as f32 }
}

fn begin() {
    static ONCE: std::sync::Once = std::sync::Once::new();
    // SAFETY: the three calls start the library, once, before anything else of it is called.
    ONCE.call_once(|| unsafe {
        JPC_RegisterDefaultAllocator();
        JPC_FactoryInit();
        JPC_RegisterTypes();
    });
}

fn shape(body: &BodyDefinition) -> Result<(*mut JPC_Shape, DVec3), String> {
    let [part] = body.shapes.as_slice() else { return Err("bodies of one shape only".to_owned()) };
    if part.pose != Pose::IDENTITY {
        return Err("shapes at the body's origin only".to_owned());
    }
    let mass = body.mass_properties().map_err(|error| error.to_string())?;
    let volume = part.shape.mass_properties(1.0).map_or(1.0, |properties| properties.mass);
    let density = mass.map_or(1000.0, |mass| mass.mass / volume) as f32;
    let (mut made, mut error) = (ptr::null_mut(), ptr::null_mut());
    let mut shift = DVec3::ZERO;
    // SAFETY: settings and both results live until the calls return; hull points too.
    let fine = unsafe {
        match &part.shape {
            Shape::Box(cuboid) => {
                let half = cuboid.half_extents();
                let thin = half.min_element() as f32;
                let settings = JPC_BoxShapeSettings {
                    HalfExtent: vector(half),
                    ConvexRadius: (0.05_f32).min(0.2 * thin),
                    Density: density,
                    ..Default::default()
                };
                JPC_BoxShapeSettings_Create(&settings, &mut made, &mut error)
            }
            Shape::HalfSpace(_) => {
                shift = DVec3::Y * -10.0;
                let half = vector(DVec3::new(200.0, 10.0, 200.0));
                let settings = JPC_BoxShapeSettings { HalfExtent: half, ..Default::default() };
                JPC_BoxShapeSettings_Create(&settings, &mut made, &mut error)
            }
            Shape::Sphere(ball) => {
                let settings = JPC_SphereShapeSettings {
                    Radius: ball.radius() as f32,
                    Density: density,
                    ..Default::default()
                };
                JPC_SphereShapeSettings_Create(&settings, &mut made, &mut error)
            }
            Shape::Capsule(capsule) => {
                let settings = JPC_CapsuleShapeSettings {
                    Radius: capsule.radius() as f32,
                    HalfHeightOfCylinder: capsule.half_height() as f32,
                    Density: density,
                    ..Default::default()
                };
                JPC_CapsuleShapeSettings_Create(&settings, &mut made, &mut error)
            }
            _ => return Err("its C interface has no such shape".to_owned()),
        }
    };
    if fine {
        return Ok((made, shift));
    }
    // SAFETY: a failed call leaves a message.
    Err(unsafe { CStr::from_ptr(JPC_String_c_str(error)) }.to_string_lossy().into_owned())
}

impl Jolt {
    fn open(scene: &Description, quality: JPC_MotionQuality) -> Result<Box<dyn Engine>, String> {
        if !scene.joints.is_empty() {
            return Err("its C interface has no joints".to_owned());
        }
        begin();
        // SAFETY: as the library's own examples make a world; pointers are kept in the struct and freed by it.
        let mut jolt = unsafe {
            let layers = JPC_BroadPhaseLayerInterface_new(ptr::null(), LAYERS);
            let against_layers = JPC_ObjectVsBroadPhaseLayerFilter_new(ptr::null_mut(), AGAINST_LAYERS);
            let pairs = JPC_ObjectLayerPairFilter_new(ptr::null_mut(), PAIRS);
            let system = JPC_PhysicsSystem_new();
            JPC_PhysicsSystem_Init(system, 20_000, 0, 200_000, 100_000, layers, against_layers, pairs);
            Jolt {
                system,
                memory: JPC_TempAllocatorImpl_new(512 * 1024 * 1024),
                // No worker: the caller's thread does everything.
                jobs: JPC_JobSystemThreadPool_new3(
                    JPC_MAX_PHYSICS_JOBS as _,
                    JPC_MAX_PHYSICS_BARRIERS as _,
                    0,
                ),
                layers,
                against_layers,
                pairs,
                step: scene.step as f32,
                bodies: Vec::new(),
                shifts: Vec::new(),
                forces: scene.forces.clone(),
            }
        };
        for body in &scene.bodies {
            let (shape, shift) = shape(body)?;
            let (at, q) = (body.pose.transform_point(shift), body.pose.rotation);
            let still = body.kind != BodyKind::Dynamic;
            let settings = JPC_BodyCreationSettings {
                Position: vector(at),
                Rotation: JPC_Quat { x: q.x as f32, y: q.y as f32, z: q.z as f32, w: q.w as f32 },
                LinearVelocity: vector(body.velocity.linear),
                AngularVelocity: vector(body.velocity.angular),
                MotionType: if still { JPC_MOTION_TYPE_STATIC } else { JPC_MOTION_TYPE_DYNAMIC },
                MotionQuality: quality,
                ObjectLayer: if still { STILL } else { MOVING },
                AllowSleeping: false,
                Friction: body.material.dynamic_friction as f32,
                Restitution: body.material.restitution as f32,
                LinearDamping: 0.0,
                AngularDamping: 0.0,
                GravityFactor: (scene.gravity.length() / 9.81) as f32,
                Shape: shape,
                ..Default::default()
            };
            // SAFETY: the world and the settings are alive.
            let id = unsafe {
                let interface = JPC_PhysicsSystem_GetBodyInterface(jolt.system);
                let activation = if still { JPC_ACTIVATION_DONT_ACTIVATE } else { JPC_ACTIVATION_ACTIVATE };
                JPC_BodyInterface_CreateAndAddBody(interface, &settings, activation)
            };
            jolt.bodies.push(id);
            jolt.shifts.push(shift);
        }
        // SAFETY: the world is alive.
        unsafe { JPC_PhysicsSystem_OptimizeBroadPhase(jolt.system) };
        Ok(Box::new(jolt))
    }
}

impl Engine for Jolt {
    fn steps(&mut self, count: usize) -> Result<Duration, String> {
        let start = Instant::now();
        for _ in 0..count {
            // SAFETY: everything was made in `open` and is alive.
            unsafe {
                let interface = JPC_PhysicsSystem_GetBodyInterface(self.system);
                for (body, force) in self.bodies.iter().zip(&self.forces) {
                    if *force != DVec3::ZERO {
                        JPC_BodyInterface_AddForce(interface, *body, vector(*force));
                    }
                }
                JPC_PhysicsSystem_Update(self.system, self.step, 1, self.memory, self.jobs);
            }
        }
        Ok(start.elapsed())
    }

    fn states(&mut self) -> Result<Vec<BodyState>, String> {
        let wide = |v: JPC_Vec3| DVec3::new(f64::from(v.x), f64::from(v.y), f64::from(v.z));
        let read = |(body, shift): (&JPC_BodyID, &DVec3)| {
            // SAFETY: the world is alive and the body in it.
            let (p, q, linear, angular) = unsafe {
                let interface = JPC_PhysicsSystem_GetBodyInterface(self.system);
                (
                    JPC_BodyInterface_GetPosition(interface, *body),
                    JPC_BodyInterface_GetRotation(interface, *body),
                    JPC_BodyInterface_GetLinearVelocity(interface, *body),
                    JPC_BodyInterface_GetAngularVelocity(interface, *body),
                )
            };
            let [x, y, z, w] = [q.x, q.y, q.z, q.w].map(f64::from);
            let translation = DVec3::new(f64::from(p.x), f64::from(p.y), f64::from(p.z));
            let rotation = DQuat::from_xyzw(x, y, z, w).normalize();
            let pose = Pose::new(rotation, translation - rotation * *shift);
            BodyState { pose, velocity: Twist::new(wide(linear), wide(angular)) }
        };
        Ok(self.bodies.iter().zip(&self.shifts).map(read).collect())
    }
}

impl Drop for Jolt {
    fn drop(&mut self) {
        // SAFETY: each was made in `open` and is freed once.
        unsafe {
            JPC_PhysicsSystem_delete(self.system);
            JPC_BroadPhaseLayerInterface_delete(self.layers);
            JPC_ObjectVsBroadPhaseLayerFilter_delete(self.against_layers);
            JPC_ObjectLayerPairFilter_delete(self.pairs);
            JPC_JobSystemThreadPool_delete(self.jobs);
            JPC_TempAllocatorImpl_delete(self.memory);
        }
    }
}

unsafe extern "C" fn layer_count(_: *const c_void) -> c_uint {
    2
}

unsafe extern "C" fn layer(_: *const c_void, layer: JPC_ObjectLayer) -> JPC_BroadPhaseLayer {
    layer as JPC_BroadPhaseLayer
}

unsafe extern "C" fn may_meet_layer(
    _: *const c_void,
    one: JPC_ObjectLayer,
    other: JPC_BroadPhaseLayer,
) -> bool {
    one == MOVING || other == MOVING as JPC_BroadPhaseLayer
}

unsafe extern "C" fn may_meet(_: *const c_void, one: JPC_ObjectLayer, other: JPC_ObjectLayer) -> bool {
    one == MOVING || other == MOVING
}

const LAYERS: JPC_BroadPhaseLayerInterfaceFns = JPC_BroadPhaseLayerInterfaceFns {
    GetNumBroadPhaseLayers: Some(layer_count as _),
    GetBroadPhaseLayer: Some(layer as _),
};

const AGAINST_LAYERS: JPC_ObjectVsBroadPhaseLayerFilterFns =
    JPC_ObjectVsBroadPhaseLayerFilterFns { ShouldCollide: Some(may_meet_layer as _) };

const PAIRS: JPC_ObjectLayerPairFilterFns =
    JPC_ObjectLayerPairFilterFns { ShouldCollide: Some(may_meet as _) };
