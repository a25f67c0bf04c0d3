//! COLLADA: faces of every kind, places by every transform, unit and up axis, instances, and files made to hurt.

use glam::DVec3;
use prall_geometry::files::{Format, Model, ReadOptions, UpAxis, read_model_from_bytes};

use crate::common::read;

/// Every kind of face, an instanced node, a skin, millimetres, z up.
pub(crate) const SAMPLE: &str = r##"<?xml version="1.0" encoding="utf-8"?>
<!-- a robot's link -->
<COLLADA xmlns="http://www.collada.org/2005/11/COLLADASchema" version="1.4.1">
<asset><unit name="millimeter" meter="0.001"/><up_axis>Z_UP</up_axis></asset>
<library_geometries><geometry id="g" name="plate"><mesh>
<source id="s"><float_array id="f" count="15">0 0 0  1000 0 0  1000 1000 0  0 1000 0  500 500 1000</float_array>
<technique_common><accessor source="#f" count="5" stride="3"><param name="X"/><param name="Y"/><param name="Z"/></accessor></technique_common></source>
<vertices id="v"><input semantic="POSITION" source="#s"/></vertices>
<polylist count="2"><input semantic="VERTEX" source="#v" offset="0"/><input semantic="NORMAL" source="#n" offset="1"/><vcount>4 3</vcount><p>3 0 2 0 1 0 0 0 0 1 1 1 4 1</p></polylist>
<triangles count="1"><input semantic="VERTEX" source="#v" offset="0"/><p>1 2 4</p></triangles>
<polygons count="1"><input semantic="VERTEX" source="#v" offset="0"/><p>2 3 4</p></polygons>
<tristrips count="1"><input semantic="VERTEX" source="#v" offset="0"/><p>3 0 4</p></tristrips>
<lines count="1"><input semantic="VERTEX" source="#v" offset="0"/><p>0 1</p></lines>
</mesh></geometry></library_geometries>
<library_controllers><controller id="c"><skin source="#g"><bind_shape_matrix>1 0 0 0 0 1 0 0 0 0 1 500 0 0 0 1</bind_shape_matrix></skin></controller></library_controllers>
<library_nodes><node id="arm" name="arm"><translate>0 0 1000</translate><instance_geometry url="#g"/></node></library_nodes>
<library_visual_scenes><visual_scene id="vs">
<node id="base"><translate sid="t">2000 0 0</translate><rotate>0 0 1 90</rotate><scale>1 2 1</scale><instance_geometry url="#g"/><instance_node url="#arm"/></node>
<node id="skinned"><matrix>1 0 0 10 0 1 0 20 0 0 1 30 0 0 0 1</matrix><instance_controller url="#c"/></node>
<node name="camera"><lookat>0 0 9 0 0 0 0 1 0</lookat></node>
</visual_scene></library_visual_scenes>
<scene><instance_visual_scene url="#vs"/></scene>
</COLLADA>
"##;

fn corner(model: &Model, part: usize, vertex: usize) -> DVec3 {
    model.parts().nth(part).unwrap().unwrap().soup.positions()[vertex]
}

fn near(found: DVec3, wanted: DVec3) {
    // The quarter turn and the unit round once each; metres.
    assert!(found.distance(wanted) < 1e-12, "{found} instead of {wanted}");
}

#[test]
fn faces_transforms_unit_and_axis_are_read() {
    let model = read(SAMPLE.as_bytes(), Format::Collada).unwrap();
    assert_eq!(model.soups().len(), 1, "three places share one soup");
    let names: Vec<String> = model.parts().map(|part| part.unwrap().name.to_owned()).collect();
    assert_eq!(names, ["base", "arm", "plate"]);
    let faces: Vec<&[u32]> = model.soups()[0].faces().collect();
    assert_eq!(faces, [&[3, 2, 1, 0][..], &[0, 1, 4], &[1, 2, 4], &[2, 3, 4], &[3, 0, 4]]);
    // By hand: (x, y, z) mm -> scaled (x, 2 y, z) -> turned (-2 y, x, z) -> shifted by 2 m -> z up becomes y up.
    near(corner(&model, 0, 2), DVec3::new(0.0, 0.0, -1.0));
    near(corner(&model, 0, 4), DVec3::new(1.0, 1.0, -0.5));
    near(corner(&model, 1, 4), DVec3::new(1.0, 2.0, -0.5));
    near(corner(&model, 2, 1), DVec3::new(1.01, 0.53, -0.02));
}

/// ROS reads the meshes of robots without their up axis; the unit counts all the same.
#[test]
fn axes_as_written_are_not_turned() {
    let options = ReadOptions { up: UpAxis::AsWritten, ..ReadOptions::default() };
    let model = read_model_from_bytes(SAMPLE.as_bytes(), Format::Collada, &options).unwrap();
    near(corner(&model, 2, 1), DVec3::new(1.01, 0.02, 0.53));
    let sideways = SAMPLE.replace("Z_UP", "X_UP");
    let model = read(sideways.as_bytes(), Format::Collada).unwrap();
    near(corner(&model, 2, 1), DVec3::new(-0.02, 1.01, 0.53));
    let model = read(SAMPLE.replace("Z_UP", "Y_UP").as_bytes(), Format::Collada).unwrap();
    near(corner(&model, 2, 1), DVec3::new(1.01, 0.02, 0.53));
}

#[test]
fn mistakes_are_named_with_line_and_column() {
    let cases = [
        (
            "500 500 1000<",
            "500 5x0 1000<",
            "line 6, column 16: \"5x0\" in <float_array> is not a finite number",
        ),
        ("500 500 1000<", "500 nan 1000<", "\"nan\" in <float_array>"),
        ("<p>1 2 4</p>", "<p>1 2 5</p>", "names vertex 5, but there are only 5"),
        ("<p>1 2 4</p>", "<p>1 2</p>", "line 10, column 71: 2 corners make no whole number of triangles"),
        ("<vcount>4 3<", "<vcount>4 9<", "a face of 9 corners, but only 3 are left"),
        ("<vcount>4 3<", "<vcount>4 4294967295<", "a face of 4294967295 corners"),
        ("meter=\"0.001\"", "meter=\"1e300\"", "a unit of \"1e300\" metres"),
        ("Z_UP", "W_UP", "X_UP, Y_UP or Z_UP"),
        ("url=\"#arm\"", "url=\"#leg\"", "names \"leg\", but no <node> has that id"),
        ("url=\"#arm\"", "url=\"other.dae#arm\"", "lies in another file"),
        ("<p>2 3 4</p>", "<ph><p>2 3 4</p><h>0 1 2</h></ph>", "polygon with holes"),
        ("2000 0 0</translate>", "2000 0</translate>", "<translate> holds 2 numbers, but needs 3"),
        ("</asset>", "", "the XML is broken"),
        ("COLLADA version", "COLLADA <", "the XML is broken"),
    ];
    for (from, to, expected) in cases {
        let text = SAMPLE.replacen(
            "COLLADA xmlns=\"http://www.collada.org/2005/11/COLLADASchema\" version",
            "COLLADA version",
            1,
        );
        let message = read(text.replacen(from, to, 1).as_bytes(), Format::Collada).unwrap_err();
        assert!(message.contains(expected), "{to}: {message}");
    }
}

/// Each node instances the next one twice: thirty nodes would become a thousand million.
#[test]
fn instances_of_instances_do_not_multiply_without_end() {
    let node = |at: usize| {
        let below = format!("<instance_node url=\"#n{}\"/>", at + 1).repeat(2);
        format!("<node id=\"n{at}\">{below}</node>")
    };
    let nodes: String = (0..30).map(node).collect();
    let text = format!(
        "<COLLADA><library_nodes>{nodes}<node id=\"n30\"/></library_nodes><library_visual_scenes><visual_scene>\
         <node><instance_node url=\"#n0\"/></node></visual_scene></library_visual_scenes></COLLADA>"
    );
    assert!(read(text.as_bytes(), Format::Collada).unwrap_err().contains("instances of instances"));
    let circle = text.replace("#n1\"", "#n0\"");
    let message = read(circle.as_bytes(), Format::Collada).unwrap_err();
    assert!(message.contains("in a circle") || message.contains("instances of instances"), "{message}");
}

#[test]
fn elements_nested_without_end_do_not_overflow_the_stack() {
    let deep = format!("<COLLADA>{}{}</COLLADA>", "<node>".repeat(200_000), "</node>".repeat(200_000));
    let message = read(deep.as_bytes(), Format::Collada).unwrap_err();
    assert!(message.contains("nested more than 200 deep"), "{message}");
}
