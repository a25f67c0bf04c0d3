//! Embeds the built page, `viewer/dist`, into the binary. Without it the binary still builds, and `prall serve`
//! says what to do.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::{env, fs};

fn main() {
    let manifest = PathBuf::from(env::var("CARGO_MANIFEST_DIR").expect("cargo sets it"));
    let dist = manifest.join("../../viewer/dist");
    // A folder that is not there yet would make cargo run this script every time; watch its parent then.
    let watched = if dist.is_dir() { dist.clone() } else { manifest.join("../../viewer") };
    println!("cargo::rerun-if-changed={}", watched.display());

    let mut files = Vec::new();
    collect(&dist, &dist, &mut files);
    files.sort();
    let mut table = String::from("[\n");
    for (name, path) in &files {
        writeln!(table, "    ({name:?}, include_bytes!({path:?}) as &[u8]),")
            .expect("strings can be written to");
    }
    table.push(']');
    let out = PathBuf::from(env::var("OUT_DIR").expect("cargo sets it"));
    fs::write(out.join("page_files.rs"), table).expect("the build directory can be written to");
}

/// All files below `folder`, with their names relative to `root` and forward slashes.
fn collect(root: &Path, folder: &Path, files: &mut Vec<(String, String)>) {
    let Ok(entries) = fs::read_dir(folder) else { return };
    for entry in entries.flatten() {
        let path = entry.path();
        if path.is_dir() {
            println!("cargo::rerun-if-changed={}", path.display());
            collect(root, &path, files);
        } else if let Ok(name) = path.strip_prefix(root) {
            let name = name.to_string_lossy().replace('\\', "/");
            let path = fs::canonicalize(&path).unwrap_or(path);
            files.push((name, path.to_string_lossy().into_owned()));
        }
    }
}
