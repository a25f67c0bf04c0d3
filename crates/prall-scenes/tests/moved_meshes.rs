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

/// The files of a robot's meshes, and the notes.
fn read(path: &Path) -> (Vec<PathBuf>, Vec<String>) {
    let read = FileScene::read(path).unwrap_or_else(|error| panic!("{error}"));
    (read.files().skip(1).map(PathBuf::from).collect(), read.notes().to_vec())
}

/// The note on meshes that are not there.
fn missing(path: &Path) -> String {
    let (files, notes) = read(path);
    let note = notes.into_iter().find(|note| note.contains("are not there"));
    note.unwrap_or_else(|| panic!("nothing is missing; {files:?} were read"))
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
        let (files, notes) = read(&folder.robot("arm/urdf/deep/arm.urdf", named));
        assert_eq!(files, std::slice::from_ref(&mesh), "{named}");
        assert!(
            notes.len() == 1 && notes[0].contains(named) && notes[0].contains("assets/visual/link.obj"),
            "{notes:?}"
        );
    }
    // Where the path is right but for its slashes, there is nothing to note.
    let (_, notes) = read(&folder.robot("arm/urdf/deep/arm.urdf", "..\\..\\assets\\visual\\link.obj"));
    assert!(notes.is_empty(), "{notes:?}");
    // Nor for a file beside the robot that is named as a package.
    let (_, notes) = read(&folder.robot("arm/assets/visual/arm.urdf", "package://link.obj"));
    assert!(notes.is_empty(), "{notes:?}");
}

/// Of several files the one whose path agrees most is meant; if two agree equally, they must be the same.
#[test]
fn several_meshes_of_a_name_are_listed() {
    let folder = Folder::new("several");
    folder.write("a/visual/link.obj", &tetrahedron(1.0));
    let collision = folder.write("a/collision/link.obj", &tetrahedron(2.0));
    let ambiguous = missing(&folder.robot("arm.urdf", "meshes/link.obj"));
    assert!(
        ambiguous.contains("several files of its name")
            && ambiguous.contains("visual/link.obj")
            && ambiguous.contains("collision/link.obj"),
        "{ambiguous}"
    );
    let (files, _) = read(&folder.robot("arm.urdf", "package://x/collision/link.obj"));
    assert_eq!(files, [collision]);
    folder.write("a/collision/link.obj", &tetrahedron(1.0));
    assert_eq!(read(&folder.robot("arm.urdf", "meshes/link.obj")).0.len(), 1);
}

/// What lies above the top of a package, or beside it where packages are installed, belongs to others. Links that lead in circles are not followed.
#[test]
fn the_search_stays_in_the_package() {
    let folder = Folder::new("top");
    folder.write("other/link.obj", &tetrahedron(1.0));
    let robot = folder.robot("own/urdf/arm.urdf", "meshes/link.obj");
    assert_eq!(read(&robot).0.len(), 1);
    for top in ["own/package.xml", "own-1.0.dist-info/RECORD"] {
        let installed = folder.write(&format!("lib/{top}"), "");
        let robot = folder.robot("lib/own/urdf/arm.urdf", "meshes/link.obj");
        folder.write("lib/other/link.obj", &tetrahedron(1.0));
        let missing = missing(&robot);
        assert!(missing.contains("No such file"), "{missing}");
        std::fs::remove_file(installed).unwrap();
    }
    #[cfg(unix)]
    std::os::unix::fs::symlink(&folder.0, folder.0.join("own/circle")).unwrap();
    assert_eq!(read(&robot).0.len(), 1);
}

/// 20,000 files are looked at, and no more: a robot beside a whole disk does not have it walked.
#[test]
fn the_search_ends_among_many_files() {
    let folder = Folder::new("many");
    for file in 0..20_100 {
        std::fs::create_dir_all(folder.0.join("files")).unwrap();
        std::fs::File::create(folder.0.join(format!("files/{file}"))).unwrap();
    }
    let missing = missing(&folder.robot("arm.urdf", "meshes/link.obj"));
    assert!(missing.contains("more than 20000 files, which were not searched"), "{missing}");
}

/// A file that Git LFS stands for, and one on a server, are not there.
#[test]
fn pointers_and_servers_are_told_as_what_they_are() {
    let folder = Folder::new("pointer");
    folder.write("a.stl", "version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 12\n");
    let pointer = missing(&folder.robot("one.urdf", "a.stl"));
    assert!(pointer.contains("a pointer of Git LFS"), "{pointer}");
    let server = missing(&folder.robot("server.urdf", "https://example.org/c.stl"));
    assert!(server.contains("nothing is fetched"), "{server}");
}
