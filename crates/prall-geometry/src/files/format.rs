//! [`Format`]: which reader a file is for, by its name and, where that can be told, by its content.

use std::fmt;
use std::path::Path;

use super::error::{FileError, quote, shown};
use super::stl_read;

/// A mesh file format.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Format {
    /// Wavefront OBJ: polygons in named objects and groups, text.
    Obj,
    /// Stereolithography: triangles, binary (single precision) or text.
    Stl,
    /// Polygon file format (Stanford): polygons, text or binary, single or double precision.
    Ply,
    /// glTF 2.0, as JSON (`.gltf`) or in one binary file (`.glb`): triangles in a hierarchy of named nodes.
    Gltf,
    /// COLLADA 1.4 or 1.5: polygons in a hierarchy of named nodes, XML.
    Collada,
}

/// File name extensions of the formats that are read.
const READ: [(&str, Format); 6] = [
    ("obj", Format::Obj),
    ("stl", Format::Stl),
    ("ply", Format::Ply),
    ("gltf", Format::Gltf),
    ("glb", Format::Gltf),
    ("dae", Format::Collada),
];

/// CAD formats: exact surfaces, which a CAD kernel has to tessellate first.
const CAD: [&str; 23] = [
    "step",
    "stp",
    "p21",
    "stpz",
    "iges",
    "igs",
    "brep",
    "brp",
    "sat",
    "sab",
    "x_t",
    "x_b",
    "jt",
    "3dm",
    "3dxml",
    "catpart",
    "catproduct",
    "sldprt",
    "sldasm",
    "prt",
    "ipt",
    "iam",
    "fcstd",
];

/// Mesh and scene formats that other programs convert.
const OTHER_MESHES: [&str; 13] =
    ["3mf", "amf", "fbx", "3ds", "blend", "off", "wrl", "x3d", "usd", "usda", "usdc", "usdz", "vtk"];

const CAD_ADVICE: &str = "CAD surfaces are not read; export the part as glTF, OBJ or STL from the CAD system, or \
    convert it in FreeCAD (Mesh workbench) or with Open CASCADE's DRAWEXE, choosing a deflection (largest distance \
    between surface and triangles) well below the clearances that matter";

impl fmt::Display for Format {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Format::Obj => "OBJ",
            Format::Stl => "STL",
            Format::Ply => "PLY",
            Format::Gltf => "glTF",
            Format::Collada => "COLLADA",
        })
    }
}

impl Format {
    /// The format that a file's name says; for the formats that are not read the error says how to convert them.
    pub fn from_path(path: &Path) -> Result<Format, FileError> {
        let extension = path.extension().map(|e| e.to_string_lossy().to_lowercase()).unwrap_or_default();
        if let Some(&(_, format)) = READ.iter().find(|(known, _)| *known == extension) {
            return Ok(format);
        }
        let shown_extension = quote(format!(".{extension}").as_bytes());
        let problem = if extension.is_empty() {
            "the name has no extension to tell the format by; read are .obj, .stl, .ply, .gltf, .glb and .dae"
                .to_owned()
        } else if CAD.contains(&extension.as_str()) {
            format!("{shown_extension}: {CAD_ADVICE}")
        } else if OTHER_MESHES.contains(&extension.as_str()) {
            format!(
                "{shown_extension} is not read; convert the file to .glb, .obj, .ply or .stl, for instance in Blender \
                 or MeshLab"
            )
        } else {
            format!(
                "{shown_extension} is not a known format; read are .obj, .stl, .ply, .gltf, .glb and .dae"
            )
        };
        Err(FileError::Format { file: shown(path), problem })
    }

    /// Refuses content that is clearly of another format than this one.
    pub(super) fn check_content(self, bytes: &[u8], file: &str) -> Result<(), FileError> {
        let fail = |problem: String| Err(FileError::Format { file: file.to_owned(), problem });
        if bytes.is_empty() {
            return fail("the file is empty".to_owned());
        }
        // A binary STL may begin with any 80 bytes; its length gives it away, and that outranks its beginning.
        let found =
            if stl_read::has_length_of_binary(bytes) { Content::Read(Format::Stl) } else { sniff(bytes) };
        match found {
            Content::Read(found) if found != self => fail(format!(
                "said to be {self}, but the content is {found}; rename the file or state that format"
            )),
            Content::Cad(name) => fail(format!("the content is {name}: {CAD_ADVICE}")),
            Content::Packed(name) => fail(format!("the content is compressed ({name}); unpack it first")),
            Content::Utf16 => fail("the text is UTF-16; save it as UTF-8 or ASCII".to_owned()),
            Content::Read(_) | Content::Unknown => Ok(()),
        }
    }
}

/// What a file's first bytes tell.
enum Content {
    Read(Format),
    Cad(&'static str),
    Packed(&'static str),
    Utf16,
    Unknown,
}

fn sniff(bytes: &[u8]) -> Content {
    let text = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes).trim_ascii_start();
    let first_word = text.split(u8::is_ascii_whitespace).next().unwrap_or_default();
    match bytes {
        [0x1f, 0x8b, ..] => return Content::Packed("gzip"),
        [b'P', b'K', 3, 4, ..] => return Content::Packed("zip"),
        [0xff, 0xfe, ..] | [0xfe, 0xff, ..] => return Content::Utf16,
        _ => {}
    }
    match first_word {
        b"ply" => Content::Read(Format::Ply),
        b"solid" => Content::Read(Format::Stl),
        _ if bytes.starts_with(b"glTF") || text.starts_with(b"{") => Content::Read(Format::Gltf),
        _ if text.starts_with(b"<") && is_collada(text) => Content::Read(Format::Collada),
        _ if text.starts_with(b"ISO-10303-21") => Content::Cad("STEP"),
        _ => Content::Unknown,
    }
}

/// Whether the root element is COLLADA's; a declaration and comments may stand before it.
fn is_collada(text: &[u8]) -> bool {
    const HEAD_BYTES: usize = 4096;
    let name = b"<COLLADA";
    text[..text.len().min(HEAD_BYTES)].windows(name.len()).any(|window| window == name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_extension_decides_in_any_case() {
        for (name, format) in [("a.OBJ", Format::Obj), ("b.x.stl", Format::Stl), ("c.GlB", Format::Gltf)] {
            assert_eq!(Format::from_path(Path::new(name)).unwrap(), format);
        }
    }

    #[test]
    fn a_format_that_is_not_read_says_how_to_convert() {
        let message = |name: &str| Format::from_path(Path::new(name)).unwrap_err().to_string();
        assert!(message("part.STEP").contains("FreeCAD") && message("part.igs").contains("deflection"));
        assert!(message("part.fbx").contains("Blender"));
        assert!(message("part.txt").contains(".obj, .stl, .ply, .gltf, .glb and .dae"));
        assert!(message("part").contains("no extension"));
    }

    #[test]
    fn content_that_contradicts_the_format_is_named() {
        let message =
            |format: Format, bytes: &[u8]| format.check_content(bytes, "x").unwrap_err().to_string();
        assert!(message(Format::Obj, b"ply\nformat ascii 1.0\n").contains("the content is PLY"));
        assert!(message(Format::Stl, b"  {\"asset\":{}}").contains("the content is glTF"));
        assert!(message(Format::Ply, b"solid x\n").contains("the content is STL"));
        assert!(message(Format::Obj, &[0; 84]).contains("the content is STL"));
        assert!(message(Format::Obj, b"<?xml version='1.0'?>\n<COLLADA>").contains("the content is COLLADA"));
        assert!(message(Format::Obj, b"ISO-10303-21;\n").contains("STEP"));
        assert!(message(Format::Ply, b"\x1f\x8b\x08").contains("gzip"));
        assert!(message(Format::Obj, b"\xff\xfev\0").contains("UTF-16"));
        assert!(message(Format::Obj, b"").contains("empty"));
    }

    #[test]
    fn a_binary_stl_may_begin_like_another_format() {
        let mut bytes = vec![b' '; 84];
        bytes[..4].copy_from_slice(b"ply ");
        bytes[80..].fill(0);
        assert!(Format::Stl.check_content(&bytes, "x").is_ok());
    }
}
