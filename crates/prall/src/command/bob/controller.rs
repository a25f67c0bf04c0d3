//! `prall bob controller`: the force loop of a device for the hands, here with a simulated one.

use crate::command::{Failure, print_line, print_result};
use prall_bob::haptics::{Controller, ForceLaw, Hand, Packet, Rig, TICK};
use serde::Serialize;
use std::fmt::Write;
use std::net::UdpSocket;
use std::path::PathBuf;
use std::time::{Duration, Instant};

#[derive(clap::Args)]
pub(super) struct Arguments {
    /// Where to listen for the forces that `prall bob drive --haptics` sends; port 0 takes any free one
    #[arg(long, default_value = "127.0.0.1:7880", value_name = "HOST:PORT")]
    listen: String,
    /// "damped": its own damping keeps a late force from swinging; "direct": the force as it comes
    #[arg(long, default_value = "damped", value_name = "LAW")]
    law: String,
    /// Who holds the plate: free, relaxed, medium, firm, clamped
    #[arg(long, default_value = "medium", value_name = "HAND")]
    hand: String,
    /// End after this time in s; without it Ctrl-C does
    #[arg(long, value_name = "S")]
    seconds: Option<f64>,
    /// Write every tick down: time, force wanted and measured, voltage, place of the plate
    #[arg(long, value_name = "FILE.csv")]
    trace: Option<PathBuf>,
    /// Print the answer as JSON at the end
    #[arg(long)]
    json: bool,
}

/// What came of it.
#[derive(Default, Serialize)]
struct Answer {
    seconds: f64,
    packets: u64,
    /// Datagrams that were none of ours, or nonsense.
    refused: u64,
    /// How often the watchdog let go after packets had come.
    let_go: u32,
    largest_force: f64,
    largest_voltage: f64,
    /// Root of the mean square of wanted less measured force in N, while packets came.
    error: f64,
}

/// "damped" or "direct".
pub(super) fn law(name: &str) -> Result<ForceLaw, Failure> {
    match name {
        "damped" => Ok(ForceLaw::Damped),
        "direct" => Ok(ForceLaw::Direct),
        _ => Err(format!("\"{name}\" is neither damped nor direct").into()),
    }
}

pub(super) fn execute(arguments: &Arguments) -> Result<(), Failure> {
    let law = law(&arguments.law).map_err(|error| format!("--law: {error}"))?;
    let hand = Hand::named(&arguments.hand).map_err(|error| format!("--hand: {error}"))?;
    if arguments.seconds.is_some_and(|seconds| !(seconds > 0.0)) {
        return Err("--seconds must be above 0".into());
    }
    let wrong = |error: std::io::Error| format!("--listen {}: {error}", arguments.listen);
    let socket = UdpSocket::bind(&arguments.listen).map_err(wrong)?;
    socket.set_nonblocking(true).map_err(wrong)?;
    if !arguments.json {
        print_line(&format!(
            "Forces are awaited at {}: prall bob drive --haptics {0}. A simulated device, {} hands.",
            socket.local_addr().map_err(wrong)?,
            arguments.hand
        ))?;
    }
    let mut trace =
        arguments.trace.as_ref().map(|_| "t[s],wanted[N],measured[N],voltage[V],plate[m]\n".to_owned());
    let answer = close_loop(&socket, Controller::new(law), Rig::new(hand), arguments, &mut trace)?;
    if let (Some(path), Some(text)) = (&arguments.trace, &trace) {
        super::scenario::write(path, text)?;
    }
    print_result(&answer, arguments.json, |answer| {
        print_line(&format!(
            "{:.1} s, {} packets, let go {} times; largest force {:.0} N, {:.1} V; wanted less measured {:.1} N RMS",
            answer.seconds,
            answer.packets,
            answer.let_go,
            answer.largest_force,
            answer.largest_voltage,
            answer.error
        ))
    })
}

/// A thousand times a second, as far as the machine lets it; ticks that were missed are made up for.
fn close_loop(
    socket: &UdpSocket,
    mut controller: Controller,
    mut rig: Rig,
    arguments: &Arguments,
    trace: &mut Option<String>,
) -> Result<Answer, Failure> {
    let begin = Instant::now();
    let mut answer = Answer::default();
    let (mut ticks, mut squares, mut counted, mut held) = (0_u64, 0.0, 0_u64, false);
    let mut buffer = [0; 2048];
    loop {
        let now = ticks as f64 * TICK;
        if arguments.seconds.is_some_and(|seconds| now >= seconds) {
            break;
        }
        let due = begin + Duration::from_secs_f64(now);
        std::thread::sleep(due.saturating_duration_since(Instant::now()));
        while let Ok(length) = socket.recv(&mut buffer) {
            match Packet::read(&buffer[..length]) {
                Ok(packet) => {
                    controller.receive(packet);
                    answer.packets += 1;
                }
                Err(_) => answer.refused += 1,
            }
        }
        let reading = rig.reading();
        let voltage = controller.tick(reading.position, reading.force);
        rig.advance(voltage, 0.0, 0.0);
        let holds = !controller.lets_go();
        answer.let_go += u32::from(held && !holds);
        held = holds;
        if holds {
            let error = controller.reference() - rig.force();
            (squares, counted) = (squares + error * error, counted + 1);
        }
        answer.largest_force = answer.largest_force.max(rig.force().abs());
        answer.largest_voltage = answer.largest_voltage.max(voltage.abs());
        if let Some(text) = trace {
            let (wanted, force, plate) = (controller.reference(), rig.force(), rig.plate().0);
            // Writing to a string cannot fail.
            let _ = writeln!(text, "{now:.3},{wanted:.3},{force:.3},{voltage:.4},{plate:.6}");
        }
        ticks += 1;
        if ticks % 1000 == 0 && !arguments.json {
            print_line(&format!(
                "{now:6.0} s  {:6} packets  {:+7.1} N wanted  {:+7.1} N measured  {voltage:+5.2} V  {:+6.2} mm{}",
                answer.packets,
                controller.reference(),
                rig.force(),
                1e3 * rig.plate().0,
                if holds { "" } else { "  let go" }
            ))?;
        }
    }
    answer.seconds = ticks as f64 * TICK;
    answer.error = if counted > 0 { (squares / counted as f64).sqrt() } else { 0.0 };
    Ok(answer)
}
