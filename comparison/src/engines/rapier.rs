//! Rapier in single and double precision: one text, two crates.

use crate::engine::Contestant;

macro_rules! rapier_engine {
    ($module:ident, $krate:ident, $real:ty) => {
        mod $module {
            use crate::description::{Description, Joint};
            use crate::engine::{BodyState, Engine};
            use prall_dynamics::{BodyDefinition, BodyKind, JointKind};
            use prall_geometry::Shape;
            use std::time::{Duration, Instant};
            use $krate::prelude::*;

            /// What differs between the settings.
            #[derive(Clone, Copy, Default)]
            pub struct Setting {
                /// Iterations of the solver; none: as by default.
                pub iterations: Option<usize>,
                /// Continuous detection for every body.
                pub continuous: bool,
                /// Joints in minimal coordinates.
                pub multibody: bool,
            }

            struct Scene {
                world: PhysicsWorld,
                handles: Vec<RigidBodyHandle>,
            }

            fn vector(v: glam::DVec3) -> Vector {
                Vector::new(v.x as $real, v.y as $real, v.z as $real)
            }

            fn pose(pose: &prall_math::Pose) -> Pose {
                let q = pose.rotation;
                Pose::from_parts(
                    vector(pose.translation),
                    Rotation::from_xyzw(q.x as $real, q.y as $real, q.z as $real, q.w as $real),
                )
            }

            fn collider(shape: &Shape) -> Result<ColliderBuilder, String> {
                Ok(match shape {
                    Shape::Sphere(ball) => ColliderBuilder::ball(ball.radius() as $real),
                    Shape::Box(cuboid) => {
                        let half = vector(cuboid.half_extents());
                        ColliderBuilder::cuboid(half.x, half.y, half.z)
                    }
                    Shape::Capsule(capsule) => {
                        ColliderBuilder::capsule_y(capsule.half_height() as $real, capsule.radius() as $real)
                    }
                    Shape::Cylinder(cylinder) => {
                        ColliderBuilder::cylinder(cylinder.half_height() as $real, cylinder.radius() as $real)
                    }
                    Shape::HalfSpace(_) => ColliderBuilder::new(SharedShape::halfspace(Vector::Y)),
                    Shape::ConvexHull(hull) => {
                        let points: Vec<Vector> = hull.vertices().iter().map(|v| vector(*v)).collect();
                        ColliderBuilder::convex_hull(&points).ok_or("a hull that it cannot build")?
                    }
                    Shape::TriangleMesh(mesh) => {
                        let mesh = mesh.mesh();
                        let points = mesh.positions().iter().map(|v| vector(*v)).collect();
                        ColliderBuilder::trimesh(points, mesh.triangles().to_vec())
                            .map_err(|error| error.to_string())?
                    }
                    other => return Err(format!("no such shape: {other:?}")),
                })
            }

            fn add(
                world: &mut PhysicsWorld,
                body: &BodyDefinition,
                setting: Setting,
            ) -> Result<RigidBodyHandle, String> {
                let builder = match body.kind {
                    BodyKind::Dynamic => RigidBodyBuilder::dynamic(),
                    BodyKind::Kinematic => RigidBodyBuilder::kinematic_velocity_based(),
                    BodyKind::Fixed => RigidBodyBuilder::fixed(),
                };
                let mut builder = builder
                    .pose(pose(&body.pose))
                    .linvel(vector(body.velocity.linear))
                    .angvel(vector(body.velocity.angular))
                    .can_sleep(false)
                    .ccd_enabled(setting.continuous);
                if let Some(mass) = body.mass_properties().map_err(|error| error.to_string())? {
                    let column = |i: usize| vector(mass.inertia.col(i));
                    let inertia = Matrix::from_cols(column(0), column(1), column(2));
                    let properties = MassProperties::with_inertia_matrix(
                        vector(mass.center_of_mass),
                        mass.mass as $real,
                        inertia,
                    );
                    builder = builder.additional_mass_properties(properties);
                }
                let handle = world.insert_body(builder);
                for part in &body.shapes {
                    let groups = InteractionGroups::new(
                        Group::from_bits_truncate(body.filter.groups),
                        Group::from_bits_truncate(body.filter.mask),
                        InteractionTestMode::And,
                    );
                    let collider = collider(&part.shape)?
                        .position(pose(&part.pose))
                        .density(0.0)
                        .friction(body.material.dynamic_friction as $real)
                        .restitution(body.material.restitution as $real)
                        .collision_groups(groups);
                    world.insert_collider(collider, Some(handle));
                }
                Ok(handle)
            }

            fn locked(kind: JointKind) -> Result<JointAxesMask, String> {
                Ok(match kind {
                    JointKind::BALL => JointAxesMask::LOCKED_SPHERICAL_AXES,
                    JointKind::HINGE => JointAxesMask::LOCKED_REVOLUTE_AXES,
                    JointKind::SLIDER => JointAxesMask::LOCKED_PRISMATIC_AXES,
                    JointKind::FIXED => JointAxesMask::LOCKED_FIXED_AXES,
                    other => return Err(format!("no such joint: {other:?}")),
                })
            }

            fn join(
                scene: &mut Scene,
                ground: RigidBodyHandle,
                joint: &Joint,
                setting: Setting,
            ) -> Result<(), String> {
                let [a, b] = joint.bodies.map(|body| body.map_or(ground, |body| scene.handles[body]));
                let data = GenericJointBuilder::new(locked(joint.kind)?)
                    .local_frame1(pose(&joint.frames[0]))
                    .local_frame2(pose(&joint.frames[1]))
                    .contacts_enabled(false)
                    .build();
                if setting.multibody {
                    let added = scene.world.insert_multibody_joint(a, b, data);
                    added.ok_or("a loop, which its minimal coordinates do not know")?;
                } else {
                    scene.world.insert_impulse_joint(a, b, data);
                }
                Ok(())
            }

            pub fn open(description: &Description, setting: Setting) -> Result<Box<dyn Engine>, String> {
                let mut world = PhysicsWorld::new();
                world.gravity = vector(description.gravity);
                world.integration_parameters.dt = description.step as $real;
                if let Some(iterations) = setting.iterations {
                    world.integration_parameters.num_solver_iterations = iterations;
                }
                let ground = world.insert_body(RigidBodyBuilder::fixed());
                let mut scene = Scene { world, handles: Vec::new() };
                for body in &description.bodies {
                    let handle = add(&mut scene.world, body, setting)?;
                    scene.handles.push(handle);
                }
                for (handle, force) in scene.handles.iter().zip(&description.forces) {
                    if *force != glam::DVec3::ZERO {
                        // Stays until it is reset.
                        scene.world.bodies[*handle].add_force(vector(*force), true);
                    }
                }
                for joint in &description.joints {
                    join(&mut scene, ground, joint, setting)?;
                }
                Ok(Box::new(scene))
            }

            impl Engine for Scene {
                fn steps(&mut self, count: usize) -> Result<Duration, String> {
                    let start = Instant::now();
                    for _ in 0..count {
                        self.world.step();
                    }
                    Ok(start.elapsed())
                }

                fn states(&mut self) -> Result<Vec<BodyState>, String> {
                    let wide = |v: Vector| glam::DVec3::new(v.x as f64, v.y as f64, v.z as f64);
                    let read = |handle: &RigidBodyHandle| {
                        let body = &self.world.bodies[*handle];
                        let (t, q) = (body.position().translation, body.position().rotation);
                        let rotation = glam::DQuat::from_xyzw(q.x as f64, q.y as f64, q.z as f64, q.w as f64);
                        let pose = prall_math::Pose::new(rotation.normalize(), wide(t));
                        let velocity = prall_math::Twist::new(wide(body.linvel()), wide(body.angvel()));
                        BodyState { pose, velocity }
                    };
                    Ok(self.handles.iter().map(read).collect())
                }
            }
        }
    };
}

rapier_engine!(single, rapier, f32);
rapier_engine!(double, rapier_f64, f64);

pub const F32: Contestant = Contestant {
    name: "rapier3d",
    setting: "defaults, sleeping off",
    open: |scene| single::open(scene, single::Setting::default()),
};

pub const F64: Contestant = Contestant {
    name: "rapier3d-f64",
    setting: "defaults, sleeping off",
    open: |scene| double::open(scene, double::Setting::default()),
};

pub const F32_TUNED: Contestant = Contestant {
    name: "rapier3d, 12 iterations",
    setting: "num_solver_iterations = 12, sleeping off",
    open: |scene| single::open(scene, single::Setting { iterations: Some(12), ..Default::default() }),
};

pub const MULTIBODY: Contestant = Contestant {
    name: "rapier3d, multibody",
    setting: "joints in minimal coordinates (insert_multibody_joint), sleeping off",
    open: |scene| single::open(scene, single::Setting { multibody: true, ..Default::default() }),
};

pub const F32_CONTINUOUS: Contestant = Contestant {
    name: "rapier3d, ccd",
    setting: "ccd_enabled on every body, sleeping off",
    open: |scene| single::open(scene, single::Setting { continuous: true, ..Default::default() }),
};

pub const F64_CONTINUOUS: Contestant = Contestant {
    name: "rapier3d-f64, ccd",
    setting: "ccd_enabled on every body, sleeping off",
    open: |scene| double::open(scene, double::Setting { continuous: true, ..Default::default() }),
};
