//! Which boxes overlap: sorted along the axis on which they spread most, and swept.

use prall_geometry::Aabb;

/// Calls `visit` with every pair of overlapping boxes, the smaller index first.
pub(super) fn for_each_pair(boxes: &[Aabb], mut visit: impl FnMut(usize, usize)) {
    let axis = widest_axis(boxes);
    let mut order: Vec<usize> = (0..boxes.len()).collect();
    order.sort_by(|&i, &j| boxes[i].min[axis].total_cmp(&boxes[j].min[axis]).then(i.cmp(&j)));
    for (rank, &i) in order.iter().enumerate() {
        for &j in &order[rank + 1..] {
            if boxes[j].min[axis] > boxes[i].max[axis] {
                break;
            }
            if boxes[i].overlaps(&boxes[j]) {
                visit(i.min(j), i.max(j));
            }
        }
    }
}

/// By the variance of the middles; boxes without end have none.
fn widest_axis(boxes: &[Aabb]) -> usize {
    let spread = |axis: usize| {
        let middles = boxes.iter().map(|b| 0.5 * (b.min[axis] + b.max[axis])).filter(|m| m.is_finite());
        let (count, sum, squares) =
            middles.fold((0.0, 0.0, 0.0), |(n, sum, squares), m| (n + 1.0, sum + m, squares + m * m));
        if count > 0.0 { squares - sum * sum / count } else { 0.0 }
    };
    let spreads = [spread(0), spread(1), spread(2)];
    (0..3).fold(0, |best, axis| if spreads[axis] > spreads[best] { axis } else { best })
}
