//! [`Budget`]: how much a step may cost.

use std::time::Instant;

/// A limit on the work of one step, counted in elementary units and, if wanted, by the clock.
///
/// Work units are always counted. A deadline only ends the work early: whoever replays the step with the
/// reported number of units as the limit gets the same bits without a clock.
#[derive(Clone, Debug)]
pub struct Budget {
    limit: u64,
    used: u64,
    deadline: Option<Instant>,
    exhausted: bool,
}

impl Budget {
    /// As much as it takes.
    pub fn unlimited() -> Budget {
        Budget::of_work(u64::MAX)
    }

    /// At most this many elementary work units.
    pub fn of_work(limit: u64) -> Budget {
        Budget { limit, used: 0, deadline: None, exhausted: false }
    }

    /// Also stop at this moment.
    pub fn until(mut self, deadline: Instant) -> Budget {
        self.deadline = Some(deadline);
        self
    }

    /// Asks for one more unit of work; false when the budget has ended, then and ever after.
    pub fn take(&mut self) -> bool {
        if self.exhausted || self.used >= self.limit || self.deadline.is_some_and(|d| Instant::now() >= d) {
            self.exhausted = true;
            return false;
        }
        self.used += 1;
        true
    }

    /// Work units used so far.
    pub fn used(&self) -> u64 {
        self.used
    }

    /// True once a unit was refused.
    pub fn exhausted(&self) -> bool {
        self.exhausted
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_work_budget_grants_exactly_its_units_and_then_stays_closed() {
        let mut budget = Budget::of_work(3);
        let granted = (0..10).filter(|_| budget.take()).count();
        assert_eq!(granted, 3);
        assert_eq!(budget.used(), 3);
        assert!(budget.exhausted());
    }

    #[test]
    fn a_passed_deadline_ends_the_work_at_once() {
        let mut budget = Budget::unlimited().until(Instant::now());
        assert!(!budget.take());
        assert_eq!(budget.used(), 0);
    }

    #[test]
    fn an_unlimited_budget_that_was_not_refused_is_not_exhausted() {
        let mut budget = Budget::unlimited();
        assert!((0..1000).all(|_| budget.take()));
        assert!(!budget.exhausted());
    }
}
