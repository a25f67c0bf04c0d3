//! Wavefront OBJ: polygons in objects and groups.
//!
//! Read are `v`, `f` (with texture and normal indices, which are passed over), `o` and `g`. Every `o` is a node, every
//! `g` a node below its object; a group taken up again within its object goes on where it stopped. A node comes into
//! being with its first face. Looks (`vt`, `vn`, `s`, `usemtl`, ...), points and lines are passed over: they bound
//! nothing. Free-form surfaces are an error, since without them the part would have holes, and so is any statement
//! that OBJ does not know.

use std::collections::HashMap;

use glam::{DAffine3, DVec3};

use super::error::{Malformed, Place, quote};
use super::gather::Gather;
use super::model::{Model, Node};
use super::options::Conversion;
use super::text::{Words, integer, name, number};

/// Statements that say nothing about faces.
const PASSED_OVER: [&[u8]; 16] = [
    b"vt",
    b"vn",
    b"s",
    b"usemtl",
    b"mtllib",
    b"l",
    b"p",
    b"mg",
    b"bevel",
    b"c_interp",
    b"d_interp",
    b"lod",
    b"usemap",
    b"maplib",
    b"shadow_obj",
    b"trace_obj",
];

/// Statements of free-form curves and surfaces, current and superseded.
const FREE_FORM: [&[u8]; 20] = [
    b"vp", b"cstype", b"deg", b"bmat", b"step", b"curv", b"curv2", b"surf", b"parm", b"trim", b"hole",
    b"scrv", b"sp", b"end", b"con", b"bzp", b"bsp", b"cdc", b"cdp", b"res",
];

pub(super) fn read(bytes: &[u8], conversion: &Conversion) -> Result<Model, Malformed> {
    let mut words = Words::new(bytes);
    let mut draft = Draft::default();
    loop {
        if let Some(keyword) = next_word(&mut words) {
            statement(keyword, &mut words, &mut draft, conversion)?;
        }
        if !words.next_line() {
            break;
        }
    }
    draft.into_model()
}

fn statement<'text>(
    keyword: &[u8],
    words: &mut Words<'text>,
    draft: &mut Draft<'text>,
    conversion: &Conversion,
) -> Result<(), Malformed> {
    let line = words.line();
    match keyword {
        b"v" => {
            let (position, flawed) = vertex(words, conversion)?;
            draft.positions.push(position);
            if flawed {
                draft.flawed_colours.get_or_insert((line, 0)).1 += 1;
            }
        }
        b"f" | b"fo" => face(words, draft)?,
        b"o" => draft.open_object(words.rest_of_line()),
        b"g" => draft.open_group(words.rest_of_line()),
        _ if PASSED_OVER.contains(&keyword) => while next_word(words).is_some() {},
        _ if FREE_FORM.contains(&keyword) => {
            return Err(Malformed::line(
                line,
                format!("free-form geometry ({}) is not read; export polygons instead", quote(keyword)),
            ));
        }
        _ => return Err(Malformed::line(line, format!("{} is not an OBJ statement", quote(keyword)))),
    }
    Ok(())
}

/// The next word of a statement, which a backslash at a line's end continues and a `#` ends.
fn next_word<'text>(words: &mut Words<'text>) -> Option<&'text [u8]> {
    loop {
        let word = words.word()?;
        if word.starts_with(b"#") {
            words.rest_of_line();
            return None;
        }
        let Some(before) = word.strip_suffix(b"\\").filter(|_| words.at_line_end()) else {
            return Some(word);
        };
        words.next_line();
        if !before.is_empty() {
            return Some(before);
        }
    }
}

/// `v x y z`, then perhaps a weight (meant for free-form geometry only), then perhaps a colour. True if one of those two,
/// which are not used, is not finite.
fn vertex(words: &mut Words<'_>, conversion: &Conversion) -> Result<(DVec3, bool), Malformed> {
    let line = words.line();
    let mut values = [0.0; 7];
    let (mut count, mut flawed) = (0, false);
    while let Some(word) = next_word(words) {
        if count == values.len() {
            count += 1;
            break;
        }
        values[count] = match number(word, words.line()) {
            Err(_) if count >= 3 && is_infinite_or_nan(word) => {
                flawed = true;
                0.0
            }
            number => number?,
        };
        count += 1;
    }
    if ![3, 4, 6, 7].contains(&count) {
        let counted = if count > values.len() { "more than 7".to_owned() } else { count.to_string() };
        return Err(Malformed::line(
            line,
            format!(
                "a vertex with {counted} numbers; it has 3, then perhaps a weight, then perhaps a colour (3)"
            ),
        ));
    }
    let position = conversion.point(DVec3::new(values[0], values[1], values[2]));
    if !position.is_finite() {
        return Err(Malformed::line(line, "the coordinates are too large for the scale"));
    }
    Ok((position, flawed))
}

fn is_infinite_or_nan(word: &[u8]) -> bool {
    std::str::from_utf8(word)
        .ok()
        .and_then(|text| text.parse::<f64>().ok())
        .is_some_and(|value| !value.is_finite())
}

fn face<'text>(words: &mut Words<'text>, draft: &mut Draft<'text>) -> Result<(), Malformed> {
    let line = words.line();
    let start = draft.corners.len();
    while let Some(word) = next_word(words) {
        let corner = draft.corner(word, words.line())?;
        draft.corners.push(corner);
    }
    let count = draft.corners.len() - start;
    if count < 3 {
        return Err(Malformed::line(line, format!("a face with {count} corners; it needs at least 3")));
    }
    let Ok(start) = u32::try_from(start) else {
        return Err(Malformed::line(line, "more face corners than 32-bit indices can count; split the file"));
    };
    let part = draft.part();
    if draft.runs.last().is_none_or(|run| run.part != part) {
        draft.runs.push(Run { part, first_face: draft.starts.len() });
    }
    draft.starts.push(start);
    Ok(())
}

/// What has been read so far.
#[derive(Default)]
struct Draft<'text> {
    positions: Vec<DVec3>,
    /// Corners of all faces, as indices into `positions` from 0.
    corners: Vec<u32>,
    /// Where each face begins in `corners`.
    starts: Vec<u32>,
    /// Stretches of faces that belong to one part.
    runs: Vec<Run>,
    parts: Vec<DraftPart>,
    object: Option<&'text [u8]>,
    group: Option<&'text [u8]>,
    /// The node of the current object, once it has a face.
    object_part: Option<usize>,
    /// The node that faces go to at present.
    current: Option<usize>,
    /// The nodes of the current object's groups, by name.
    groups: HashMap<&'text [u8], usize>,
    /// The largest corner seen that names a vertex not read yet, and its line: faces may precede their vertices.
    ahead: Option<(u32, usize)>,
    /// The first line with a weight or colour that is not finite, and how many there are.
    flawed_colours: Option<(usize, usize)>,
}

struct Run {
    part: usize,
    first_face: usize,
}

struct DraftPart {
    name: String,
    parent: Option<usize>,
}

impl<'text> Draft<'text> {
    fn open_object(&mut self, name: &'text [u8]) {
        self.object = Some(name);
        self.object_part = None;
        self.group = None;
        self.groups = HashMap::new();
        self.current = None;
    }

    fn open_group(&mut self, name: &'text [u8]) {
        // The format's own name for the group of faces that are in no other.
        self.group = Some(if name.is_empty() { b"default" } else { name });
        self.current = None;
    }

    /// The node that the next face belongs to, made now if this is its first.
    fn part(&mut self) -> usize {
        if let Some(current) = self.current {
            return current;
        }
        let group = self.group;
        let current = match group.and_then(|group| self.groups.get(group)) {
            Some(&known) => known,
            None => {
                let parent = self.object.map(|object| self.object_node(object));
                match group {
                    Some(group) => {
                        self.parts.push(DraftPart { name: name(group), parent });
                        self.groups.insert(group, self.parts.len() - 1);
                        self.parts.len() - 1
                    }
                    None => parent.unwrap_or_else(|| self.object_node(b"")),
                }
            }
        };
        self.current = Some(current);
        current
    }

    fn object_node(&mut self, object: &[u8]) -> usize {
        if let Some(known) = self.object_part {
            return known;
        }
        self.parts.push(DraftPart { name: name(object), parent: None });
        self.object_part = Some(self.parts.len() - 1);
        self.parts.len() - 1
    }

    /// A corner such as `7`, `7/2`, `7//3`, `7/2/3` or `-1`, as an index from 0.
    fn corner(&mut self, word: &[u8], line: usize) -> Result<u32, Malformed> {
        let mut fields = word.split(|&b| b == b'/');
        let vertex = integer(fields.next().unwrap_or_default(), line)?;
        for (count, field) in fields.enumerate() {
            if count == 2 {
                return Err(Malformed::line(
                    line,
                    format!("{} has more than three fields; a corner is vertex/texture/normal", quote(word)),
                ));
            }
            if !field.is_empty() {
                integer(field, line)?;
            }
        }
        let known = self.positions.len();
        let index = match vertex {
            0 => None,
            1.. => u32::try_from(vertex - 1).ok().filter(|&index| index < u32::MAX),
            // -1 is the vertex read last.
            _ => (known as i64).checked_add(vertex).and_then(|index| u32::try_from(index).ok()),
        };
        let index = index.ok_or_else(|| Malformed::line(line, no_such_vertex(vertex, known)))?;
        if index as usize >= known && self.ahead.is_none_or(|(largest, _)| index > largest) {
            self.ahead = Some((index, line));
        }
        Ok(index)
    }

    fn into_model(mut self) -> Result<Model, Malformed> {
        if let Some((index, line)) = self.ahead.filter(|&(index, _)| index as usize >= self.positions.len()) {
            return Err(Malformed::line(line, no_such_vertex(i64::from(index) + 1, self.positions.len())));
        }
        let ends: Vec<usize> =
            self.runs.iter().skip(1).map(|run| run.first_face).chain([self.starts.len()]).collect();
        let mut runs: Vec<(usize, std::ops::Range<usize>)> =
            self.runs.drain(..).zip(ends).map(|(run, end)| (run.part, run.first_face..end)).collect();
        // Stable: within a part the faces stay in the order of the file.
        runs.sort_by_key(|(part, _)| *part);

        let mut model = Model::new();
        if let Some((line, count)) = self.flawed_colours {
            let what = "weight or colour that is not a finite number; neither is used";
            model.push_flaw(match count {
                1 => format!("line {line}: a vertex has a {what}"),
                _ => format!("line {line} and others: {count} vertices have a {what}"),
            });
        }
        let mut gather = Gather::default();
        let mut rest = runs.as_slice();
        for (index, part) in self.parts.into_iter().enumerate() {
            let own;
            (own, rest) = rest.split_at(rest.iter().take_while(|(part, _)| *part == index).count());
            let faces = own.iter().flat_map(|(_, faces)| faces.clone()).map(|face| {
                let end = self.starts.get(face + 1).map_or(self.corners.len(), |&end| end as usize);
                &self.corners[self.starts[face] as usize..end]
            });
            // Nothing below depends on the line any more: indices and coordinates have been checked.
            let soup = gather.soup(
                self.positions.len(),
                |vertex| Ok(self.positions[vertex as usize]),
                faces,
                &Place::Item(format!("object or group {}", quote(part.name.as_bytes()))),
            )?;
            let soups = if own.is_empty() { Vec::new() } else { vec![model.push_soup(soup)] };
            let node = Node { name: part.name, parent: part.parent, transform: DAffine3::IDENTITY, soups };
            model.push_node(node).map_err(|error| Malformed::item("groups", error.to_string()))?;
        }
        Ok(model)
    }
}

fn no_such_vertex(vertex: i64, known: usize) -> String {
    match vertex {
        0 => "corner 0: OBJ counts vertices from 1".to_owned(),
        1.. => format!("no vertex {vertex}: the file has {known}"),
        _ => format!("no vertex {vertex}: only {known} come before this line"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::files::options::ReadOptions;

    fn model(text: &str) -> Model {
        read(text.as_bytes(), &Conversion::new(&ReadOptions::default()).unwrap()).unwrap()
    }

    fn error(text: &str) -> String {
        let conversion = Conversion::new(&ReadOptions::default()).unwrap();
        let malformed = read(text.as_bytes(), &conversion).unwrap_err();
        format!("{}: {}", malformed.place, malformed.problem)
    }

    const SQUARE: &str = "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\n";

    #[test]
    fn every_form_of_a_corner_names_the_same_vertex() {
        for face in
            ["1 2 3 4", "1/1 2/2 3/3 4/4", "1//9 2//9 3//9 4//9", "1/1/1 2/2/1 3/3/1 4/4/1", "-4 -3 -2 -1"]
        {
            let model = model(&format!("{SQUARE}f {face}\n"));
            assert_eq!(model.soups()[0].face(0), &[0, 1, 2, 3], "{face}");
        }
    }

    #[test]
    fn comments_continuations_and_line_ends_do_not_matter() {
        let plain = model(&format!("{SQUARE}f 1 2 3 4\n"));
        let dressed =
            format!("\u{feff}# head\r\n{SQUARE}f 1 2 \\\r\n 3\\\n4 # tail\r\n\r\n").replace('\n', "\r\n");
        assert_eq!(model(&dressed.replace("\r\r\n", "\r\n")), plain);
    }

    #[test]
    fn objects_and_groups_become_nodes() {
        let model = model(&format!(
            "{SQUARE}f 1 2 3\no lid\ng rim\nf 1 3 4\ng top side\nf 2 3 4\ng rim\nf 1 2 4\no lid\nf 4 3 1\n"
        ));
        let nodes: Vec<(&str, Option<usize>, usize)> =
            model.nodes().iter().map(|n| (n.name.as_str(), n.parent, n.soups.len())).collect();
        let expected = [
            ("", None, 1),
            ("lid", None, 0),
            ("rim", Some(1), 1),
            ("top side", Some(1), 1),
            ("lid", None, 1),
        ];
        assert_eq!(nodes, expected);
        let rim = &model.soups()[model.nodes()[2].soups[0]];
        assert_eq!(rim.face_count(), 2);
    }

    #[test]
    fn a_part_holds_only_its_own_vertices() {
        let model = model(&format!("{SQUARE}v 5 5 5\no a\nf 1 2 3\no b\nf 5 4 1\n"));
        assert_eq!(model.soups()[0].positions().len(), 3);
        assert_eq!(model.soups()[1].positions()[2], DVec3::splat(5.0));
        assert_eq!(model.soups()[1].face(0), &[2, 1, 0]);
    }

    #[test]
    fn faces_may_precede_their_vertices() {
        assert_eq!(model(&format!("f 1 2 3\n{SQUARE}")).soups()[0].face(0), &[0, 1, 2]);
    }

    #[test]
    fn doubles_stay_doubles() {
        let model = model("v 0.1 1e-300 12345.678901234567\nv 1 0 0 1.0\nv 0 1 0 0.5 0.5 0.5\nf 1 2 3\n");
        assert_eq!(model.soups()[0].positions()[0], DVec3::new(0.1, 1e-300, 12345.678901234567));
    }

    #[test]
    fn errors_name_the_line_and_the_culprit() {
        let cases = [
            (
                "v 1,5 0 0\n",
                "line 1: \"1,5\" is not a number; decimals are written with a point, not a comma",
            ),
            ("\n\nv 0 0 nan\n", "line 3: \"nan\" is not a finite number"),
            ("v 0 0\n", "line 1: a vertex with 2 numbers"),
            ("v 0 0 0\nf 1 1\n", "line 2: a face with 2 corners"),
            ("v 0 0 0\nf 1 1 0\n", "line 2: corner 0: OBJ counts vertices from 1"),
            ("v 0 0 0\nf 1 1 2\n\n", "line 2: no vertex 2: the file has 1"),
            ("v 0 0 0\nf 1 1 -2\n", "line 2: no vertex -2: only 1 come before this line"),
            ("v 0 0 0\nf 1 1 99999999999\n", "line 2: no vertex 99999999999"),
            ("v 0 0 0\nf 1 1 99999999999999999999\n", "line 2: \"99999999999999999999\" is not an integer"),
            ("v 0 0 0\nf 1 1 1/2/3/4\n", "line 2: \"1/2/3/4\" has more than three fields"),
            ("cstype bezier\n", "line 1: free-form geometry"),
            ("hello\n", "line 1: \"hello\" is not an OBJ statement"),
        ];
        for (text, expected) in cases {
            let message = error(text);
            assert!(message.starts_with(expected), "{message}\nnot\n{expected}");
        }
    }

    #[test]
    fn a_continued_statement_reports_the_line_of_the_culprit() {
        assert!(error("v 0 0 0\nf 1 1 \\\nx\n").starts_with("line 3: \"x\" is not an integer"));
    }
}
