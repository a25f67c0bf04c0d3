//! The peers that live in Python: one process, a line of JSON each way.

use serde_json::Value;
use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::Duration;

/// One question may take so long: a step that cannot be interrupted shall not hold up everything.
const PATIENCE: Duration = Duration::from_secs(90);

/// A running `peers.py`.
pub struct Python {
    child: Child,
    input: ChildStdin,
    lines: Receiver<String>,
}

impl Python {
    /// Starts it with the interpreter of the virtual environment (`PRALL_COMPARISON_PYTHON`, or `venv` beside the manifest).
    pub fn start() -> Result<Python, String> {
        let home = env!("CARGO_MANIFEST_DIR");
        let python =
            std::env::var("PRALL_COMPARISON_PYTHON").unwrap_or_else(|_| format!("{home}/venv/bin/python"));
        let mut child = Command::new(&python)
            .arg(format!("{home}/peers.py"))
            .env("OMP_NUM_THREADS", "1")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .map_err(|error| format!("{python}: {error}; `make compare` makes the virtual environment"))?;
        let (Some(input), Some(output)) = (child.stdin.take(), child.stdout.take()) else {
            return Err("a process without pipes".to_owned());
        };
        let (sender, lines) = channel();
        std::thread::spawn(move || {
            // Ends with the process, or with whoever waited for it.
            let mut read = BufReader::new(output).lines().map_while(Result::ok);
            read.all(|line| sender.send(line).is_ok())
        });
        Ok(Python { child, input, lines })
    }

    /// Asks, and waits for the answer.
    pub fn ask(&mut self, question: &Value) -> Result<Value, String> {
        let sent = writeln!(self.input, "{question}").and_then(|()| self.input.flush());
        sent.map_err(|error| format!("the peer does not listen: {error}"))?;
        let line = self.lines.recv_timeout(PATIENCE).map_err(|error| match error {
            RecvTimeoutError::Timeout => format!("no answer within {} s", PATIENCE.as_secs()),
            RecvTimeoutError::Disconnected => "the peer ended".to_owned(),
        })?;
        let answer: Value = serde_json::from_str(&line).map_err(|_| format!("no answer but: {line}"))?;
        match answer.get("error").and_then(Value::as_str) {
            Some(error) => Err(error.to_owned()),
            None => Ok(answer),
        }
    }
}

impl Drop for Python {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
