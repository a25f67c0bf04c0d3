//! Parts that are connected through contacts with each other: what is solved together (Buck 1999, 3.5).

use super::contact::{BuckContact, Partner};

/// Parts by cluster, both in the order of the parts. What stands connects nothing.
pub(super) fn clusters(parts: usize, contacts: &[BuckContact]) -> Vec<Vec<usize>> {
    let mut known = vec![false; parts];
    let mut clusters = Vec::new();
    for first in 0..parts {
        if std::mem::replace(&mut known[first], true) {
            continue;
        }
        let (mut cluster, mut at) = (vec![first], 0);
        while let Some(&part) = cluster.get(at) {
            at += 1;
            for contact in contacts {
                let Partner::Part(other) = contact.partner else { continue };
                let next = match part {
                    part if part == contact.part => other,
                    part if part == other => contact.part,
                    _ => continue,
                };
                if !std::mem::replace(&mut known[next], true) {
                    cluster.push(next);
                }
            }
        }
        cluster.sort_unstable();
        clusters.push(cluster);
    }
    clusters
}
