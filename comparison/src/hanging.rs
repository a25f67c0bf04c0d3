//! Which body hangs on which, where joints make a tree.

use crate::description::Description;
use prall_dynamics::BodyKind;
use std::collections::VecDeque;

/// A spanning tree of the bodies over the joints.
pub struct Hanging {
    /// By body: the joint by which it hangs; none if it is free or fixed.
    pub joints: Vec<Option<usize>>,
    /// By body: what hangs on it.
    pub children: Vec<Vec<usize>>,
    /// Bodies such that each comes after the one on which it hangs.
    pub order: Vec<usize>,
    /// Joints that are left, and close loops.
    pub loops: Vec<usize>,
    parents: Vec<Option<usize>>,
}

impl Hanging {
    /// Breadth first from the world and what is fixed, then from bodies that are free.
    pub fn new(scene: &Description) -> Hanging {
        let count = scene.bodies.len();
        let none = || vec![None; count];
        let mut hanging = Hanging {
            joints: none(),
            children: vec![Vec::new(); count],
            order: Vec::new(),
            loops: Vec::new(),
            parents: none(),
        };
        let mut by_body: Vec<Vec<usize>> = vec![Vec::new(); count + 1];
        for (number, joint) in scene.joints.iter().enumerate() {
            for body in joint.bodies {
                by_body[body.unwrap_or(count)].push(number);
            }
        }
        let mut reached: Vec<bool> = scene.bodies.iter().map(|body| body.kind != BodyKind::Dynamic).collect();
        let mut used = vec![false; scene.joints.len()];
        let mut queue: VecDeque<Option<usize>> = VecDeque::from([None]);
        queue.extend((0..count).filter(|&body| reached[body]).map(Some));
        for root in 0..=count {
            if root > 0 && !std::mem::replace(&mut reached[root - 1], true) {
                queue.push_back(Some(root - 1));
            }
            while let Some(at) = queue.pop_front() {
                hanging.order.extend(at);
                for &number in &by_body[at.unwrap_or(count)] {
                    if std::mem::replace(&mut used[number], true) {
                        continue;
                    }
                    let [a, b] = scene.joints[number].bodies;
                    match if a == at { b } else { a } {
                        Some(next) if !std::mem::replace(&mut reached[next], true) => {
                            hanging.joints[next] = Some(number);
                            hanging.parents[next] = at;
                            if let Some(at) = at {
                                hanging.children[at].push(next);
                            }
                            queue.push_back(Some(next));
                        }
                        _ => hanging.loops.push(number),
                    }
                }
            }
        }
        hanging
    }

    /// The body on which a body hangs; none is the world.
    pub fn parent(&self, body: usize) -> Option<usize> {
        self.parents[body]
    }
}
