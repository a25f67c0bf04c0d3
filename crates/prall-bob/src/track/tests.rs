//! What a track promises, against integration, closed forms and the published times.

use super::*;
use prall_geometry::{Mesh, MeshOptions};
use prall_math::Norm;

const WHISTLER: &str = include_str!("../../../../scenes/tracks/whistler-like.toml");
const SOCHI: &str = include_str!("../../../../scenes/tracks/sochi-like.toml");

fn whistler() -> Track {
    Track::read("whistler-like.toml", WHISTLER).unwrap()
}

/// Heading by integrating curvature, position by integrating heading (Simpson on pieces of 2 cm): no closed form is shared.
#[test]
fn the_plan_line_is_the_integral_of_its_curvature() {
    for text in [WHISTLER, SOCHI] {
        let track = Track::read("track", text).unwrap();
        let (begin, _) = track.plan().range();
        let mut at = track.plan().point(begin);
        let mut joints: Vec<f64> = track.plan().joints().collect();
        joints.push(track.plan().range().1);
        for pair in joints.windows(2) {
            let count = ((pair[1] - pair[0]) / 0.02).ceil();
            let h = (pair[1] - pair[0]) / count;
            for i in 0..count as usize {
                let s = pair[0] + h * i as f64;
                // Curvature is linear within a piece, so its value in the middle is its mean.
                let k = |x: f64| track.plan().point(s + x).curvature;
                let start = if i == 0 { 2.0 * k(0.5 * h) - k(h * 0.999_999) } else { k(0.0) };
                let middle = at.heading + 0.5 * h * (start + k(0.5 * h)) * 0.5;
                let last = at.heading + h * k(0.5 * h);
                let ahead = |heading: f64| DVec2::new(-libm::sin(heading), -libm::cos(heading));
                at.position += (ahead(at.heading) + 4.0 * ahead(middle) + ahead(last)) * (h / 6.0);
                at.heading = last;
            }
            let exact = track.plan().point(pair[1]);
            assert!(
                (exact.position - at.position).norm() < 1e-6,
                "at {}: {:e}",
                pair[1],
                (exact.position - at.position).norm()
            );
            assert!((exact.heading - at.heading).abs() < 1e-9);
        }
    }
}

/// Both signs of the radius; with its magnitude instead, as printed, every crest would jump.
#[test]
fn height_and_slope_are_continuous_at_crests_and_sags() {
    let track = whistler();
    for &s in track.height().joints() {
        let (before, after) = (track.height().point(s - 1e-9), track.height().point(s + 1e-9));
        // 2e-9 m of way at a slope below 1 and a bend below 0.01 / m.
        assert!((before.height - after.height).abs() < 3e-9, "{s}");
        assert!((before.slope - after.slope).abs() < 1e-9, "{s}");
    }
    for i in 0..1450 {
        let s = f64::from(i);
        let h = 1e-4;
        let slope = (track.height().point(s + h).height - track.height().point(s - h).height) / (2.0 * h);
        assert!((slope - track.height().point(s).slope).abs() < 1e-6);
    }
    let drop = track.height().point(0.0).height - track.height().point(1450.0).height;
    assert!((drop - 148.0).abs() < 0.05, "{drop}");
}

/// Every point of every part satisfies the equation of its circle or ellipse.
#[test]
fn sections_are_exact_circles_and_ellipses() {
    let track = whistler();
    for s in [0.0, 70.0, 330.0, 605.0, 1338.0, 1400.0] {
        let section = track.section(s);
        let c = section.side.sign();
        let curve = section.curve();
        let p = section.points();
        let at = |part: usize, share: f64| {
            let v = part as f64 + share;
            let point = curve.point(if section.side == Side::Right { 7.0 - v } else { v });
            DVec2::new(c * point.x, point.y)
        };
        let p = p.map(|point| DVec2::new(c * point.x, point.y));
        for i in 0..=10 {
            let share = f64::from(i) / 10.0;
            let fillet = at(1, share) - (p[1] + DVec2::new(section.fillet, 0.0));
            assert!((fillet.norm() - section.fillet).abs() < 1e-14);
            if section.ellipse_height > 0.0 {
                let ellipse = at(3, share) - DVec2::new(0.0, section.ellipse_height);
                let value = libm::pow(ellipse.x / section.ellipse_width, 2.0)
                    + libm::pow(ellipse.y / section.ellipse_height, 2.0);
                assert!((value - 1.0).abs() < 1e-13, "{s} {share}: {value}");
            }
            let (sine, cosine) = libm::sincos(section.lean);
            let wall = at(4, share) - (p[5] + DVec2::new(-sine, cosine) * section.wall_radius);
            assert!((wall.norm() - section.wall_radius).abs() < 1e-12, "{s} {share}");
            let lip = at(6, share) - (p[6] + DVec2::new(-sine, cosine) * section.lip_radius);
            assert!((lip.norm() - section.lip_radius).abs() < 1e-12, "{s} {share}");
        }
    }
}

#[test]
fn sections_are_smooth_where_their_parts_meet() {
    for track in [whistler(), Track::read("sochi-like.toml", SOCHI).unwrap()] {
        for curve in track.curves() {
            let section = track.section(0.5 * (curve.stations.0 + curve.stations.1));
            let spline = section.curve();
            for part in 1..7 {
                let v = f64::from(part);
                let before = spline.point_and_tangent(v - 1e-9).1.unit();
                let after = spline.point_and_tangent(v + 1e-9).1.unit();
                assert!(before.dot(after) > 1.0 - 1e-12, "curve {}, point {part}", curve.number);
            }
        }
    }
}

/// A listed section gives back the dimensions that its rules derive, whichever of the redundant ones is used.
#[test]
fn raw_sections_are_read_by_the_redundancy_rules() {
    let mut raw = RawSection {
        s: 0.0,
        hw2: 0.5,
        ak: 0.1,
        bi: 0.6,
        ce: 0.05,
        b: 1.6,
        a: 2.0,
        bt: 1.5,
        at: 0.0,
        r1: 1.2,
        h1: 1.0,
        eps1: 88.0,
        hz: 0.6,
        r2: 4.0,
        h2: 0.4,
    };
    let flat = Section::from_raw(&raw, Side::Left);
    assert!((flat.tangent_width - 0.4).abs() < 1e-15 && flat.tangent_width > 0.0);
    assert_eq!((flat.tangent_height, flat.ellipse_height), (0.0, 0.0));
    raw.at = 1.3;
    let wide = Section::from_raw(&raw, Side::Left);
    let on_ellipse =
        |s: &Section| libm::pow(s.tangent_width / 1.6, 2.0) + libm::pow((s.tangent_height - 2.0) / 2.0, 2.0);
    assert!(wide.tangent_width == 1.5 && (on_ellipse(&wide) - 1.0).abs() < 1e-14);
    raw.bt = 1.2;
    let high = Section::from_raw(&raw, Side::Left);
    assert!(high.tangent_height == 1.3 && (on_ellipse(&high) - 1.0).abs() < 1e-14);
    // Some lists give the complement of the lean.
    raw.eps1 = 2.0;
    assert!((Section::from_raw(&raw, Side::Left).lean - high.lean).abs() < 1e-15);
    let spline = high.curve();
    for part in 1..7 {
        let v = f64::from(part);
        let (before, after) = (spline.point_and_tangent(v - 1e-9).1, spline.point_and_tangent(v + 1e-9).1);
        assert!(before.unit().dot(after.unit()) > 1.0 - 1e-12, "point {part}");
    }
}

/// Numbers of a builder's list, and the section that they describe.
const LISTED: [(&str, f64); 14] = [
    ("HW2", 0.5),
    ("AK", 0.1),
    ("BI", 0.6),
    ("CE", 0.05),
    ("B", 1.6),
    ("A", 2.0),
    ("BT", 1.2),
    ("AT", 1.3),
    ("R1", 3.0),
    ("H1", 1.0),
    ("eps1", 88.0),
    ("HZ", 0.6),
    ("R2", 4.0),
    ("H2", 0.4),
];

/// A file that lists its sections: at their stations the spline has the listed dimensions, by its 15 control points; between two of them control
/// points and weights are the means; a list that goes back is refused at its line.
#[test]
fn a_file_may_list_its_sections() {
    let head = &WHISTLER[..WHISTLER.find("[section]").unwrap()];
    let tail = &WHISTLER[WHISTLER.find("[timing]").unwrap()..];
    let listed = |s: f64, floor: f64| {
        let numbers: String = LISTED
            .iter()
            .map(|&(key, value)| format!("{key} = {:?}\n", if key == "BI" { floor } else { value }))
            .collect();
        format!("[[section_at]]\ns = {s:?}\n{numbers}\n")
    };
    let text = |stations: [f64; 3]| {
        let sections: String =
            stations.iter().zip([0.6, 0.9, 0.7]).map(|(s, floor)| listed(*s, floor)).collect();
        format!("{head}{sections}{tail}")
    };
    let track = Track::read("listed.toml", &text([100.0, 102.0, 1400.0])).unwrap();
    let at = |s: f64| track.section_curve(s, Side::Left);
    let width = |s: f64| {
        let spline = at(s);
        (spline.point(3.0) - spline.point(2.0)).length()
    };
    assert!((width(100.0) - 0.6).abs() < 1e-12 && (width(102.0) - 0.9).abs() < 1e-12);
    assert!((width(101.0) - 0.75).abs() < 1e-12, "{}", width(101.0));
    let wall = at(100.0);
    // HW2 is the straight part of the low wall, HZ that of the high one, at 88 degrees.
    assert!(((wall.point(0.0) - wall.point(1.0)).length() - 0.5).abs() < 1e-12);
    let upright = wall.point(6.0) - wall.point(5.0);
    assert!(
        (upright.y - 0.6).abs() < 1e-12
            && (upright.x.abs() / upright.y - 1.0 / libm::tan(88.0_f64.to_radians())).abs() < 1e-9
    );
    let (low, middle, high) = (at(100.0), at(101.5), at(102.0));
    assert_eq!(middle.points().len(), 15);
    for ((a, b), c) in low.points().iter().zip(high.points()).zip(middle.points()) {
        assert!((a.point * 0.25 + b.point * 0.75 - c.point).length() < 1e-12);
        assert!((0.25 * a.weight + 0.75 * b.weight - c.weight).abs() < 1e-12);
    }
    let back = text([100.0, 99.0, 1400.0]);
    let error = Track::read("listed.toml", &back).unwrap_err();
    assert!(error.to_string().contains("sections must follow each other: 99 after 100"), "{error}");
}

/// The course is the plan line at the height of the profile, and what is cut along it has a row every half metre.
#[test]
fn the_course_is_the_plan_line_at_its_height_every_half_metre() {
    let track = whistler();
    for i in 0..2900 {
        let s = 0.5 * f64::from(i);
        let (plan, height) = (track.plan().point(s), track.height().point(s));
        let at = track.course(s);
        assert_eq!(at.position, DVec3::new(plan.position.x, height.height, plan.position.y));
        assert_eq!((at.heading, at.curvature, at.slope), (plan.heading, plan.curvature, height.slope));
    }
    let rows = track.mesh(&Tessellation { ellipse: 1, other: 1, along: 1 }).rows;
    let spacings: Vec<f64> = rows.windows(2).map(|pair| pair[1] - pair[0]).collect();
    assert!(spacings.iter().all(|spacing| (0.0..0.5 + 1e-9).contains(spacing)));
    // Where curves meet two rows lie on one station, or nearer together.
    let even = spacings.iter().filter(|spacing| (**spacing - 0.5).abs() < 1e-9).count();
    assert!(even as f64 > 0.98 * spacings.len() as f64, "{even} of {}", spacings.len());
}

/// The mesh has no cracks and no twists: every edge has two triangles or lies on the outline, and every normal looks to the driving side.
#[test]
fn the_mesh_is_whole_and_faces_the_driver() {
    let track = whistler();
    let mesh = track.mesh(&Tessellation { ellipse: 6, other: 3, along: 1 });
    let whole = Mesh::from_soup(&mesh.ice, &MeshOptions::default()).unwrap();
    assert!(whole.degenerate_faces().is_empty());
    let mut faces_of = std::collections::HashMap::new();
    for triangle in whole.triangles() {
        for i in 0..3 {
            let (a, b) = (triangle[i], triangle[(i + 1) % 3]);
            *faces_of.entry((a.min(b), a.max(b))).or_insert(0) += 1;
        }
    }
    assert!(faces_of.values().all(|&count| count <= 2));
    let boundary = faces_of.values().filter(|&&count| count == 1).count();
    let rows = mesh.rows.len();
    assert_eq!(boundary, 2 * (rows - 1) + 2 * (mesh.columns - 1));
    for face in 0..whole.face_count() {
        let middle = whole.face(face).iter().map(|&v| whole.positions()[v as usize]).sum::<DVec3>() / 3.0;
        let s = mesh.rows[face / (2 * (mesh.columns - 1))];
        let at = track.course(s);
        // Above the floor's middle everything of the channel can be seen from 0.6 m up, or has its back to nothing.
        let eye = at.position + DVec3::new(0.0, 0.6, 0.0);
        let seen = whole.face_normal(face).dot(eye - middle);
        assert!(seen > -0.02, "face {face} at s = {s} looks away: {seen}");
    }
}

/// 7 parts of a section in 5 pieces, 3 rows in half a metre: 35 strips of 6 rows a metre, two triangles each.
#[test]
fn the_source_tessellation_has_its_number_of_triangles() {
    let track = whistler();
    let mesh = track.published_mesh();
    assert_eq!(mesh.columns, 36);
    let (begin, end) = (mesh.rows[0], mesh.rows[mesh.rows.len() - 1]);
    let per_metre = mesh.ice.face_count() as f64 / (end - begin);
    // Curves end between two sections now and then, which adds some rows.
    assert!((per_metre / 420.0 - 1.0).abs() < 2e-3, "{per_metre}");
    assert!(mesh.borders.face_count() > 1000);
    assert_eq!(mesh.joined().face_count(), mesh.ice.face_count() + mesh.borders.face_count());
}

/// Where the direction changes two rows lie on one section: no place of either is a millimetre from the other's outline, so nothing falls through.
#[test]
fn the_published_mesh_has_no_crack_where_the_direction_changes() {
    let track = whistler();
    let mesh = track.published_mesh();
    let row = |r: usize| &mesh.ice.positions()[r * mesh.columns..(r + 1) * mesh.columns];
    let mut seams = 0;
    for r in 1..mesh.rows.len() {
        if mesh.rows[r] > mesh.rows[r - 1] {
            continue;
        }
        seams += 1;
        for point in row(r - 1) {
            let outline = row(r).windows(2).map(|pair| {
                let along = pair[1] - pair[0];
                let share = ((*point - pair[0]).dot(along) / along.length_squared()).clamp(0.0, 1.0);
                (pair[0] + along * share).distance(*point)
            });
            // The fillet of 0.1 m in five pieces bends 0.6 mm beside its chords; the lip, a circle of 10 m, is straight on the other side.
            assert!(outline.fold(f64::INFINITY, f64::min) < 1e-3, "at {} m", mesh.rows[r]);
        }
    }
    assert!(seams > 5, "{seams}");
}

/// Another program computed the same times from the same file; and they are those that were published, to one part in a hundred.
#[test]
fn a_point_mass_meets_the_published_splits() {
    let track = whistler();
    let run = PointMassRun::new(&track, PointMassStart::Flying(track.start().v0), track.point_mass().mu);
    let splits = run.splits(&track.timing().stations);
    let independent = [4.8550, 16.5422, 30.4145, 39.4864, 46.9372, 52.3978];
    for (own, other) in splits.iter().zip(independent) {
        assert!((own - other).abs() < 2e-4, "{splits:?}");
    }
    for (own, published) in splits.iter().zip(&track.timing().reference) {
        assert!((own / published - 1.0).abs() < 0.01, "{splits:?}");
    }
    assert!(run.samples().iter().all(|sample| sample.on_wall));
    assert!((4.1..5.0).contains(&run.largest_load()), "{}", run.largest_load());
}

/// The second track has what was published of its model: run of 1500 m, steepest grade 22 %, three stretches uphill; and a point mass comes
/// down it below the speed that its drop alone would give.
#[test]
fn the_second_track_has_its_published_measures() {
    let track = Track::read("sochi-like.toml", SOCHI).unwrap();
    assert_eq!(track.finish(), 1500.0);
    let slopes: Vec<f64> = (0..=1500).map(|s| track.course(f64::from(s)).slope).collect();
    let steepest = slopes.iter().copied().fold(0.0, f64::min);
    assert!((steepest + 0.22).abs() < 0.005, "{steepest}");
    let uphill = slopes.windows(2).filter(|pair| pair[0] <= 0.0 && pair[1] > 0.0).count();
    assert_eq!(uphill, 3);
    let start = track.start().v0;
    let run = PointMassRun::new(&track, PointMassStart::Flying(start), track.point_mass().mu);
    let top = track.course(0.0).position.y;
    for sample in run.samples() {
        let place = track.course(sample.s).position.y + sample.line.y.min(0.0);
        let bound = start * start + 2.0 * 9.81 * (top - place);
        assert!(sample.speed * sample.speed < bound + 1e-6, "{sample:?}");
    }
    let splits = run.splits(&track.timing().stations);
    assert!(splits.windows(2).all(|pair| pair[0] < pair[1]) && splits.len() == 6, "{splits:?}");
}

/// A place beside the course is found again from its coordinates.
#[test]
fn projection_gives_back_station_height_and_side() {
    let track = whistler();
    for i in 1..140 {
        let s = 10.0 * f64::from(i);
        let at = track.course(s);
        let point = at.position + at.left() * 0.4;
        let (found, away) = track.project(point, s + 7.0);
        // Level with the course and perpendicular to it, the nearest place is the one it was made from.
        assert!(
            (found - s).abs() < 1e-6 && (away - DVec2::new(0.4, 0.0)).norm() < 1e-6,
            "{s}: {found} {away}"
        );
    }
}

#[test]
fn errors_name_the_line() {
    let place = |text: &str| Track::read("bad.toml", text).unwrap_err();
    let gap = WHISTLER.replace("s_b = 105.0", "s_b = 107.0");
    let error = place(&gap);
    let line = gap[..gap.find("s_b = 107.0").unwrap()].matches('\n').count() + 1;
    assert!(error.to_string().starts_with("bad.toml:"), "{error}");
    assert!(error.to_string().contains("curve 2: s_b is 107, but the line before it ends at 105"), "{error}");
    assert!(line.abs_diff(error.place().unwrap().0) <= 4, "{error} is not near line {line}");

    let unknown = WHISTLER.replacen("l_circ", "l_circle", 1);
    assert!(place(&unknown).to_string().contains("l_circle"), "{}", place(&unknown));
    let crest = WHISTLER.replacen("r_h = -200.0", "r_h = 200.0", 1);
    assert!(place(&crest).to_string().contains("must be negative"), "{}", place(&crest));
    let sections = WHISTLER.replace("r2 = 4.0", "r2 = 0.1");
    assert!(place(&sections).to_string().contains("does not close"), "{}", place(&sections));
    let profile = Track::read_with_profile("w.toml", WHISTLER, "steep").unwrap_err().to_string();
    assert!(profile.contains("there is: standard"), "{profile}");
}

#[test]
fn the_drawing_shows_every_curve_and_station() {
    let track = whistler();
    let svg = track.drawing();
    assert!(svg.starts_with("<svg") && svg.trim_end().ends_with("</svg>"));
    for curve in track.curves() {
        assert!(svg.contains(&format!(">{}</text>", curve.number)));
    }
    assert!(svg.contains("1450 m") && !svg.contains("NaN"));
}

#[test]
fn landmarks_are_read_and_checked() {
    let with = |landmark: &str| {
        let base = WHISTLER.split("[[landmark]]").next().unwrap();
        Track::read("own.toml", &format!("{base}\n[[landmark]]\n{landmark}\n"))
    };
    let track = with("s = 275.0\nside = \"right\"\nkind = \"board\"\ntext = \"UP\"\nheight = 2.0").unwrap();
    let expected = super::Landmark {
        s: 275.0,
        side: super::LandmarkSide::Right,
        height: 2.0,
        kind: super::LandmarkKind::Board,
        text: "UP".to_owned(),
        colour: "#ff6a13".to_owned(),
    };
    assert_eq!(track.landmarks(), [expected]);
    for (wrong, right) in [
        ("s = 5000.0\nside = \"left\"\nkind = \"flag\"", "s must lie on the track"),
        ("s = 5.0\nside = \"left\"\nkind = \"board\"", "a board has a text"),
        (
            "s = 5.0\nside = \"left\"\nkind = \"post\"\ncolour = \"red\"",
            "six hexadecimal digits, not \"red\"",
        ),
        (
            "s = 5.0\nside = \"left\"\nkind = \"post\"\nheight = -1.0",
            "height must lie from 0 to 20 m, not -1",
        ),
        ("s = 5.0\nside = \"above\"\nkind = \"post\"", "above"),
    ] {
        let error = with(wrong).unwrap_err().to_string();
        assert!(error.starts_with("own.toml:") && error.contains(right), "{error}");
    }
}

/// Every number of a track, replaced by ones that no track has: the file is refused at the number's own line.
#[test]
fn no_number_of_a_track_is_taken_unseen() {
    const HOSTILE: [&str; 5] = ["nan", "inf", "-inf", "1e300", "-1e300"];
    let mut tried = 0;
    for (number, line) in WHISTLER.lines().enumerate() {
        let Some((key, value)) = line.split_once('=') else { continue };
        if line.starts_with('#') || value.trim().parse::<f64>().is_err() {
            continue;
        }
        let hostile = HOSTILE[tried % HOSTILE.len()];
        let lines: Vec<String> = WHISTLER
            .lines()
            .enumerate()
            .map(|(at, line)| if at == number { format!("{key}= {hostile}") } else { line.to_owned() })
            .collect();
        let error = Track::read("t.toml", &lines.join("\n")).err();
        // Whole numbers are refused by their kind.
        assert_eq!(
            error.as_ref().and_then(TrackError::place).map(|place| place.0),
            Some(number + 1),
            "{error:?}"
        );
        tried += 1;
    }
    assert!(tried > 100, "{tried}");
}

/// Sections a picometre apart would take petabytes.
#[test]
fn sections_have_a_distance_that_fits_into_memory() {
    for spacing in ["1e-12", "0", "-1", "1e9"] {
        let text = SOCHI.replace("spacing = 0.5", &format!("spacing = {spacing}"));
        assert_ne!(text, SOCHI);
        let error = Track::read("t.toml", &text).unwrap_err().to_string();
        assert!(error.contains("spacing must lie from 0.05 to 100"), "{error}");
    }
}
