//! Holds worlds to theory: `cargo run --release -p prall-dynamics --example validation docs/validation.md` measures every row and writes the table. Rows that
//! miss their goal stand in it as such.

mod contacts;
mod impacts;
mod joints;
mod statics;
mod tippe_top;

use std::fmt::Write;

use glam::{DMat3, DVec3};
use prall_dynamics::{BodyDefinition, Material, World, WorldOptions};
use prall_geometry::{HalfSpace, MassProperties, Shape};

pub(crate) const GRAVITY: f64 = 9.81;

/// One row of the table.
pub(crate) struct Row {
    pub what: &'static str,
    /// The measured quantity, with its unit.
    pub quantity: &'static str,
    /// What theory says, and why.
    pub expected: String,
    /// Errors by step, longest step first, in the unit of the quantity.
    pub errors: Vec<(f64, f64)>,
    /// Largest error at the shortest step that counts as right.
    pub goal: f64,
}

impl Row {
    fn is_right(&self) -> bool {
        self.errors.last().is_some_and(|(_, error)| error.abs() <= self.goal)
    }

    /// From the last two steps; none if there is one only, errors are rounding, or something fell over at the longer one.
    fn order(&self) -> Option<f64> {
        const LARGEST: f64 = 5.0;
        let [.., (long, first), (short, last)] = self.errors[..] else { return None };
        let (first, last) = (first.abs(), last.abs());
        let tells = last > 1e-11 && first > 0.0 && long != short;
        let order = libm::log2(first / last) / libm::log2(long / short);
        (tells && order < LARGEST).then_some(order)
    }
}

fn table(rows: &[Row]) -> String {
    let mut text = String::from(
        "# Validation\n\nWritten by `cargo run --release -p prall-dynamics --example validation docs/validation.md`. Expected values are closed forms, or the \
         equations of motion of a mechanism solved by Runge and Kutta; none of them shares code with the engine. Errors stand by step, longest first; the order is that \
         of the last two; a row is right if the error at its shortest step is within the goal.\n\n\
         | Case | Quantity | Expected | Error by step | Order | Goal | Verdict |\n|---|---|---|---|---|---|---|\n",
    );
    for row in rows {
        let errors: Vec<String> =
            row.errors.iter().map(|(step, error)| format!("1/{:.0} s: {error:.1e}", 1.0 / step)).collect();
        let order = row.order().map_or("".to_owned(), |order| format!("{order:.1}"));
        let verdict = if row.is_right() { "right" } else { "**missed**" };
        let (errors, goal) = (errors.join(", "), row.goal);
        let _ = writeln!(
            text,
            "| {} | {} | {} | {errors} | {order} | {goal:.0e} | {verdict} |",
            row.what, row.quantity, row.expected
        );
    }
    let right = rows.iter().filter(|row| row.is_right()).count();
    let _ = writeln!(text, "\n{right} of {} rows are right.", rows.len());
    text
}

fn main() -> std::io::Result<()> {
    let cases: [fn() -> Row; 25] = [
        joints::double_pendulum,
        joints::governor,
        joints::bennett_energy,
        joints::bricard_energy,
        joints::thin_rods,
        impacts::ball_in_a_box,
        impacts::ball_under_gravity,
        impacts::cradle,
        impacts::gas_energy,
        impacts::gas_distribution,
        impacts::billiard_break,
        contacts::incline,
        contacts::slides_then_rolls,
        contacts::rod_pressed_down,
        contacts::turntable,
        contacts::top_precession,
        contacts::top_tip,
        contacts::eulers_disk,
        tippe_top::inverts,
        tippe_top::jellett,
        statics::ladder,
        statics::arch,
        statics::house_of_cards,
        contacts::wedge,
        contacts::squeeze,
    ];
    let mut rows = Vec::new();
    for case in cases {
        let row = case();
        eprintln!("{}: {:?}", row.what, row.errors);
        rows.push(row);
    }
    let text = table(&rows);
    match std::env::args().nth(1) {
        Some(path) => std::fs::write(path, text),
        None => {
            print!("{text}");
            Ok(())
        }
    }
}

/// A world with this step and gravity.
pub(crate) fn world(step: f64, gravity: f64) -> World {
    let gravity = DVec3::Y * -gravity;
    World::new(WorldOptions { time_step: step, gravity, ..WorldOptions::default() }).expect("sound options")
}

pub(crate) fn run(world: &mut World, seconds: f64) {
    for _ in 0..(seconds / world.options().time_step).round() as usize {
        world.advance();
    }
}

pub(crate) fn surface(friction: f64, restitution: f64) -> Material {
    Material { restitution, static_friction: friction, dynamic_friction: friction, ..Material::default() }
}

pub(crate) fn add_floor(world: &mut World, material: Material) {
    let floor = BodyDefinition::fixed(Shape::HalfSpace(HalfSpace)).made_of(material);
    world.add_body(&floor).expect("a floor");
}

pub(crate) fn massive(mass: f64, moments: DVec3) -> MassProperties {
    MassProperties { mass, center_of_mass: DVec3::ZERO, inertia: DMat3::from_diagonal(moments) }
}

/// One step of Runge and Kutta's method of fourth order.
pub(crate) fn runge_kutta<const N: usize>(
    state: [f64; N],
    h: f64,
    rates: impl Fn(&[f64; N]) -> [f64; N],
) -> [f64; N] {
    let along = |rate: &[f64; N], span: f64| std::array::from_fn(|i| state[i] + span * rate[i]);
    let first = rates(&state);
    let second = rates(&along(&first, 0.5 * h));
    let third = rates(&along(&second, 0.5 * h));
    let fourth = rates(&along(&third, h));
    std::array::from_fn(|i| state[i] + h / 6.0 * (first[i] + 2.0 * (second[i] + third[i]) + fourth[i]))
}
