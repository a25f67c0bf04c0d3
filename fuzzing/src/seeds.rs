//! Writes the inputs from which the fuzzer sets out, in the repository's folder.

use crate::formats::Reader;
use prall_geometry::files::{Format, ReadOptions, WriteFormat, read_model_from_bytes, write_model_to_bytes};
use std::error::Error;
use std::path::{Path, PathBuf};

const RIGID_IPC: &str = r#"{"timestep": 0.01, "max_time": 5, "rigid_body_problem": {"gravity": [0, -9.8, 0], "coefficient_friction": 0.1,
"rigid_bodies": [{"vertices": [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]], "faces": [[0, 2, 1], [0, 1, 3], [1, 2, 3], [0, 3, 2]],
"position": [0, 1, 0], "rotation": [0, 90, 0], "density": 500, "linear_velocity": [0, 1e-3, 0], "is_dof_fixed": false, "type": "dynamic"}]}}"#;

const COLLADA: &str = r##"<?xml version="1.0"?><COLLADA version="1.4.1"><asset><unit meter="0.01"/><up_axis>Z_UP</up_axis></asset><library_geometries>
<geometry id="g"><mesh><source id="p"><float_array id="a" count="9">0 0 0 1 0 0 0 1 0</float_array><technique_common><accessor source="#a" count="3" stride="3"/>
</technique_common></source><vertices id="v"><input semantic="POSITION" source="#p"/></vertices><triangles count="1"><input semantic="VERTEX" source="#v" offset="0"/>
<p>0 1 2</p></triangles></mesh></geometry></library_geometries><library_visual_scenes><visual_scene id="s"><node><instance_geometry url="#g"/></node></visual_scene>
</library_visual_scenes><scene><instance_visual_scene url="#s"/></scene></COLLADA>"##;

const MESSAGES: [&str; 8] = [
    r#"{"type": "pause", "id": 7}
{"type": "step"}
{"type": "seek", "time": 0.01}
{"type": "back", "steps": 1}
{"type": "play"}"#,
    r#"{"type": "set", "parameter": "restitution", "value": 0.5}
{"type": "solver", "name": "moreau"}
{"type": "compare", "solver": "event"}
{"type": "reset"}
{"type": "compare", "solver": null}"#,
    r#"{"type": "grab", "origin": [0, 1.12, 3], "direction": [0, 0, -1]}
{"type": "pull", "point": [1, 2, 3], "rotation": [0, 0, 0, 1]}
{"type": "release"}"#,
    r#"{"type": "snapshot", "name": "a"}
{"type": "restore", "name": "a"}
{"type": "forget", "name": "a"}
{"type": "budget", "ms": 2.0, "work": null}"#,
    r#"{"type": "overlays", "wanted": ["contacts", "forces"], "level": 2}
{"type": "speed", "value": 0.5}
{"type": "taken", "frame": 9}
{"type": "undo"}"#,
    r#"{"type": "throw", "body": 0, "velocity": [1, 2, 3], "spin": [0, 1, 0]}
{"type": "pin", "body": 0, "pinned": true}
{"type": "properties", "body": 0, "track": 1}
{"type": "delete", "body": 0}"#,
    r#"{"type": "add", "body": {"ball": {"radius": 0.1}}, "density": 500, "origin": [0,1,3], "direction": [0,0,-1], "speed": 8}
{"type": "joint", "joint": 2, "position": -30}
{"type": "control", "values": {"steering": -0.5}}
{"type": "control", "values": null}"#,
    r#"{"type": "ghost", "recording": "a.mcap", "offset": 0.5}
{"type": "record", "on": true}
{"type": "record", "on": false}"#,
];

struct Corpus {
    folder: PathBuf,
    count: usize,
}

impl Corpus {
    fn add(&mut self, reader: Reader, bytes: &[u8]) -> std::io::Result<()> {
        let number =
            Reader::ALL.iter().position(|known| *known == reader).expect("every reader has a number");
        let input = [&[number as u8], bytes].concat();
        self.count += 1;
        std::fs::write(self.folder.join(format!("seed-{}", self.count)), input)
    }
}

/// Before the corpus is read: into the folder `PRALL_CORPUS`, with the recording `PRALL_RECORDING` as one of them.
pub fn write_if_asked() {
    let path = |name: &str| std::env::var_os(name).map(PathBuf::from);
    if let (Some(folder), Some(recording)) = (path("PRALL_CORPUS"), path("PRALL_RECORDING")) {
        write(folder, &recording).expect("the inputs to begin with");
    }
}

fn write(folder: PathBuf, recording: &Path) -> Result<(), Box<dyn Error>> {
    let mut corpus = Corpus { folder, count: 0 };
    let plate = std::fs::read("scenes/paths/plate.obj")?;
    corpus.add(Reader::Obj, &plate)?;
    let model = read_model_from_bytes(&plate, Format::Obj, &ReadOptions::default())?;
    for (reader, format) in [
        (Reader::Stl, WriteFormat::StlBinary),
        (Reader::Stl, WriteFormat::StlText),
        (Reader::Ply, WriteFormat::PlyBinary),
        (Reader::Ply, WriteFormat::PlyText),
        (Reader::Gltf, WriteFormat::Glb),
    ] {
        corpus.add(reader, &write_model_to_bytes(&model, format)?)?;
    }
    corpus.add(Reader::Collada, COLLADA.as_bytes())?;
    corpus.add(Reader::RigidIpc, RIGID_IPC.as_bytes())?;
    for (reader, path) in [
        (Reader::Scene, "scenes/buggy.toml"),
        (Reader::Scene, "scenes/door.toml"),
        (Reader::Scene, "scenes/mixer.toml"),
        (Reader::Robot, "scenes/robot-arm.urdf"),
        (Reader::Track, "scenes/tracks/meadow-run.toml"),
        (Reader::Sled, "scenes/sleds/two-man.toml"),
    ] {
        corpus.add(reader, &std::fs::read(Path::new(path))?)?;
    }
    corpus.add(Reader::RunCsv, b"# prall run 1\n# track: meadow\nt[s],s[m]\n0,0\n")?;
    corpus.add(Reader::RunXml, b"<?xml version=\"1.0\"?><run><about/></run>")?;
    for messages in MESSAGES {
        corpus.add(Reader::Socket, messages.as_bytes())?;
    }
    corpus.add(Reader::Recording, &std::fs::read(recording)?)?;
    println!("{} inputs to begin with", corpus.count);
    Ok(())
}
