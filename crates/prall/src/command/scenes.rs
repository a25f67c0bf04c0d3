//! `prall scenes`.

use super::{Failure, print_line};

#[derive(clap::Args)]
pub(super) struct Arguments {
    /// Print JSON
    #[arg(long)]
    json: bool,
}

pub(super) fn execute(arguments: &Arguments) -> Result<(), Failure> {
    let scenes = prall_scenes::scenes();
    if arguments.json {
        return print_line(&serde_json::to_string_pretty(scenes)?);
    }
    let width = scenes.iter().map(|scene| scene.name.len()).max().unwrap_or(0);
    for scene in scenes {
        print_line(&format!("{:width$}  {:34}  {}", scene.name, scene.line, scene.source))?;
    }
    Ok(())
}
