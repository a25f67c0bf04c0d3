//! glTF 2.0: accessors, primitives, scenes and buffers, on documents written by hand.

use crate::common::read;
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use glam::DVec3;
use prall_geometry::files::{Format, Model, ReadOptions, read_model};
use serde_json::{Value, json};

fn model(document: &Value) -> Model {
    read(document.to_string().as_bytes(), Format::Gltf).unwrap()
}

fn error(document: &Value) -> String {
    read(document.to_string().as_bytes(), Format::Gltf).unwrap_err()
}

fn assert_error(document: &Value, expected: &str) {
    let message = error(document);
    assert!(message.contains(expected), "{message}\nlacks\n{expected}");
    assert!(!message.contains('\n'));
}

fn data_uri(bytes: &[u8]) -> String {
    format!("data:application/octet-stream;base64,{}", STANDARD.encode(bytes))
}

/// Five points in a plane as floats (60 bytes), then the indices 0 to 4 as u8, u16 and u32 from 60, 68 and 80 on.
fn numbers() -> Vec<u8> {
    let points = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [1.0, 1.0, 0.0], [0.0, 2.0, 0.0_f32]];
    let mut bytes: Vec<u8> = points.iter().flatten().flat_map(|c| c.to_le_bytes()).collect();
    bytes.extend([0, 1, 2, 3, 4, 0, 0, 0]);
    bytes.extend((0..5_u16).flat_map(u16::to_le_bytes));
    bytes.extend([0; 2]);
    bytes.extend((0..5_u32).flat_map(u32::to_le_bytes));
    bytes
}

/// One node with one mesh: accessor 0 has the points, 1 the indices.
fn document() -> Value {
    let bytes = numbers();
    json!({
        "asset": { "version": "2.0" },
        "scene": 0,
        "scenes": [{ "nodes": [0] }],
        "nodes": [{ "name": "part", "mesh": 0 }],
        "meshes": [{ "primitives": [{ "attributes": { "POSITION": 0 }, "indices": 1, "mode": 4 }] }],
        "accessors": [
            { "bufferView": 0, "componentType": 5126, "count": 5, "type": "VEC3" },
            { "bufferView": 0, "byteOffset": 60, "componentType": 5121, "count": 3, "type": "SCALAR" }
        ],
        "bufferViews": [{ "buffer": 0, "byteLength": bytes.len() }],
        "buffers": [{ "byteLength": bytes.len(), "uri": data_uri(&bytes) }]
    })
}

/// The document with some of its items replaced, by JSON pointer.
fn changed(changes: &[(&str, Value)]) -> Value {
    let mut document = document();
    for (pointer, value) in changes {
        let (parent, field) = pointer.rsplit_once('/').unwrap();
        let parent = document.pointer_mut(parent).unwrap();
        match field.parse::<usize>() {
            Ok(index) => parent[index] = value.clone(),
            Err(_) => parent[field] = value.clone(),
        }
    }
    document
}

fn corners(model: &Model) -> Vec<Vec<u32>> {
    model.soups()[0].faces().map(<[u32]>::to_vec).collect()
}

#[test]
fn indices_of_every_width_are_the_same() {
    let expected = model(&document());
    assert_eq!(corners(&expected), [[0, 1, 2]]);
    for (component, offset) in [(5121, 60), (5123, 68), (5125, 80)] {
        let accessor = json!({
            "bufferView": 0, "byteOffset": offset, "componentType": component, "count": 3, "type": "SCALAR"
        });
        assert_eq!(model(&changed(&[("/accessors/1", accessor)])), expected);
    }
}

#[test]
fn lists_strips_and_fans_wind_as_the_format_says() {
    let with = |mode: u32, count: usize| {
        model(&changed(&[("/meshes/0/primitives/0/mode", json!(mode)), ("/accessors/1/count", json!(count))]))
    };
    assert_eq!(corners(&with(4, 3)), [[0, 1, 2]]);
    assert_eq!(corners(&with(5, 5)), [[0, 1, 2], [1, 3, 2], [2, 3, 4]]);
    assert_eq!(corners(&with(6, 5)), [[1, 2, 0], [2, 3, 0], [3, 4, 0]]);
}

#[test]
fn without_indices_the_vertices_come_in_order() {
    let document = changed(&[
        ("/meshes/0/primitives/0", json!({ "attributes": { "POSITION": 0 } })),
        ("/accessors/0/count", json!(3)),
    ]);
    assert_eq!(corners(&model(&document)), [[0, 1, 2]]);
}

#[test]
fn glue_between_strips_is_no_face() {
    let bytes: Vec<u8> = [0_u8, 1, 2, 2, 3, 3, 4, 1].to_vec();
    let document = changed(&[
        ("/meshes/0/primitives/0/mode", json!(5)),
        ("/accessors/1", json!({ "bufferView": 1, "componentType": 5121, "count": 8, "type": "SCALAR" })),
        ("/bufferViews", json!([{ "buffer": 0, "byteLength": 60 }, { "buffer": 1, "byteLength": 8 }])),
        ("/buffers/0/byteLength", json!(60)),
    ]);
    let mut document = document;
    document["buffers"].as_array_mut().unwrap().push(json!({ "byteLength": 8, "uri": data_uri(&bytes) }));
    // The triangle 3 4 1 is the sixth, and every second one is turned.
    assert_eq!(corners(&model(&document)), [[0, 1, 2], [3, 1, 4]]);
}

#[test]
fn sparse_elements_replace_those_of_the_base() {
    // Vertex 1 becomes (1, 1, 0): index 1 stands at byte 61, the value at bytes 36 to 48.
    let sparse = json!({
        "count": 1,
        "indices": { "bufferView": 0, "byteOffset": 61, "componentType": 5121 },
        "values": { "bufferView": 0, "byteOffset": 36 }
    });
    let document = changed(&[("/accessors/0/sparse", sparse.clone())]);
    assert_eq!(model(&document).soups()[0].positions(), &[DVec3::ZERO, DVec3::new(1.0, 1.0, 0.0), DVec3::Y]);
    // Without a base all others are zero.
    let zeros = json!({ "componentType": 5126, "count": 5, "type": "VEC3", "sparse": sparse });
    let document = changed(&[("/accessors/0", zeros)]);
    assert_eq!(
        model(&document).soups()[0].positions(),
        &[DVec3::ZERO, DVec3::new(1.0, 1.0, 0.0), DVec3::ZERO]
    );
}

#[test]
fn sparse_indices_must_increase_and_exist() {
    let sparse = |offset: usize, count: usize| {
        let sparse = json!({
            "count": count,
            "indices": { "bufferView": 0, "byteOffset": offset, "componentType": 5121 },
            "values": { "bufferView": 0 }
        });
        changed(&[("/accessors/0/sparse", sparse)])
    };
    assert_error(&sparse(65, 2), "accessors[0].sparse: index 0 at 1 is not above");
    assert_error(&sparse(60, 6), "accessors[0].sparse: needs a count");
}

#[test]
fn strides_and_small_integers_are_read() {
    // Bytes 60 to 67 are 0 1 2 3 4 0 0 0: two positions of three bytes, four apart, and 0 for the third.
    let document = changed(&[
        (
            "/accessors/0",
            json!({
                "bufferView": 1, "componentType": 5121, "count": 3, "type": "VEC3", "normalized": true
            }),
        ),
        (
            "/bufferViews",
            json!([{ "buffer": 0, "byteLength": 100 }, { "buffer": 0, "byteOffset": 60, "byteLength": 12, "byteStride": 4 }]),
        ),
    ]);
    let positions = model(&document).soups()[0].positions().to_vec();
    assert_eq!(positions[0], DVec3::new(0.0, 1.0, 2.0) / 255.0);
    assert_eq!(positions[1], DVec3::new(4.0, 0.0, 0.0) / 255.0);
}

#[test]
fn nodes_keep_names_hierarchy_and_transforms() {
    // A quarter turn about z in exact numbers would not be; a half turn about x is.
    let document = changed(&[(
        "/nodes",
        json!([
            { "name": "root", "children": [2, 1], "translation": [1, 2, 3] },
            { "name": "second", "mesh": 0, "rotation": [1, 0, 0, 0], "scale": [2, 2, 2] },
            { "name": "first", "mesh": 0, "matrix": [1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 5, 6, 7, 1] },
            { "name": "in no scene", "mesh": 0 }
        ]),
    )]);
    let model = model(&document);
    let nodes: Vec<_> = model.nodes().iter().map(|n| (n.name.as_str(), n.parent, n.soups.clone())).collect();
    assert_eq!(nodes, [("root", None, vec![]), ("first", Some(0), vec![0]), ("second", Some(0), vec![0])]);
    let at = |node: usize, p: DVec3| model.world_transform(node).transform_point3(p);
    assert_eq!(at(1, DVec3::ZERO), DVec3::new(6.0, 8.0, 10.0));
    assert_eq!(at(2, DVec3::Y), DVec3::new(1.0, 0.0, 3.0));
}

#[test]
fn the_scene_decides_which_nodes_are_there() {
    let nodes = json!([{ "name": "a", "mesh": 0 }, { "name": "b", "mesh": 0 }]);
    let names = |changes: &[(&str, Value)]| {
        let mut document = changed(changes);
        document["nodes"] = nodes.clone();
        model(&document).nodes().iter().map(|node| node.name.clone()).collect::<Vec<_>>()
    };
    let scenes = json!([{ "nodes": [0] }, { "nodes": [1] }]);
    assert_eq!(names(&[("/scenes", scenes.clone()), ("/scene", json!(1))]), ["b"]);
    assert_eq!(names(&[("/scenes", scenes.clone()), ("/scene", Value::Null)]), ["a"]);
    assert_eq!(names(&[("/scenes", json!([])), ("/scene", Value::Null)]), ["a", "b"]);
    assert_error(&changed(&[("/scene", json!(7))]), "scene: names scenes[7], but there are only 1");
}

#[test]
fn broken_hierarchies_are_errors() {
    let nodes = |nodes: Value| changed(&[("/nodes", nodes)]);
    assert_error(
        &nodes(json!([{ "mesh": 0 }, { "children": [2] }, { "children": [1] }])),
        "its own ancestor",
    );
    assert_error(&nodes(json!([{ "children": [0] }])), "nodes[0]: the node is its own ancestor");
    assert_error(&nodes(json!([{ "children": [2] }, { "children": [2] }, {}])), "nodes[2]: has two parents");
    assert_error(&nodes(json!([{ "children": [9] }])), "nodes[0].children: names nodes[9]");
    let scene = changed(&[("/nodes", json!([{ "mesh": 0 }, { "children": [0] }]))]);
    assert_error(&scene, "scenes[0]: nodes[0] is not a root");
    assert_error(&changed(&[("/scenes/0/nodes", json!([0, 0]))]), "listed twice");
    assert_error(&nodes(json!([{ "mesh": 4 }])), "nodes[0]: names meshes[4]");
    assert_error(
        &nodes(json!([{ "mesh": 0, "rotation": [0, 0, 0, 0] }])),
        "nodes[0]: the rotation is not a unit",
    );
    assert_error(
        &nodes(json!([{ "mesh": 0, "matrix": [1, 0, 0, 1, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1] }])),
        "nodes[0]: the last row",
    );
}

#[test]
fn a_chain_of_many_nodes_needs_no_deep_stack() {
    let count = 50_000;
    let mut nodes: Vec<Value> = (1..count).map(|child| json!({ "children": [child] })).collect();
    nodes.push(json!({ "mesh": 0, "translation": [0, 0, 1] }));
    let model = model(&changed(&[("/nodes", json!(nodes))]));
    assert_eq!(model.nodes().len(), count);
    assert_eq!(model.flattened().unwrap().positions()[0], DVec3::Z);
}

#[test]
fn deeply_nested_json_is_an_error_or_passed_over() {
    let deep = format!("{{\"asset\":{}{}", "[".repeat(100_000), "]".repeat(100_000));
    assert!(read(deep.as_bytes(), Format::Gltf).unwrap_err().contains("JSON line 1"));
    let mut extras = document().to_string();
    extras.insert_str(1, &format!("\"extras\":{}{},", "[".repeat(100_000), "]".repeat(100_000)));
    // Either is fine; what counts is that it comes back.
    if let Err(message) = read(extras.as_bytes(), Format::Gltf) {
        assert!(message.contains("JSON line 1"), "{message}");
    }
}

#[test]
fn compressed_geometry_is_named() {
    for name in ["KHR_draco_mesh_compression", "EXT_meshopt_compression"] {
        assert_error(&changed(&[("/extensionsRequired", json!([name]))]), name);
    }
    let draco = changed(&[
        ("/meshes/0/primitives/0/extensions", json!({ "KHR_draco_mesh_compression": { "bufferView": 0 } })),
        ("/accessors/0", json!({ "componentType": 5126, "count": 5, "type": "VEC3" })),
    ]);
    assert_error(&draco, "KHR_draco_mesh_compression");
    let meshopt = changed(&[
        ("/bufferViews/0/extensions", json!({ "EXT_meshopt_compression": { "buffer": 1 } })),
        ("/buffers/0", json!({ "byteLength": 100 })),
    ]);
    assert_error(&meshopt, "EXT_meshopt_compression");
    assert_error(&changed(&[("/extensionsRequired", json!(["VENDOR_unknown"]))]), "VENDOR_unknown");
    let instances = json!({ "EXT_mesh_gpu_instancing": {} });
    assert_error(&changed(&[("/nodes/0/extensions", instances)]), "EXT_mesh_gpu_instancing");
    model(&changed(&[("/extensionsRequired", json!(["KHR_materials_unlit", "KHR_mesh_quantization"]))]));
}

#[test]
fn accessors_that_do_not_fit_are_named() {
    let accessor = |field: &str, value: Value| changed(&[(&format!("/accessors/0/{field}"), value)]);
    assert_error(&accessor("count", json!(u64::MAX)), "accessors[0]: a count of 18446744073709551615");
    assert_error(
        &accessor("count", json!(1000)),
        "accessors[0]: 1000 elements of 12 bytes from byte 0 on do not fit",
    );
    assert_error(&accessor("byteOffset", json!(u64::MAX)), "accessors[0]: 5 elements");
    assert_error(&accessor("bufferView", json!(9)), "accessors[0]: names bufferViews[9]");
    assert_error(&accessor("type", json!("MAT4")), "accessors[0]: positions must be VEC3");
    assert_error(&accessor("componentType", json!(1)), "accessors[0]: componentType 1");
    assert_error(&accessor("count", json!(-1)), "JSON line 1, column");
    assert_error(
        &accessor("count", json!(2)),
        "meshes[0].primitives[0]: index 2 names vertex 2, but there are 2",
    );
    let view = |field: &str, value: Value| changed(&[(&format!("/bufferViews/0/{field}"), value)]);
    assert_error(&view("byteLength", json!(u64::MAX)), "bufferViews[0]: 18446744073709551615 bytes");
    assert_error(&view("byteOffset", json!(u64::MAX)), "bufferViews[0]");
    assert_error(&view("byteStride", json!(4)), "bufferViews[0]: a byteStride of 4");
    assert_error(&view("buffer", json!(3)), "bufferViews[0]: names buffers[3]");
    assert_error(&changed(&[("/buffers/0/byteLength", json!(1000))]), "buffers[0]: has 100 bytes");
    assert_error(&changed(&[("/meshes/0/primitives/0/mode", json!(9))]), "meshes[0].primitives[0]: mode 9");
    assert_error(&changed(&[("/accessors/1/count", json!(4))]), "meshes[0].primitives[0]: 4 corners");
    assert_error(&changed(&[("/asset/version", json!("1.0"))]), "asset.version: glTF version \"1.0\"");
}

#[test]
fn coordinates_that_are_not_finite_are_named() {
    let mut bytes = numbers();
    bytes[12..16].copy_from_slice(&f32::NAN.to_le_bytes());
    let document = changed(&[("/buffers/0/uri", json!(data_uri(&bytes)))]);
    assert_error(&document, "meshes[0].primitives[0]: vertex 1 has a coordinate that is not a finite number");
}

#[test]
fn a_small_file_cannot_describe_a_huge_mesh() {
    // Zero-filled accessors need no bytes.
    let zeros = changed(&[
        ("/meshes/0/primitives/0", json!({ "attributes": { "POSITION": 0 } })),
        ("/accessors/0", json!({ "componentType": 5126, "count": 3_000_000_000_u64, "type": "VEC3" })),
    ]);
    assert_error(&zeros, "larger than the whole file");
    // Many meshes over the same bytes, each with an accessor of its own.
    let count = 400;
    let bytes = vec![0_u8; 30_000];
    let mut document = document();
    document["accessors"] = (0..count)
        .map(|_| json!({ "bufferView": 0, "componentType": 5126, "count": 2500, "type": "VEC3" }))
        .chain([json!({ "bufferView": 0, "componentType": 5121, "count": 30_000, "type": "SCALAR" })])
        .collect();
    document["meshes"] = (0..count)
        .map(|i| json!({ "primitives": [{ "attributes": { "POSITION": i }, "indices": count }] }))
        .collect();
    document["nodes"] = (0..count).map(|i| json!({ "mesh": i })).collect();
    document["scenes"] = json!([]);
    document["scene"] = Value::Null;
    document["bufferViews"] = json!([{ "buffer": 0, "byteLength": bytes.len() }]);
    document["buffers"] = json!([{ "byteLength": bytes.len(), "uri": data_uri(&bytes) }]);
    assert_error(&document, "larger than the whole file");
}

#[test]
fn meshes_with_equal_content_share_a_soup() {
    let mut document = document();
    let mesh = document["meshes"][0].clone();
    document["meshes"] = json!([mesh, mesh]);
    document["nodes"] = json!([{ "mesh": 0, "children": [1] }, { "mesh": 1 }]);
    let model = model(&document);
    assert_eq!((model.soups().len(), model.nodes().len()), (1, 2));
}

#[test]
fn files_beside_the_document_are_read_and_no_others() {
    let root = std::env::temp_dir().join(format!("prall-gltf-{}", std::process::id()));
    let inside = root.join("inside");
    std::fs::create_dir_all(inside.join("sub")).unwrap();
    std::fs::write(root.join("outside.bin"), numbers()).unwrap();
    std::fs::write(inside.join("sub/my numbers.bin"), numbers()).unwrap();
    let read_with = |uri: &str| {
        let path = inside.join("part.gltf");
        std::fs::write(&path, changed(&[("/buffers/0/uri", json!(uri))]).to_string()).unwrap();
        read_model(&path, &ReadOptions::default()).map_err(|error| error.to_string())
    };
    assert_eq!(read_with("sub/my%20numbers.bin").unwrap(), model(&document()));
    let absolute = root.join("outside.bin");
    for outside in
        ["../outside.bin", absolute.to_str().unwrap(), "sub/../../outside.bin", "file:///outside.bin", "sub"]
    {
        let message = read_with(outside).unwrap_err();
        assert!(
            message.contains("buffers[0]") && message.contains("is not a file in the directory"),
            "{message}"
        );
    }
    assert!(read_with("missing.bin").unwrap_err().contains("\"missing.bin\" cannot be read"));
    #[cfg(unix)]
    {
        std::os::unix::fs::symlink(&absolute, inside.join("link.bin")).unwrap();
        assert!(read_with("link.bin").unwrap_err().contains("is not a file in the directory"));
    }
    std::fs::remove_dir_all(&root).unwrap();
    let from_memory = changed(&[("/buffers/0/uri", json!("a.bin"))]);
    assert_error(&from_memory, "buffers[0]: lies in another file, \"a.bin\"");
}

#[test]
fn old_and_compressed_files_are_named_with_how_to_convert_them() {
    let message = |text: &str| read(text.as_bytes(), Format::Gltf).unwrap_err();
    let old = message(
        r#"{"asset":{"version":"1.0"},"nodes":{"n":{"meshes":["m"]}},"meshes":{"m":{"primitives":[]}}}"#,
    );
    assert!(old.contains("glTF version \"1.0\"") && old.contains("gltf-pipeline"), "{old}");
    let nameless = message(r#"{"meshes":{"m":{"primitives":[]}}}"#);
    assert!(nameless.contains("glTF version \"1.0\""), "{nameless}");
    for extension in ["KHR_draco_mesh_compression", "EXT_meshopt_compression"] {
        let text = format!(r#"{{"asset":{{"version":"2.0"}},"extensionsRequired":["{extension}"]}}"#);
        let packed = message(&text);
        assert!(packed.contains(extension) && packed.contains("gltf-transform"), "{packed}");
    }
}
