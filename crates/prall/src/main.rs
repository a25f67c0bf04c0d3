//! The `prall` command.

use std::process::ExitCode;

fn main() -> ExitCode {
    prall::command::main()
}
