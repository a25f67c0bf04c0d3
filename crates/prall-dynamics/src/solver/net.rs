//! The net that the tests of the solvers cut and factor.

/// The joints of a net, as pairs of bodies: numbered row by row from 1, the upper edge on body 0.
pub(super) fn net(width: u32, height: u32) -> Vec<[u32; 2]> {
    let mut edges = Vec::new();
    for row in 0..height {
        for column in 0..width {
            let body = 1 + row * width + column;
            edges.push([if row == 0 { 0 } else { body - width }, body]);
            if column > 0 {
                edges.push([body - 1, body]);
            }
        }
    }
    edges
}
