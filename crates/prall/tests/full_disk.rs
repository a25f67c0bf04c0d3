//! A recording that meets a full disk ends with its last whole second, and the run goes on. A limit on the size of files stands for the disk.
#![cfg(target_os = "linux")]

mod folder;

use folder::Folder;
use prall::recording::{Store, read, verify};
use std::process::Command;

/// Runs the ball for 20 s; files may have this many blocks.
fn run(folder: &Folder, name: &str, blocks: u32) -> (Option<i32>, String, String) {
    // Without the trap the system would end the program instead of refusing to write.
    let script = format!(
        "trap '' XFSZ; ulimit -f {blocks}; exec '{}' run bouncing-ball --seconds 20 --record {name}",
        env!("CARGO_BIN_EXE_prall")
    );
    let output = Command::new("sh").args(["-c", &script]).current_dir(&folder.0).output().unwrap();
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    (output.status.code(), text(&output.stdout), text(&output.stderr))
}

#[test]
fn a_recording_on_a_full_disk_ends_with_its_last_whole_second() {
    let folder = Folder::new("full-disk");
    let (code, whole, errors) = run(&folder, "whole.mcap", 1_000_000);
    assert_eq!(code, Some(0), "{errors}");
    let bytes = std::fs::metadata(folder.0.join("whole.mcap")).unwrap().len();
    // Blocks have 512 or 1024 bytes, by the shell: at most half of the file, at least a quarter.
    let (code, cut, errors) = run(&folder, "cut.mcap", u32::try_from(bytes / 2048).unwrap());
    assert_eq!(code, Some(2), "{errors}");
    assert!(
        errors.contains("the recording has ended, since it cannot be written: ")
            && errors.contains("s are kept in cut.mcap"),
        "{errors}"
    );
    // The run went on: its report is that of the other one.
    let hash = |text: &str| text.lines().find(|line| line.starts_with("state hash")).unwrap().to_owned();
    assert_eq!(hash(&cut), hash(&whole));
    let listed = Store::new(&folder.0).describe("cut.mcap");
    let seconds = listed.seconds.unwrap();
    assert!(listed.warning.is_none() && seconds >= 1.0 && seconds < 15.0, "{listed:?}");
    let recording = read(&folder.0.join("cut.mcap")).unwrap();
    assert_eq!(recording.warning, None);
    let mut ball = prall::scenes::open("bouncing-ball").unwrap();
    let replayed = verify(&recording, ball.as_mut()).unwrap();
    assert!(replayed.differs_at.is_none() && replayed.equal as f64 >= seconds, "{replayed:?}");
    // Where not even the first frame has room, nothing is left.
    let (code, _, errors) = run(&folder, "none.mcap", 1);
    assert_eq!(code, Some(2), "{errors}");
    assert!(errors.contains("none.mcap") && !folder.0.join("none.mcap").exists(), "{errors}");
}
