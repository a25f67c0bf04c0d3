//! What is fuzzed: every reader by a number, which is the first byte of an input.

/// Readers by number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reader {
    Obj,
    Stl,
    Ply,
    Gltf,
    Collada,
    Scene,
    Robot,
    RigidIpc,
    Track,
    Sled,
    RunCsv,
    RunXml,
    Recording,
    Socket,
}

impl Reader {
    /// All of them, in the order of their numbers.
    pub const ALL: [Reader; 14] = [
        Reader::Obj,
        Reader::Stl,
        Reader::Ply,
        Reader::Gltf,
        Reader::Collada,
        Reader::Scene,
        Reader::Robot,
        Reader::RigidIpc,
        Reader::Track,
        Reader::Sled,
        Reader::RunCsv,
        Reader::RunXml,
        Reader::Recording,
        Reader::Socket,
    ];
}
