use super::{
    COLUMNS, FASTEST, PUSHES, Plan, PlanOptions, RATES, REACH, STAGE, State, cost_at, index_of, value_of,
};
use crate::pilot::Lines;
use crate::track::{Ice, PointMassStart, Track};

/// Costs of a stage one state at a time, as the pilot himself looks ahead: the lanes must give the same bits.
#[test]
fn a_table_by_lanes_has_the_bits_of_one_state_at_a_time() {
    let track = Track::open("whistler-like", "standard").unwrap();
    let lines = Lines::parse("4=double,7=early,12=late,16=single", &track).unwrap();
    let options = PlanOptions { lines, ..PlanOptions::default() };
    let plan = Plan::new(&track, &Ice::new(&track), PointMassStart::Pushed, options);
    // Some of the straights, clothoids and curves, steered lines among them.
    for stage in (0..plan.costs.len() - 1).step_by(29) {
        let after = &plan.costs[stage + 1];
        let [low, high] = plan.swing.free(stage * STAGE);
        let (first, last) = (index_of(low, COLUMNS, REACH).0, index_of(high, COLUMNS, REACH).0 + 1);
        for j in first..=last {
            for k in 0..RATES {
                let (place, rate) = (value_of(j, COLUMNS, REACH), value_of(k, RATES, FASTEST));
                let least = PUSHES.into_iter().map(|push| {
                    let begin = State { place, rate, cost: 0.0, weight: 1.0 };
                    let rows = stage * STAGE..(stage + 1) * STAGE;
                    let end = rows.fold(begin, |state, row| plan.ahead(row, state, push));
                    end.cost + end.weight * cost_at(after, end.place, end.rate)
                });
                let least = least.fold(1e6, f64::min) as f32;
                assert_eq!(plan.costs[stage][j * RATES + k].to_bits(), least.to_bits(), "{stage} {j} {k}");
            }
        }
    }
}
