//! How robots are read: `--package NAME=DIR`, where packages of ROS are, for meshes that are named by them; `--strict`.

use prall_scenes::file::RobotOptions;
use std::path::PathBuf;

#[derive(Clone, Default, clap::Args)]
pub(super) struct Packages {
    /// Where a package of ROS is that a robot names its meshes by; may be given several times
    #[arg(long = "package", value_name = "NAME=DIR", value_parser = package)]
    packages: Vec<(String, PathBuf)>,
    /// Refuse a scene file or robot with anything to note: meshes that are not there or lie elsewhere, what is contradictory or left out
    #[arg(long)]
    strict: bool,
}

fn package(text: &str) -> Result<(String, PathBuf), String> {
    let (name, folder) = text.split_once('=').ok_or("write it as NAME=DIR")?;
    let folder = PathBuf::from(folder);
    if folder.is_dir() {
        Ok((name.to_owned(), folder))
    } else {
        Err(format!("there is no folder {}", folder.display()))
    }
}

impl Packages {
    /// Everything is read like that from now on.
    pub(super) fn declare(&self) {
        for (name, folder) in &self.packages {
            prall_scenes::file::declare_package(name, folder);
        }
        prall_scenes::file::set_robot_options(RobotOptions { strict: self.strict });
    }
}
