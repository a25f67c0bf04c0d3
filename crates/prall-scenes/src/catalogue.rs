//! Every scene by name.

use crate::bobsleigh::Bobsleigh;
use crate::handling::{self, HandlingScene, PushPlate};
use crate::multibody::{coaster, gripper, pendulum_cart, robot_arm, skate, trebuchet, vehicle};
use crate::world::{
    WorldScene, contact_scenes, hand_scenes, hinged_cover, joint_scenes, law_scenes, solid_scenes,
};
use crate::{BouncingBall, Simulation, Tunnelling};
use serde::Serialize;
use thiserror::Error;

/// A scene of the gallery.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct Scene {
    /// The name used in commands.
    pub name: &'static str,
    /// The name that people read.
    pub title: &'static str,
    /// One line, at most 34 characters.
    pub line: &'static str,
    /// The band of the gallery that it belongs to.
    pub group: &'static str,
    /// The publication that it comes from.
    pub source: &'static str,
    /// How large it is.
    pub size: &'static str,
    /// A paragraph that teaches the physics.
    pub about: &'static str,
    /// Builds it.
    #[serde(skip)]
    build: fn() -> Box<dyn Simulation>,
}

static SCENES: &[Scene] = &[
    Scene {
        name: "wall",
        title: "Wall",
        line: "Pull a brick out, or send the car",
        group: "Contacts",
        source: "Bender 2007",
        size: "257 bodies",
        about: "Every brick depends on every other: 24 rows carry each other, and the lowest ones the whole wall. Solvers that treat one contact at a time let such a wall tremble and fall before anything has touched it. Here rest is proven first: two passes over the wall find contact forces that hold every brick, within Coulomb's cone at every point, and then nothing moves at all. Only what the car hits is solved by sweeps. Pull out a brick, give the car a speed, or turn the friction down and reset.",
        build: || Box::new(WorldScene::new(&contact_scenes::WALL)),
    },
    Scene {
        name: "large-pyramid",
        title: "Large pyramid",
        line: "5,050 boxes that do not sag",
        group: "Contacts",
        source: "Peers' benchmarks",
        size: "5,050 boxes",
        about: "A hundred rows of boxes in one plane. The load of the top travels through a hundred contacts to the ground; a solver that passes it on by one contact per sweep lets the pyramid sag by decimetres before the ground has been felt at the top. The proof of rest needs two passes, however high the pyramid is.",
        build: || Box::new(WorldScene::new(&contact_scenes::LARGE_PYRAMID)),
    },
    Scene {
        name: "bouncing-ball",
        title: "Bouncing ball",
        line: "Falls, bounces, comes to rest",
        group: "Contacts",
        source: "Newton 1687, Moreau 1988",
        size: "1 body",
        about: "A ball that keeps the share e of its speed at each impact bounces infinitely often and yet comes to rest in \
            finite time: dropped from rest with its lowest point at height h, at t = √(2h/g) (1 + e)/(1 − e). \
            The event-driven solver follows each parabola to its end and sums the last, infinitely many bounces in \
            closed form. Moreau's time stepping never looks for the moment of impact: it lets the law hold on average \
            over a step, overlaps a little and is a little late, and gets by without any event. \
            Pull the ball aside and let it slide: friction turns sliding into rolling, and 5/7 of the speed is left.",
        build: || Box::new(BouncingBall::new()),
    },
    Scene {
        name: "funnel",
        title: "Funnel",
        line: "1000 cubes through a hole",
        group: "Contacts",
        source: "Bender 2007",
        size: "1000 cubes",
        about: "A thousand cubes of 10 cm fall through a square funnel and pile up below it. Nothing sleeps: every contact is solved at every step. Bender's machine of 2007 needed minutes for such a run; an optimising solver of its time had needed days. Make the opening narrower until the cubes jam: at about six widths of a cube arches begin to hold.",
        build: || Box::new(WorldScene::new(&contact_scenes::FUNNEL)),
    },
    Scene {
        name: "dominoes",
        title: "Dominoes",
        line: "One falls, all fall",
        group: "Contacts",
        source: "Peers' benchmarks",
        size: "120 stones",
        about: "The first stone is pushed. Each falls onto the next one, and the wave runs along the spiral with a speed that depends on height, spacing and friction, but hardly on the first push. Pull a stone out before the wave comes.",
        build: || Box::new(WorldScene::new(&contact_scenes::DOMINOES)),
    },
    Scene {
        name: "solid",
        title: "Rings, gears, padlock",
        line: "Pull: nothing comes apart",
        group: "Contacts",
        source: "Ferguson et al. 2021",
        size: "9 bodies",
        about: "No joint holds these parts together: rings hang in each other, one gear turns the other, and a shackle cannot leave its padlock because its feet are wider than the way out. All of that is shape. An engine that lets bodies overlap a little and then pushes them apart may push them out on the wrong side, and the chain falls. Here every pair keeps a gap that is proven above zero for the whole motion of every step: contacts rest at 50 µm, bear load only there, and what would hit joins the solve before it moves. Pull at the rings and at the padlock as hard as you like, or hold the large gear: the driver stops instead of crushing it.",
        build: || Box::new(WorldScene::new(&solid_scenes::SOLID)),
    },
    Scene {
        name: "666",
        title: "6 × 6 × 6",
        line: "216 balls without friction",
        group: "Contacts",
        source: "SimBenchmark",
        size: "216 balls",
        about: "Balls of 10 cm in six layers, 1 cm apart, without friction and without rebound. They land on each other, and since nothing holds them sideways, the pile spreads out. What counts is how much the balls overlap while they do.",
        build: || Box::new(WorldScene::new(&contact_scenes::SIX_CUBED)),
    },
    Scene {
        name: "pyramid",
        title: "Pyramid",
        line: "Layers of boxes",
        group: "Contacts",
        source: "Peers' benchmarks",
        size: "385 boxes",
        about: "Every box of a layer rests on four boxes of the layer below. With a gap the layers fall and land one after another, and the lowest one feels all of them. Without one, the pyramid stands, and it is proven that it does.",
        build: || Box::new(WorldScene::new(&contact_scenes::PYRAMID)),
    },
    Scene {
        name: "newtons-cradle",
        title: "Newton's cradle",
        line: "One in, one out",
        group: "Laws",
        source: "Newton 1687",
        size: "5 balls",
        about: "One ball swings in, one swings out; two in, two out. Momentum and energy alone would allow other answers too. What decides is that the blow passes from ball to ball, one impact after another: solved all at once, Newton's impact law would set all of them in motion.",
        build: || Box::new(WorldScene::new(&law_scenes::NEWTONS_CRADLE)),
    },
    Scene {
        name: "gyroscope",
        title: "Gyroscope",
        line: "A wheel that does not fall",
        group: "Laws",
        source: "Euler 1765",
        size: "1 body",
        about: "The wheel is held at one end of its axle only, and yet it does not fall: its weight turns its angular momentum, and the axle goes round with g l / (½ r² ω). Slow the spin down and it begins to nod. Spin and angular momentum are kept to rounding by the step itself: no damping is hidden anywhere.",
        build: || Box::new(WorldScene::new(&law_scenes::GYROSCOPE)),
    },
    Scene {
        name: "rolling",
        title: "Rolling",
        line: "25 balls on a pushed slab",
        group: "Laws",
        source: "SimBenchmark",
        size: "26 bodies",
        about: "A slab of 10 kg is pushed with 150 N along its diagonal; 25 balls of 1 kg roll on it. Friction under the slab eats 137 N, and a ball that rolls without sliding on an accelerated plane follows with 2/7 of its acceleration: so the slab must accelerate with 0.7385 m/s² and the balls with 0.2110 m/s². Engines that replace Coulomb's cone by a pyramid do not move at all, as along the diagonal a pyramid holds more.",
        build: || Box::new(WorldScene::new(&law_scenes::ROLLING)),
    },
    Scene {
        name: "bouncing",
        title: "Bouncing",
        line: "49 balls without loss",
        group: "Laws",
        source: "SimBenchmark",
        size: "49 balls",
        about: "Balls dropped from 5 m that lose nothing at impacts must come back to 5 m for ever. Energy is what to look at: a solver that moves a ball out of the ground after it has gone in adds some, one that stops it there takes some away.",
        build: || Box::new(WorldScene::new(&law_scenes::BOUNCING)),
    },
    Scene {
        name: "joints",
        title: "Joints",
        line: "Every joint by name",
        group: "Joints",
        source: "Bender 2007",
        size: "25 bodies",
        about: "Six basic constraints, three on points and three on directions, make every joint that machines have. Each exhibit shows one of them by name, with a motor, a spring, a limit or just its weight to move it. Switch on the joints' frames and errors to see what is held, and how well.",
        build: || Box::new(WorldScene::new(&joint_scenes::JOINTS)),
    },
    Scene {
        name: "tree",
        title: "Tree",
        line: "A mobile of up to 511 bars",
        group: "Joints",
        source: "Bender 2007",
        size: "127 bodies",
        about: "Every bar hangs by a ball joint from an end of the bar above it, like a mobile; the parameter says how many levels. The impulses of all joints depend on each other, and a tree of 255 bodies has 765 equations for them. Bender's method looks ahead: where would the joint's two points be at the end of the step? An impulse now makes them meet. Joint after joint, again and again, until all of them close to a millionth of a metre; or all at once by elimination from the leaves to the root, which costs only as much as there are bodies.",
        build: || Box::new(WorldScene::new(&joint_scenes::TREE)),
    },
    Scene {
        name: "four-bar",
        title: "Four bars",
        line: "Through the flat, singular pose",
        group: "Joints",
        source: "IFToMM benchmark",
        size: "5 links",
        about: "Cranks and couplers of 1 m and 1 kg form closed loops. When all of them lie flat, the linkage could go on in several ways, and the equations lose a rank just there. It should come up on the other side with all its energy.",
        build: || Box::new(WorldScene::new(&joint_scenes::FOUR_BAR)),
    },
    Scene {
        name: "mass-ratio",
        title: "Mass ratio",
        line: "A tonne on a light chain",
        group: "Joints",
        source: "Peers' benchmarks",
        size: "11 bodies",
        about: "Ten links of 1 kg carry a heavy ball. The light links under tension swing across so fast that a step must be shorter than a few milliseconds, or must be made differently: engines tear such a chain apart or let it sink by metres. At rest every method holds it; tilt it.",
        build: || Box::new(WorldScene::new(&joint_scenes::MASS_RATIO)),
    },
    Scene {
        name: "joint-grid",
        title: "Joint grid",
        line: "A net of balls",
        group: "Joints",
        source: "Peers' benchmarks",
        size: "900 bodies",
        about: "Balls in a square, each jointed to its neighbours above and to the left; the upper edge is fixed. Loops everywhere, nothing to eliminate one after another: a task for sweeps, within a stated tolerance.",
        build: || Box::new(WorldScene::new(&joint_scenes::JOINT_GRID)),
    },
    Scene {
        name: "bobsleigh",
        title: "Bobsleigh",
        line: "150 km/h on ice, at your hands",
        group: "Machines",
        source: "Rempfler 2015",
        size: "9 bodies, 1.45 km of ice",
        about: "A two-man sled of nine bodies with 13 freedoms and 17 places that may touch the ice, on a track of 1450 m with 16 curves; 5000 steps a second. Runners glide along and dig in across, the more the heavier they are loaded: on a straight the pilot can do little, in a curve at four g much. Across the ice the sled swings like a pendulum, hardly damped, once in a second and a half; who steers against the wave when he sees it is too late. The pilot of this scene knows the whole track by heart: from the finish backwards he has found what every place across the ice will cost. Take the ropes from him, by keys or gamepad: up pushes, left and right steer. A crash ends the times, but the sled slides on.",
        build: || Box::new(Bobsleigh::new()),
    },
    Scene {
        name: "vehicle",
        title: "Vehicle",
        line: "A car of your own on hills",
        group: "Machines",
        source: "Own, after Rempfler 2015",
        size: "11 bodies, 12,800 triangles",
        about: "The car is the file scenes/buggy.toml: a chassis, struts with springs and dampers, knuckles that are steered by driven joints, wheels that are turned by motors. Its 14 freedoms are the unknowns, no joint can come apart. The wheels touch a mesh of hills by exact contacts with Coulomb's law, so the car drifts when it is driven too fast, lifts off over a crest and may roll over. Drive it with W, A, S, D, a gamepad or the sliders; write a car of your own as a file and serve it with prall serve FILE.",
        build: || Box::new(WorldScene::new(&vehicle::VEHICLE)),
    },
    Scene {
        name: "coaster",
        title: "Roller coaster",
        line: "Up by a chain, round by weight",
        group: "Machines",
        source: "Own, after Gonzalez 1996",
        size: "5 cars, 306 m of track",
        about: "Every car has one freedom: how far it has come along the track. Its joint is the track itself, a smooth curve through points with a direction for the passengers' heads at each, and the forces of wheels on rails do no work, however the curve bends: without drag and rolling resistance the train comes back to every height with the speed it had there. The chain pulls it up and gives it all the energy that it ever gets; air, wheels and couplers take some, the magnets before the station nearly all that is left. The loop is narrow at its top and wide at its bottom, so that slow cars are pressed to the rails there and fast ones not crushed here. Give the wheels more resistance and the train does not come round any more; give it none and no brakes, and the station sees it fly by.",
        build: || Box::new(WorldScene::new(&coaster::COASTER)),
    },
    Scene {
        name: "gripper",
        title: "Gripper",
        line: "The Tower of Hanoi by two fingers",
        group: "Machines",
        source: "Lucas 1883, and own",
        size: "4 axes, 3 discs",
        about: "A carriage and a ram are driven, whatever stands in their way; two fingers are pushed by a force and hold a disc by friction alone. Discs and fingers are meshes, and machines are under the same rule as everything that meets a mesh: no two parts ever overlap, proven for every motion of every step. So the disc goes over its peg with 8 mm of play as it would in a workshop, and a driven axis that runs into something stands and says so instead of passing through it. Loosen the grip until the disc slips, or take a disc away by hand while the gripper works.",
        build: || Box::new(WorldScene::new(&gripper::GRIPPER)),
    },
    Scene {
        name: "trebuchet",
        title: "Trebuchet",
        line: "A weight falls, a stone flies",
        group: "Machines",
        source: "Own",
        size: "3 bodies, a stone, 42 bricks",
        about: "Arm, counterweight and sling are one tree with three degrees of freedom; the stone lies loose in the shoe of the sling and is thrown by contact alone. While the weight falls the sling swings around, and nearly all of the energy ends up in the stone: that is why the weight hangs on a hinge and the sling on another one. When the sling is stopped, the stone leaves the shoe. Change the angle at which that happens, the weight or the stone, and reset: hit the wall.",
        build: || Box::new(WorldScene::new(&trebuchet::TREBUCHET)),
    },
    Scene {
        name: "robot-arm",
        title: "Robot arm",
        line: "A URDF arm among bricks",
        group: "Machines",
        source: "URDF, and own",
        size: "5 axes, 54 bricks",
        about: "The arm is read from a URDF file: links, inertias, joints, collision shapes. In each joint a servo pulls to the angle that the slider says, like a spring with a damper; it gives way when the arm meets something. Arm and bricks are different kinds of movers, a tree in minimal coordinates and free bodies, but every contact between them is one of the same problem: the force at the fingertip runs through all five joints in one pass, without a matrix. Push the arm into the wall with the sliders, or take it by the hand.",
        build: || Box::new(WorldScene::new(&robot_arm::ROBOT_ARM)),
    },
    Scene {
        name: "skate",
        title: "Skates",
        line: "Friction with a direction",
        group: "Machines",
        source: "Moreau 1988, Rempfler 2015",
        size: "5 skates, 20 contacts",
        about: "Five equal skates start on a slope with different headings. A blade slides easily along and hardly across: the friction forces that it can transmit fill an ellipse instead of Coulomb's disc, and the skate slips in the direction in which the ellipse's border faces. So a skate that stands across the slope does not slide along its blade but drifts at an angle that follows from both coefficients. Impacts and friction are found by projecting on that convex set, 83 times a frame; a runner of a bobsleigh differs only in the shape of the set.",
        build: || Box::new(skate::Skate::new()),
    },
    Scene {
        name: "pendulum-cart",
        title: "Pendulum on a cart",
        line: "A driven joint and what follows",
        group: "Machines",
        source: "Rempfler 2015, Kapitza 1951",
        size: "3 bodies",
        about: "The cart is not pushed: its place, speed and acceleration are given, and whatever force that takes is there. Such a driven joint is no unknown of the equations of motion, only an input. Two rods hang on it by hinges. Shaken along the rail near their own frequency they swing up and become chaotic. Then set the slope of the rail to 90°, the amplitude to 0.05 m, the frequency to 25 Hz and the start angle to 170°: shaken fast enough, the pendulum stands on its head, as Stephenson found and Kapitza explained.",
        build: || Box::new(WorldScene::new(&pendulum_cart::PENDULUM_CART)),
    },
    Scene {
        name: "bulb-removal",
        title: "Bulb removal",
        line: "Change a bulb where no hand fits",
        group: "Handling",
        source: "Buck 1999, Eckstein 1998",
        size: "16 objects, 65,000 triangles",
        about: "Can this bulb be changed in this engine bay? Engineers ask that of data before there is a car. Here the battery stands so near behind the lamp that no straight pull takes a bulb out: off with the cover and up between lamp and hose; then the bulb back until its plug nearly touches the battery, tilted with its tip still in the opening, led aside beneath the hose, and up past the end of the battery. The data are as exports are: patches that do not meet, cracks, corners in the middle of edges, crossing faces; nothing is repaired, because a proof of motion needs triangles and nothing else. Take a cover or a bulb: drag it, bring it nearer and away with the wheel, turn it with Shift. Labels say what it touches and, if it stands, what would free it.",
        build: || Box::new(HandlingScene::new(&handling::BULB_REMOVAL)),
    },
    Scene {
        name: "car-radio",
        title: "Car radio",
        line: "0.3 mm wider than the radio",
        group: "Handling",
        source: "Buck 1999",
        size: "8 parts",
        about: "The slot is 0.3 mm wider and higher than the radio. Held askew, the radio meets a wall with its rear edge, evades by turning, and goes in; with much friction two opposite points hold it instead, and it jams like a drawer that is pushed at one side. The longer the guided part is in, the smaller is the angle that it can still take, and the safer the rest of the way. Take it by its front and push it in with the wheel; turn it with Shift. If it jams, do what the label says.",
        build: || Box::new(HandlingScene::new(&handling::CAR_RADIO)),
    },
    Scene {
        name: "puzzle",
        title: "Link and wire",
        line: "Take the link off the wire",
        group: "Handling",
        source: "Own",
        size: "3 parts, 6,300 triangles",
        about: "The link hangs on a bent wire with four cross bars, and each bar lets it pass only if its slot lies along the bar. Nothing here knows what a slot or a bar is: triangles touch triangles, at most six contacts bear load at a time, and the link slides, turns and stands as rods of steel would. The scripted hand knows the way; take the link away from it and find the way yourself. With Shift it turns, and where it stands the arc shows which way to turn.",
        build: || Box::new(HandlingScene::new(&handling::PUZZLE)),
    },
    Scene {
        name: "hinged-cover",
        title: "Hinged cover",
        line: "Push it open with what you hold",
        group: "Handling",
        source: "Buck 1999",
        size: "6 bodies, 1 hinge",
        about: "Covers, flaps and loose parts yield to what a hand holds, and push back. A filter that knows obstacles that stand is not enough then: the block in hand, the cover and its hinge with a spring and a stop are one problem, and the hand is one more force in it, a critically damped spring that pulls with its stiffness times the way that is left. The block goes beneath the lip, lifts the cover, and the cover lies on it while it reaches into the case. Nothing ever overlaps, whatever the hand wants. Take the block and try to tear the cover off.",
        build: || Box::new(WorldScene::new(&hinged_cover::HINGED_COVER)),
    },
    Scene {
        name: "drawer",
        title: "Drawer",
        line: "A guide corrects the hand",
        group: "Handling",
        source: "Buck 1999",
        size: "7 bodies, 1 slider",
        about: "No hand pulls a drawer straight. Rails leave it one freedom, and what the hand wants beyond that is carried by them: a guide is one more condition among the contacts, and its reaction is what the rails feel. The scripted hand pulls forward, a little upward and askew; the drawer follows forward alone, up to its stop, and the loose block in it slides as friction lets it. Take the drawer and tear at it in any direction.",
        build: || Box::new(WorldScene::new(&hand_scenes::DRAWER)),
    },
    Scene {
        name: "two-hands",
        title: "Two hands",
        line: "One holds, one fits in",
        group: "Handling",
        source: "Buck 1999",
        size: "2 bodies",
        about: "Assembly is mostly done by two hands, and neither stands still. The left hand holds a box, the right hand lowers a block into it that is 2 mm narrower. Both parts are movers in one problem: they push each other with equal and opposite impulses, each hand feels its share, and neither part is an obstacle to the other. The hands are not quite in line, so the walls of the box guide the block. Take either of them.",
        build: || Box::new(WorldScene::new(&hand_scenes::TWO_HANDS)),
    },
    Scene {
        name: "screwdriver",
        title: "Screwdriver",
        line: "A blade that finds its slot",
        group: "Handling",
        source: "Buck 1999",
        size: "2 bodies, 1 thread",
        about: "A tool acts on a workpiece, and the workpiece on the tool. The screw sits in a thread, which is a guide: it may only turn, and sinks by its pitch in each turn, with friction. The blade comes down on the head turned against the slot; pressed and turned it slides over the head until it falls in, and from then on two contacts across the slot carry the torque. Nothing joins blade and screw but their triangles. Take the screwdriver, and feel with Shift what the thread resists.",
        build: || Box::new(WorldScene::new(&hand_scenes::SCREWDRIVER)),
    },
    Scene {
        name: "aeroplane",
        title: "Aeroplane",
        line: "Land it, however clumsily",
        group: "Handling",
        source: "Buck 1999",
        size: "2 parts",
        about: "Buck's first demonstration: people who had never held the device landed the aeroplane at once. Nobody has to aim. One wheel touches, the aeroplane turns about it as the hand goes on, a second wheel touches, then the third, and it stands: each contact takes away one freedom, and what is left of the command goes on in the others. No part ever dips into the runway, and the arrows show what each wheel carries.",
        build: || Box::new(HandlingScene::new(&handling::AEROPLANE)),
    },
    Scene {
        name: "peg-in-hole",
        title: "Peg in hole",
        line: "Enters, tilts, or wedges",
        group: "Handling",
        source: "Buck 1999",
        size: "2 parts",
        about: "The oldest task of assembly. The hand does not hold the peg on its axis, so the rim guides it: a chamfer turns a sideways error into a sliding motion, and once inside, two points on opposite sides decide everything. If the line between them lies within both friction cones, they hold the peg whatever the push: it is wedged, and pushing harder helps nothing. That is possible only while the peg is in by less than the friction coefficient times its diameter. Turn the friction up, take the peg, and feel where it stops; straighten it and it goes on. Every motion is proven free before it is carried out; contacts rest at 20 µm.",
        build: || Box::new(HandlingScene::new(&handling::PEG_IN_HOLE)),
    },
    Scene {
        name: "bolt-and-nut",
        title: "Bolt and nut",
        line: "A thread by shape alone",
        group: "Handling",
        source: "Buck 1999",
        size: "2 parts, 6,000 triangles",
        about: "No joint knows that this is a thread. The flanks of bolt and nut touch at up to six points at a time, out of hundreds that are near, and which six changes all the time; turned, the bolt advances by its pitch, pushed, it takes up its play and stands. Interlocked parts are the hardest case for a proof of motion, because every triangle is near another one all the time. Take the bolt and turn it with the wheel or with the keys.",
        build: || Box::new(HandlingScene::new(&handling::BOLT_AND_NUT)),
    },
    Scene {
        name: "tee",
        title: "Tee and slot",
        line: "Only tilted it goes through",
        group: "Handling",
        source: "Own",
        size: "5 parts",
        about: "The bar of the tee is longer than the slot. Straight down it comes to rest on the plate, while the hand that wants it farther goes on: the part stays at the place nearest to the hand that it can reach without passing through anything, and the line shows how far the hand is ahead. Tilted, one end of the bar goes through first. A hand that is far ahead should not pull so hard that the part forgets how it is to be turned, so in contact shifts and turns are limited in the proportion of the part's radius of gyration.",
        build: || Box::new(HandlingScene::new(&handling::TEE)),
    },
    Scene {
        name: "push-plate",
        title: "Pushed plate",
        line: "Three points against the area",
        group: "Handling",
        source: "Buck 1999",
        size: "2 plates",
        about: "A part on a face rests on three points in every computation with point contacts. For forces and for ways that is exact: the first push goes through the mass centre, and nobody can tell the plate on three points from the translucent one, which rests on its whole area. The second push goes beside it, and the plates turn. Now each point rubs against its own velocity, and points at the rim have the longer levers: they brake the turn more than the area does. Move the push, choose other points, or take the plate and pull it yourself: the hand pulls both at the same point.",
        build: || Box::new(PushPlate::new()),
    },
    Scene {
        name: "corner",
        title: "Corner",
        line: "Push as hard as you like",
        group: "Handling",
        source: "Buck 1999",
        size: "4 parts",
        about: "A block in the corner of three walls, and a hand that wants it inside of them. A part that may not overlap has six freedoms and at most six contacts that matter at a time; the others say what these say already. The filter finds those six out of all features that are near, and with them the motion nearest to the command. Conditions are on positions at the end of the motion, not on velocities, so nothing drifts into the walls however long it slides. Switch the method to a mere warning to see where the hand really is.",
        build: || Box::new(HandlingScene::new(&handling::CORNER)),
    },
    Scene {
        name: "sheet",
        title: "Sheet",
        line: "No inside, and yet no way through",
        group: "Handling",
        source: "Buck 1999",
        size: "2 parts, 3,200 triangles",
        about: "Sheet metal in CAD data often has no thickness: triangles without an inside. Methods that push out what is inside cannot know on which side of such a sheet a part belongs. Here nothing has to be pushed out, because nothing gets in: a contact keeps the side on which it was found, and the proof of the motion knows triangles only. The hand goes around the edge and presses from both sides.",
        build: || Box::new(HandlingScene::new(&handling::SHEET)),
    },
    Scene {
        name: "tunnelling",
        title: "Tunnelling",
        line: "Free at every pose, and yet not",
        group: "Detection",
        source: "Eckstein 1998",
        size: "2 parts",
        about: "Eckstein recorded by hand how bulbs are taken out of an engine bay, and a test at every pose called the paths \
                free. A test over the whole motion found that they were not: between two poses the part had passed through \
                a rib. Here a plate goes through a sheet of 4 mm. Tested at eight poses it is never seen in the sheet; with \
                forty it is. The certified solver needs no fine steps: for every pair of triangles it finds a plane that \
                keeps them apart for a while, proven with all rounding, and moves only as far as is proven. Switch on \
                the boxes to see what the search opens first.",
        build: || Box::new(Tunnelling::new()),
    },
];

/// The trees by which engines are compared, one for each size: commands know them, the gallery has `tree` in their place.
static TREES: &[Scene] = &[
    Scene {
        name: "tree-31",
        title: "Tree of 31",
        line: "31 bodies on ball joints",
        group: "Joints",
        source: "Bender 2007",
        size: "31 bodies",
        about: "Every bar hangs by a ball joint from an end of the bar above it, like a mobile. The impulses of all joints depend on each other, and a tree of 255 bodies has 765 equations for them. Bender's method looks ahead: where would the joint's two points be at the end of the step? An impulse now makes them meet. Joint after joint, again and again, until all of them close to a millionth of a metre; or all at once by elimination from the leaves to the root, which costs only as much as there are bodies.",
        build: || Box::new(WorldScene::new(&joint_scenes::TREE_31)),
    },
    Scene {
        name: "tree-63",
        title: "Tree of 63",
        line: "63 bodies on ball joints",
        group: "Joints",
        source: "Bender 2007",
        size: "63 bodies",
        about: "Every bar hangs by a ball joint from an end of the bar above it, like a mobile. The impulses of all joints depend on each other, and a tree of 255 bodies has 765 equations for them. Bender's method looks ahead: where would the joint's two points be at the end of the step? An impulse now makes them meet. Joint after joint, again and again, until all of them close to a millionth of a metre; or all at once by elimination from the leaves to the root, which costs only as much as there are bodies.",
        build: || Box::new(WorldScene::new(&joint_scenes::TREE_63)),
    },
    Scene {
        name: "tree-127",
        title: "Tree of 127",
        line: "127 bodies on ball joints",
        group: "Joints",
        source: "Bender 2007",
        size: "127 bodies",
        about: "Every bar hangs by a ball joint from an end of the bar above it, like a mobile. The impulses of all joints depend on each other, and a tree of 255 bodies has 765 equations for them. Bender's method looks ahead: where would the joint's two points be at the end of the step? An impulse now makes them meet. Joint after joint, again and again, until all of them close to a millionth of a metre; or all at once by elimination from the leaves to the root, which costs only as much as there are bodies.",
        build: || Box::new(WorldScene::new(&joint_scenes::TREE_127)),
    },
    Scene {
        name: "tree-255",
        title: "Tree of 255",
        line: "255 bodies on ball joints",
        group: "Joints",
        source: "Bender 2007",
        size: "255 bodies",
        about: "Every bar hangs by a ball joint from an end of the bar above it, like a mobile. The impulses of all joints depend on each other, and a tree of 255 bodies has 765 equations for them. Bender's method looks ahead: where would the joint's two points be at the end of the step? An impulse now makes them meet. Joint after joint, again and again, until all of them close to a millionth of a metre; or all at once by elimination from the leaves to the root, which costs only as much as there are bodies.",
        build: || Box::new(WorldScene::new(&joint_scenes::TREE_255)),
    },
];

/// No scene of that name.
#[derive(Clone, Debug, PartialEq, Error)]
#[error("no scene '{name}'{}; `prall scenes` lists all of them", suggestion(.nearest))]
pub struct UnknownScene {
    /// What was asked for.
    pub name: String,
    /// What may have been meant.
    pub nearest: Option<&'static str>,
}

fn suggestion(nearest: &Option<&'static str>) -> String {
    nearest.map_or(String::new(), |scene| format!(", did you mean '{scene}'?"))
}

/// The scenes of the gallery; the best of each group come first.
pub fn scenes() -> &'static [Scene] {
    SCENES
}

/// Scenes that commands know by name and the gallery does not list.
pub fn unlisted_scenes() -> &'static [Scene] {
    TREES
}

/// The scene of that name.
pub fn scene(name: &str) -> Result<&'static Scene, UnknownScene> {
    SCENES.iter().chain(TREES).find(|scene| scene.name == name).ok_or_else(|| {
        // Similar enough that a typing slip explains the difference.
        const SIMILAR: f64 = 0.75;
        let nearest = SCENES
            .iter()
            .map(|scene| (strsim::jaro_winkler(scene.name, name), scene.name))
            .filter(|(similarity, _)| *similarity > SIMILAR)
            .max_by(|a, b| a.0.total_cmp(&b.0))
            .map(|(_, name)| name);
        UnknownScene { name: name.to_owned(), nearest }
    })
}

impl Scene {
    /// Builds it.
    pub fn build(&self) -> Box<dyn Simulation> {
        (self.build)()
    }
}

/// Builds the scene of that name.
pub fn open(name: &str) -> Result<Box<dyn Simulation>, UnknownScene> {
    Ok(scene(name)?.build())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_scene_keeps_to_the_cards_measures_and_opens() {
        for scene in scenes() {
            assert!(scene.line.chars().count() <= 34, "{}: the line is too long for its card", scene.name);
            assert!(!scene.about.is_empty() && !scene.source.is_empty());
            let simulation = open(scene.name).unwrap();
            let assets = simulation.assets();
            assert!(!assets.bodies.is_empty());
            for body in &assets.bodies {
                assert!(body.shape < assets.shapes.len() && body.look < assets.looks.len());
            }
            assert!(!simulation.solvers().is_empty());
        }
    }

    #[test]
    fn a_misspelt_scene_gets_the_name_that_was_meant() {
        let error = scene("bouncing_ball").unwrap_err();
        assert_eq!(error.nearest, Some("bouncing-ball"));
        assert!(error.to_string().contains("did you mean 'bouncing-ball'"));
        assert_eq!(scene("xyz").unwrap_err().nearest, None);
    }
}
