//! Meshes that a robot's package ships in another folder than the robot names: the only file of that name is taken, with a note.

mod folder;

use folder::Folder;
use prall_scenes::FileScene;
use std::path::{Path, PathBuf};

impl Folder {
    /// A robot of one link with a mesh, as a file.
    fn robot(&self, name: &str, mesh: &str) -> PathBuf {
        let inertia = "<inertial><mass value='1'/><inertia ixx='1' ixy='0' ixz='0' iyy='1' iyz='0' izz='1'/></inertial>";
        let shape = format!("<collision><geometry><mesh filename='{mesh}'/></geometry></collision>");
        self.write(name, &format!("<robot name='r'><link name='base'>{inertia}{shape}</link></robot>"))
    }
}

/// A tetrahedron of some size.
fn tetrahedron(size: f64) -> String {
    format!("v 0 0 0\nv {size} 0 0\nv 0 {size} 0\nv 0 0 {size}\nf 1 3 2\nf 1 2 4\nf 2 3 4\nf 3 1 4\n")
}

/// The files of a robot's meshes, and the notes; or the message.
fn read(path: &Path) -> Result<(Vec<PathBuf>, Vec<String>), String> {
    let read = FileScene::read(path).map_err(|error| error.to_string())?;
    Ok((read.files().skip(1).map(PathBuf::from).collect(), read.notes().to_vec()))
}

#[test]
fn the_only_mesh_of_its_name_is_taken_with_a_note() {
    let folder = Folder::new("only");
    let mesh = folder.write("arm/assets/visual/link.obj", &tetrahedron(1.0));
    for named in [
        "meshes/link.obj",
        "package://nobody/meshes/LINK.obj",
        "file:///home/somebody/link.obj",
        "$(arg folder)/link.obj",
        "C:\\robots\\link.obj",
        "/home/somebody/arm/link.obj",
    ] {
        let (files, notes) = read(&folder.robot("arm/urdf/deep/arm.urdf", named)).unwrap();
        assert_eq!(files, std::slice::from_ref(&mesh), "{named}");
        assert!(
            notes.len() == 1 && notes[0].contains(named) && notes[0].contains("assets/visual/link.obj"),
            "{notes:?}"
        );
    }
    // Where the path is right but for its slashes, there is nothing to note.
    let (_, notes) =
        read(&folder.robot("arm/urdf/deep/arm.urdf", "..\\..\\assets\\visual\\link.obj")).unwrap();
    assert!(notes.is_empty(), "{notes:?}");
    // Nor for a file beside the robot that is named as a package.
    let (_, notes) = read(&folder.robot("arm/assets/visual/arm.urdf", "package://link.obj")).unwrap();
    assert!(notes.is_empty(), "{notes:?}");
}

/// Of several files the one whose path agrees most is meant; if two agree equally, they must be the same.
#[test]
fn several_meshes_of_a_name_are_listed() {
    let folder = Folder::new("several");
    folder.write("a/visual/link.obj", &tetrahedron(1.0));
    let collision = folder.write("a/collision/link.obj", &tetrahedron(2.0));
    let ambiguous = read(&folder.robot("arm.urdf", "meshes/link.obj")).unwrap_err();
    assert!(
        ambiguous.contains("several files of its name")
            && ambiguous.contains("visual/link.obj")
            && ambiguous.contains("collision/link.obj"),
        "{ambiguous}"
    );
    let (files, _) = read(&folder.robot("arm.urdf", "package://x/collision/link.obj")).unwrap();
    assert_eq!(files, [collision]);
    folder.write("a/collision/link.obj", &tetrahedron(1.0));
    read(&folder.robot("arm.urdf", "meshes/link.obj")).unwrap();
}

/// What lies above the top of a package, or beside it where packages are installed, belongs to others. Links that lead in circles are not followed.
#[test]
fn the_search_stays_in_the_package() {
    let folder = Folder::new("top");
    folder.write("other/link.obj", &tetrahedron(1.0));
    let robot = folder.robot("own/urdf/arm.urdf", "meshes/link.obj");
    read(&robot).unwrap();
    for top in ["own/package.xml", "own-1.0.dist-info/RECORD"] {
        let installed = folder.write(&format!("lib/{top}"), "");
        let robot = folder.robot("lib/own/urdf/arm.urdf", "meshes/link.obj");
        folder.write("lib/other/link.obj", &tetrahedron(1.0));
        let missing = read(&robot).unwrap_err();
        assert!(missing.contains("No such file"), "{missing}");
        std::fs::remove_file(installed).unwrap();
    }
    #[cfg(unix)]
    std::os::unix::fs::symlink(&folder.0, folder.0.join("own/circle")).unwrap();
    read(&robot).unwrap();
}

/// 20,000 files are looked at, and no more: a robot beside a whole disk does not have it walked.
#[test]
fn the_search_ends_among_many_files() {
    let folder = Folder::new("many");
    for file in 0..20_100 {
        std::fs::create_dir_all(folder.0.join("files")).unwrap();
        std::fs::File::create(folder.0.join(format!("files/{file}"))).unwrap();
    }
    let missing = read(&folder.robot("arm.urdf", "meshes/link.obj")).unwrap_err();
    assert!(missing.contains("more than 20000 files, which were not searched"), "{missing}");
}

/// All that is missing is told at once, and how to go on without it.
#[test]
fn all_missing_meshes_are_told_at_once() {
    let folder = Folder::new("missing");
    let mut text = std::fs::read_to_string(folder.robot("one.urdf", "a.stl")).unwrap();
    let shape = "<collision><geometry><mesh filename='b.stl'/></geometry></collision></link>";
    text = text.replace("</link>", shape);
    let missing = read(&folder.write("two.urdf", &text)).unwrap_err();
    assert!(missing.contains("two.urdf:1:") && missing.contains("a.stl: No such file"), "{missing}");
    assert!(
        missing.contains("1 more are missing: b.stl") && missing.contains("--without-missing-meshes"),
        "{missing}"
    );
    folder.write("a.stl", "version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 12\n");
    let pointer = read(&folder.0.join("one.urdf")).unwrap_err();
    assert!(pointer.contains("a pointer of Git LFS"), "{pointer}");
    let server = read(&folder.robot("server.urdf", "https://example.org/c.stl")).unwrap_err();
    assert!(server.contains("nothing is fetched"), "{server}");
}
