//! The pair index against brute force, at every moment of random lives of random boxes.

use std::collections::BTreeSet;

use glam::DVec3;
use prall_detection::{Filter, IndexError, Method, Pair, PairIndex, ProxyId, box_distance};
use prall_geometry::Aabb;
use proptest::prelude::*;
use proptest::test_runner::RngSeed;

const METHODS: [Method; 2] = [Method::SweepAndPrune, Method::Tree];

fn config(cases: u32) -> ProptestConfig {
    ProptestConfig {
        cases,
        failure_persistence: None,
        rng_seed: RngSeed::Fixed(1998),
        ..ProptestConfig::default()
    }
}

/// What may happen to an index. Numbers choose among what is there.
#[derive(Clone, Debug)]
enum Event {
    Insert(Aabb, Filter),
    Remove(usize),
    Update(usize, Aabb),
    Nudge(usize, DVec3),
    NudgeAll(DVec3),
    SetFilter(usize, Filter),
    Exclude(usize, usize),
    Include(usize, usize),
    Refresh,
}

/// Coordinates on a coarse grid: boxes touch, coincide and have no extent as often as not. Both zeros occur.
fn coordinate() -> impl Strategy<Value = f64> {
    prop_oneof![
        20 => (-6_i32..=6).prop_map(f64::from),
        5 => -6.0..6.0,
        1 => Just(-0.0),
    ]
}

fn vector() -> impl Strategy<Value = DVec3> {
    [coordinate(), coordinate(), coordinate()].prop_map(DVec3::from)
}

fn any_box() -> impl Strategy<Value = Aabb> {
    prop_oneof![
        20 => (vector(), [0_i32..3, 0_i32..3, 0_i32..3])
            .prop_map(|(min, size)| Aabb { min, max: min + DVec3::from(size.map(f64::from)) }),
        2 => (vector(), vector()).prop_map(|(a, b)| Aabb { min: a.min(b), max: a.max(b) }),
        1 => vector().prop_map(|max| Aabb { min: DVec3::NEG_INFINITY, max: DVec3::new(f64::INFINITY, max.y, max.z) }),
        1 => Just(Aabb::EVERYTHING),
    ]
}

fn any_filter() -> impl Strategy<Value = Filter> {
    prop_oneof![
        3 => Just(Filter::EVERYTHING),
        1 => (0_u32..4, 0_u32..4).prop_map(|(groups, mask)| Filter { groups, mask }),
    ]
}

fn event() -> impl Strategy<Value = Event> {
    let who = || any::<usize>();
    prop_oneof![
        6 => (any_box(), any_filter()).prop_map(|(b, f)| Event::Insert(b, f)),
        2 => who().prop_map(Event::Remove),
        4 => (who(), any_box()).prop_map(|(i, b)| Event::Update(i, b)),
        6 => (who(), vector()).prop_map(|(i, v)| Event::Nudge(i, v * 0.25)),
        1 => vector().prop_map(|v| Event::NudgeAll(v * 0.25)),
        1 => (who(), any_filter()).prop_map(|(i, f)| Event::SetFilter(i, f)),
        1 => (who(), who()).prop_map(|(i, j)| Event::Exclude(i, j)),
        1 => (who(), who()).prop_map(|(i, j)| Event::Include(i, j)),
        4 => Just(Event::Refresh),
    ]
}

/// What the index should know, held so simply that it cannot be wrong.
#[derive(Default)]
struct Model {
    entries: Vec<(ProxyId, Aabb, Filter)>,
    excluded: BTreeSet<(ProxyId, ProxyId)>,
    /// Pairs at the last refresh.
    before: BTreeSet<(ProxyId, ProxyId)>,
}

fn sorted(a: ProxyId, b: ProxyId) -> (ProxyId, ProxyId) {
    if a < b { (a, b) } else { (b, a) }
}

impl Model {
    fn pairs(&self) -> BTreeSet<(ProxyId, ProxyId)> {
        let mut pairs = BTreeSet::new();
        for (n, (a, box_a, filter_a)) in self.entries.iter().enumerate() {
            for (b, box_b, filter_b) in &self.entries[..n] {
                let apart = (0..3).any(|k| box_a.min[k] > box_b.max[k] || box_b.min[k] > box_a.max[k]);
                let wanted = filter_a.groups & filter_b.mask != 0 && filter_b.groups & filter_a.mask != 0;
                if !apart && wanted && !self.excluded.contains(&sorted(*a, *b)) {
                    pairs.insert(sorted(*a, *b));
                }
            }
        }
        pairs
    }

    fn happen(&mut self, index: &mut PairIndex, event: &Event) -> Result<(), TestCaseError> {
        let count = self.entries.len();
        match *event {
            Event::Insert(bounds, filter) => {
                self.entries.push((index.insert(bounds, filter).unwrap(), bounds, filter));
            }
            Event::Refresh => self.compare(index)?,
            _ if count == 0 => {}
            Event::Remove(i) => {
                let (id, _, _) = self.entries.swap_remove(i % count);
                index.remove(id).unwrap();
                prop_assert_eq!(index.remove(id), Err(IndexError::NoSuchEntry(id)));
                self.excluded.retain(|(a, b)| *a != id && *b != id);
            }
            Event::Update(i, bounds) => self.update(index, i % count, bounds),
            Event::Nudge(i, by) => {
                let Aabb { min, max } = self.entries[i % count].1;
                self.update(index, i % count, Aabb { min: min + by, max: max + by });
            }
            Event::NudgeAll(by) => {
                for i in 0..count {
                    let Aabb { min, max } = self.entries[i].1;
                    self.update(index, i, Aabb { min: min + by, max: max + by });
                }
            }
            Event::SetFilter(i, filter) => {
                self.entries[i % count].2 = filter;
                index.set_filter(self.entries[i % count].0, filter).unwrap();
            }
            Event::Exclude(i, j) | Event::Include(i, j) => {
                let (a, b) = (self.entries[i % count].0, self.entries[j % count].0);
                if a == b {
                    prop_assert_eq!(index.exclude(a, b), Err(IndexError::Itself(a)));
                } else if matches!(event, Event::Exclude(..)) {
                    index.exclude(a, b).unwrap();
                    self.excluded.insert(sorted(a, b));
                } else {
                    index.include(a, b).unwrap();
                    self.excluded.remove(&sorted(a, b));
                }
            }
        }
        Ok(())
    }

    fn update(&mut self, index: &mut PairIndex, i: usize, bounds: Aabb) {
        self.entries[i].1 = bounds;
        index.update(self.entries[i].0, bounds).unwrap();
    }

    fn compare(&mut self, index: &mut PairIndex) -> Result<(), TestCaseError> {
        let now = self.pairs();
        let tuples = |pairs: &[Pair]| pairs.iter().map(|p| (p.a, p.b)).collect::<Vec<_>>();
        let pairs = index.refresh();
        prop_assert_eq!(tuples(pairs.all), now.iter().copied().collect::<Vec<_>>());
        prop_assert_eq!(tuples(pairs.begun), now.difference(&self.before).copied().collect::<Vec<_>>());
        prop_assert_eq!(tuples(pairs.ended), self.before.difference(&now).copied().collect::<Vec<_>>());
        for &(id, _, _) in &self.entries {
            let partners = now.iter().filter_map(|&(a, b)| (a == id).then_some(b).or((b == id).then_some(a)));
            let mut partners: Vec<_> = partners.collect();
            partners.sort_unstable();
            prop_assert_eq!(index.partners(id).unwrap(), &partners[..]);
        }
        self.before = now;
        Ok(())
    }
}

proptest! {
    #![proptest_config(config(300))]

    #[test]
    fn pairs_equal_brute_force_at_every_moment_of_a_random_life(events in prop::collection::vec(event(), 1..120)) {
        for method in METHODS {
            let (mut index, mut model) = (PairIndex::new(method), Model::default());
            for event in &events {
                model.happen(&mut index, event)?;
            }
            model.compare(&mut index)?;
        }
    }

    #[test]
    fn a_box_query_finds_what_brute_force_finds(boxes in prop::collection::vec(any_box(), 0..40), query in any_box()) {
        for method in METHODS {
            let (mut index, ids) = index_of(method, &boxes);
            let mut found = Vec::new();
            index.overlapping(query, &mut found).unwrap();
            let expected: Vec<_> = ids.iter().zip(&boxes).filter(|(_, b)| b.overlaps(&query)).map(|(i, _)| *i).collect();
            prop_assert_eq!(found, expected);
        }
    }

    /// Integers and short fractions keep the oracle exact: it clips the ray by cross-multiplied comparisons.
    #[test]
    fn a_ray_meets_every_box_that_it_crosses_in_the_order_of_entry(
        boxes in prop::collection::vec(any_box(), 0..40), origin in grid(), direction in grid(), limit in 0.0..3.0
    ) {
        prop_assume!(direction != DVec3::ZERO);
        let mut answers = Vec::new();
        for method in METHODS {
            let (mut index, ids) = index_of(method, &boxes);
            let mut met = Vec::new();
            index.cast_ray(origin, direction, limit, |id, t| { met.push((id, t)); f64::INFINITY }).unwrap();
            prop_assert!(met.is_sorted_by(|(i, t), (j, u)| (t, i) < (u, j)));
            for (id, bounds) in ids.iter().zip(&boxes) {
                let time = met.iter().find(|(i, _)| i == id).map(|(_, t)| *t);
                match (crossing(bounds, origin, direction), time) {
                    (Some(true_time), Some(t)) => prop_assert!(t <= true_time && true_time - t <= 1e-14 * true_time),
                    (Some(true_time), None) => prop_assert!(true_time > limit),
                    (None, Some(_)) => prop_assert!(false, "{:?} is not met", bounds),
                    (None, None) => {}
                }
            }
            answers.push(met);
        }
        prop_assert_eq!(&answers[0], &answers[1]);
    }

    #[test]
    fn a_sweep_meets_every_box_that_the_moving_box_touches_on_its_way(
        boxes in prop::collection::vec(any_box(), 0..40), start in any_box(), by in vector()
    ) {
        for method in METHODS {
            let (mut index, ids) = index_of(method, &boxes);
            let mut met = Vec::new();
            index.sweep(start, by, |id, t| { met.push((id, t)); f64::INFINITY }).unwrap();
            prop_assert!(met.is_sorted_by(|(i, t), (j, u)| (t, i) < (u, j)));
            for (id, bounds) in ids.iter().zip(&boxes) {
                // Sampled: whoever is touched at a sample must be in the answer, with a time not later.
                let touched = (0..=64).map(|i| f64::from(i) / 64.0).find(|t| {
                    let now = Aabb { min: start.min + by * t, max: start.max + by * t };
                    now.overlaps(bounds)
                });
                let time = met.iter().find(|(i, _)| i == id).map(|(_, t)| *t);
                if let Some(touched) = touched {
                    prop_assert!(time.is_some_and(|t| t <= touched));
                }
                if let Some(t) = time {
                    // Rounding of the sample's place: a few units in the last place of coordinates up to 20.
                    let now = Aabb { min: start.min + by * t, max: start.max + by * t };
                    prop_assert!(now.grown(1e-13).overlaps(bounds));
                }
            }
        }
    }

    #[test]
    fn the_nearest_entry_is_the_nearest_by_brute_force(
        boxes in prop::collection::vec(any_box(), 0..40), from in any_box(), limit in 0.0..8.0
    ) {
        for method in METHODS {
            let (mut index, ids) = index_of(method, &boxes);
            let distance = |b: &Aabb| {
                let gap = |k: usize| (from.min[k] - b.max[k]).max(b.min[k] - from.max[k]).max(0.0);
                DVec3::new(gap(0), gap(1), gap(2)).length()
            };
            let least = ids.iter().zip(&boxes).map(|(i, b)| (distance(b), *i)).min_by(|a, b| a.partial_cmp(b).unwrap());
            let expected = least.filter(|(d, _)| *d <= limit).map(|(d, i)| (i, d));
            prop_assert_eq!(index.nearest(from, limit, box_distance).unwrap(), expected);

            // By a distance of one's own, here three times that to the box except for every other entry.
            let own = |id: ProxyId, d: f64| if id.slot().is_multiple_of(2) { 3.0 * d } else { d };
            let least = ids.iter().zip(&boxes).map(|(i, b)| own(*i, distance(b))).min_by(f64::total_cmp);
            let found = index.nearest(from, f64::INFINITY, own).unwrap();
            prop_assert_eq!(found.map(|(_, d)| d), least);
        }
    }
}

fn grid() -> impl Strategy<Value = DVec3> {
    [-8_i32..=8, -8_i32..=8, -8_i32..=8].prop_map(|v| DVec3::from(v.map(f64::from)))
}

/// Time at which a ray enters a box: the largest of the quotients, decided by clipping the interval of times.
fn crossing(bounds: &Aabb, origin: DVec3, direction: DVec3) -> Option<f64> {
    // n / d <= m / e for d, e > 0 by cross-multiplication, exact for the short numbers in this test.
    let (mut enter, mut leave) = ((0.0, 1.0), (f64::INFINITY, 1.0));
    for k in 0..3 {
        let (speed, sign) = (direction[k].abs(), direction[k].signum());
        let (near, far) =
            if sign > 0.0 { (bounds.min[k], bounds.max[k]) } else { (bounds.max[k], bounds.min[k]) };
        let (near, far) = ((near - origin[k]) * sign, (far - origin[k]) * sign);
        if speed == 0.0 {
            if bounds.min[k] > origin[k] || bounds.max[k] < origin[k] {
                return None;
            }
            continue;
        }
        if near * enter.1 > enter.0 * speed {
            enter = (near, speed);
        }
        if far * leave.1 < leave.0 * speed {
            leave = (far, speed);
        }
    }
    (enter.0 * leave.1 <= leave.0 * enter.1).then_some(enter.0 / enter.1)
}

fn index_of(method: Method, boxes: &[Aabb]) -> (PairIndex, Vec<ProxyId>) {
    let mut index = PairIndex::new(method);
    let ids = boxes.iter().map(|b| index.insert(*b, Filter::EVERYTHING).unwrap()).collect();
    (index, ids)
}

/// A small generator of numbers in [0, 1) for scenes too large for a strategy.
struct Numbers(u64);

impl Numbers {
    fn next(&mut self) -> f64 {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (self.0 >> 11) as f64 / (1_u64 << 53) as f64
    }

    fn vector(&mut self) -> DVec3 {
        DVec3::new(self.next(), self.next(), self.next())
    }
}

/// Two thousand boxes that jump anywhere exceed what insertion sorting may cost and start the lists afresh; boxes
/// that tremble do not. Both ways, few and many movers, must end at the same pairs.
#[test]
fn jumping_and_trembling_crowds_are_paired_alike_by_lists_tree_and_brute_force() {
    let mut numbers = Numbers(1);
    let mut boxes: Vec<Aabb> =
        (0..2000).map(|_| Aabb::from_center(numbers.vector() * 20.0, numbers.vector())).collect();
    let (mut lists, ids) = index_of(Method::SweepAndPrune, &boxes);
    let (mut tree, _) = index_of(Method::Tree, &boxes);
    for (share, reach) in [(1.0, 0.02), (1.0, 20.0), (0.01, 20.0), (0.3, 0.5), (0.01, 0.02)] {
        for (id, bounds) in ids.iter().zip(&mut boxes) {
            if numbers.next() < share {
                let by = (numbers.vector() - DVec3::splat(0.5)) * reach;
                *bounds = Aabb { min: bounds.min + by, max: bounds.max + by };
                lists.update(*id, *bounds).unwrap();
                tree.update(*id, *bounds).unwrap();
            }
        }
        let mut expected = Vec::new();
        for i in 0..boxes.len() {
            expected.extend(
                (i + 1..boxes.len()).filter(|&j| boxes[i].overlaps(&boxes[j])).map(|j| (ids[i], ids[j])),
            );
        }
        assert!(!expected.is_empty());
        for index in [&mut lists, &mut tree] {
            let found: Vec<_> = index.refresh().all.iter().map(|p| (p.a, p.b)).collect();
            assert_eq!(found, expected);
        }
    }
}

#[test]
fn the_answers_do_not_depend_on_the_way_to_the_present() {
    let mut numbers = Numbers(2);
    let boxes: Vec<Aabb> =
        (0..200).map(|_| Aabb::from_center(numbers.vector() * 6.0, numbers.vector())).collect();
    for method in METHODS {
        let (mut straight, _) = index_of(method, &boxes);
        let elsewhere: Vec<Aabb> =
            boxes.iter().map(|b| Aabb::from_center(b.max * -3.0, DVec3::ONE)).collect();
        let (mut roundabout, ids) = index_of(method, &elsewhere);
        for (id, bounds) in ids.iter().zip(&boxes).rev() {
            roundabout.update(*id, *bounds).unwrap();
            roundabout.refresh();
        }
        assert_eq!(straight.refresh().all, roundabout.refresh().all);
        let ray = |index: &mut PairIndex| {
            let mut met = Vec::new();
            index
                .cast_ray(DVec3::ZERO, DVec3::ONE, 9.0, |id, t| {
                    met.push((id, t));
                    f64::INFINITY
                })
                .unwrap();
            met
        };
        assert_eq!(ray(&mut straight), ray(&mut roundabout));
    }
}

#[test]
fn a_visitor_can_shorten_the_ray_to_its_first_hit() {
    let boxes: Vec<Aabb> =
        (1..50).map(|i| Aabb::from_center(DVec3::X * f64::from(i) * 4.0, DVec3::ONE)).collect();
    for method in METHODS {
        let (mut index, ids) = index_of(method, &boxes);
        let mut met = Vec::new();
        index
            .cast_ray(DVec3::ZERO, DVec3::X, f64::INFINITY, |id, t| {
                met.push(id);
                t
            })
            .unwrap();
        assert_eq!(met, &ids[..1]);
    }
}

#[test]
fn what_is_no_box_or_no_query_is_refused_by_name() {
    for method in METHODS {
        let mut index = PairIndex::new(method);
        let good = Aabb::from_center(DVec3::ZERO, DVec3::ONE);
        let id = index.insert(good, Filter::EVERYTHING).unwrap();
        let nan = Aabb { min: DVec3::new(0.0, f64::NAN, 0.0), max: DVec3::ONE };
        let inverted = Aabb { min: DVec3::ONE, max: DVec3::ZERO };
        let beyond = Aabb { min: DVec3::INFINITY, max: DVec3::INFINITY };
        for bad in [nan, inverted, beyond] {
            assert!(matches!(index.insert(bad, Filter::EVERYTHING), Err(IndexError::BadBox { .. })));
            assert!(matches!(index.update(id, bad), Err(IndexError::BadBox { .. })));
            assert!(matches!(index.overlapping(bad, &mut Vec::new()), Err(IndexError::BadBox { .. })));
        }
        assert_eq!(index.bounds(id), Ok(&good), "a refused update changes nothing");
        let limit = index.cast_ray(DVec3::ZERO, DVec3::X, f64::NAN, |_, t| t);
        assert_eq!(limit, Err(IndexError::BadLimit));
        assert_eq!(index.nearest(good, f64::NAN, box_distance), Err(IndexError::BadLimit));
        let refused = index.cast_ray(DVec3::ZERO, DVec3::ZERO, 1.0, |_, t| t).unwrap_err();
        assert_eq!(refused.to_string(), "the query's direction [0, 0, 0] must be finite and not zero");
        assert!(index.cast_ray(DVec3::NAN, DVec3::X, 1.0, |_, t| t).is_err());
        assert!(index.sweep(good, DVec3::INFINITY, |_, t| t).is_err());
    }
}

/// Entries that nothing may be paired with cost a refresh nothing, and queries see them where they are all the same.
#[test]
fn entries_without_partners_are_found_where_they_have_moved() {
    let mut index = PairIndex::new(Method::Tree);
    let alone = Filter { groups: 1, mask: 0 };
    let unit = |x: f64| Aabb::from_center(DVec3::X * x, DVec3::ONE);
    let entries: Vec<_> = (0..20).map(|i| index.insert(unit(3.0 * f64::from(i)), alone).unwrap()).collect();
    let other = index.insert(unit(100.0), Filter::EVERYTHING).unwrap();
    index.refresh();
    for (i, &entry) in entries.iter().enumerate() {
        index.update(entry, unit(100.0 + 5.0 * i as f64)).unwrap();
    }
    assert!(index.refresh().all.is_empty());
    let mut found = Vec::new();
    index.overlapping(unit(105.0), &mut found).unwrap();
    assert_eq!(found, [entries[1]]);
    index.update(entries[1], unit(-50.0)).unwrap();
    let nearest = index.nearest(unit(-51.0), 10.0, prall_detection::box_distance).unwrap();
    assert_eq!(nearest.map(|(entry, _)| entry), Some(entries[1]));
    // Once it may meet others, it does.
    index.update(entries[0], unit(100.5)).unwrap();
    index.set_filter(entries[0], Filter::EVERYTHING).unwrap();
    let pairs = index.refresh();
    assert_eq!((pairs.all[0].a, pairs.all[0].b), (entries[0], other));
}
