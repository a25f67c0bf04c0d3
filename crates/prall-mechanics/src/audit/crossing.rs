//! Whether two triangles cross, by predicates whose sign is exact (Shewchuk 1997).

use glam::DVec3;

/// How two triangles lie.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Meeting {
    /// An edge of one passes through the inside of the other.
    Cross,
    /// A corner lies exactly in a plane, or an edge passes exactly through another: touching and crossing look the same here.
    Coincide,
    /// Neither.
    Apart,
}

/// How two triangles lie. Those that only touch from one side, and those in one plane, do not cross.
pub(super) fn meeting(s: &[DVec3; 3], t: &[DVec3; 3]) -> Meeting {
    let sides_of =
        |points: &[DVec3; 3], face: &[DVec3; 3]| points.map(|p| side(face[0], face[1], face[2], p));
    let (of_s, of_t) = (sides_of(s, t), sides_of(t, s));
    let one_sided =
        |sides: &[f64; 3]| sides.iter().all(|&side| side > 0.0) || sides.iter().all(|&side| side < 0.0);
    if one_sided(&of_s) || one_sided(&of_t) {
        return Meeting::Apart;
    }
    let mut coincide = of_s.contains(&0.0) || of_t.contains(&0.0);
    for (edges, sides, face) in [(s, &of_s, t), (t, &of_t, s)] {
        for (i, next) in [(0, 1), (1, 2), (2, 0)] {
            // Signs are exact, products of tiny numbers are not.
            let through = (sides[i] > 0.0 && sides[next] < 0.0) || (sides[i] < 0.0 && sides[next] > 0.0);
            if !through {
                continue;
            }
            match passage(edges[i], edges[next], face) {
                Meeting::Cross => return Meeting::Cross,
                Meeting::Coincide => coincide = true,
                Meeting::Apart => {}
            }
        }
    }
    if coincide { Meeting::Coincide } else { Meeting::Apart }
}

/// How the line from p to q passes the triangle: inside it, exactly through an edge or corner, or beside it.
fn passage(p: DVec3, q: DVec3, &[a, b, c]: &[DVec3; 3]) -> Meeting {
    let turns = [side(p, q, a, b), side(p, q, b, c), side(p, q, c, a)];
    let all = |sign: f64| turns.iter().all(|&turn| turn * sign >= 0.0);
    if !(all(1.0) || all(-1.0)) {
        Meeting::Apart
    } else if turns.contains(&0.0) {
        Meeting::Coincide
    } else {
        Meeting::Cross
    }
}

fn side(a: DVec3, b: DVec3, c: DVec3, p: DVec3) -> f64 {
    let coord = |v: DVec3| robust::Coord3D { x: v.x, y: v.y, z: v.z };
    robust::orient3d(coord(a), coord(b), coord(c), coord(p))
}
