//! [`Budget`]: how much a step may cost.

use std::time::Instant;

/// The clock is read once in so many work units: reading it costs about as much as a cheap unit.
///
/// A deadline is therefore missed by at most so many units; a limit on work is never overrun.
const CLOCK_STRIDE: u32 = 16;

/// A limit on the work of one step, counted in elementary units and, if wanted, by the clock.
///
/// Work units are always counted. A deadline only ends the work early: whoever replays the step with the
/// reported number of units as the limit gets the same bits without a clock. Where a step shares out its limit
/// among many tests, the replay needs the limit too: `Budget::of_work(limit).cut_at(used)`.
#[derive(Clone, Debug)]
pub struct Budget {
    limit: u64,
    /// What a recorded deadline left of the limit.
    cut: u64,
    used: u64,
    deadline: Option<Instant>,
    /// Units until the clock is read again.
    unread: u32,
    exhausted: bool,
    late: bool,
}

impl Budget {
    /// As much as it takes.
    pub fn unlimited() -> Budget {
        Budget::of_work(u64::MAX)
    }

    /// At most this many elementary work units.
    pub fn of_work(limit: u64) -> Budget {
        Budget { limit, cut: limit, used: 0, deadline: None, unread: 0, exhausted: false, late: false }
    }

    /// Also stop at this moment.
    pub fn until(mut self, deadline: Instant) -> Budget {
        self.deadline = Some(deadline);
        self
    }

    /// Also stop after this many units, but share out the limit as if nothing were cut: what a deadline did.
    pub fn cut_at(mut self, used: u64) -> Budget {
        self.cut = used.min(self.limit);
        self
    }

    /// Asks for one more unit of work; false when the budget has ended, then and ever after.
    #[inline]
    pub fn take(&mut self) -> bool {
        self.take_units(1)
    }

    /// Asks for several units at once; grants all or none, and after the first refusal none ever again.
    #[inline]
    pub fn take_units(&mut self, units: u64) -> bool {
        if self.exhausted || units > self.remaining() || self.is_late(units) {
            self.exhausted = true;
            return false;
        }
        self.used += units;
        true
    }

    fn is_late(&mut self, units: u64) -> bool {
        let Some(deadline) = self.deadline else { return false };
        if self.unread > 0 {
            self.unread = self.unread.saturating_sub(u32::try_from(units).unwrap_or(u32::MAX));
            return false;
        }
        self.unread = CLOCK_STRIDE - 1;
        self.late = Instant::now() >= deadline;
        self.late
    }

    /// A budget of its own for a part of the work: at most `units`, at most what is left, the same deadline.
    ///
    /// The lender pays when it is given to [`Budget::take_back`].
    pub fn lend(&self, units: u64) -> Budget {
        let units = if self.exhausted { 0 } else { units.min(self.remaining()) };
        Budget { deadline: self.deadline, unread: self.unread, ..Budget::of_work(units) }
    }

    /// Pays for the work that was done with a lent budget. If it ended by the clock, so does this one.
    pub fn take_back(&mut self, lent: Budget) {
        self.used = self.used.saturating_add(lent.used);
        self.unread = lent.unread;
        self.late |= lent.late;
        self.exhausted |= lent.late;
    }

    /// Work units that may still be asked for, the clock permitting.
    pub fn remaining(&self) -> u64 {
        self.cut.saturating_sub(self.used)
    }

    /// Work units that were granted in the first place: what shares are cut from.
    pub fn limit(&self) -> u64 {
        self.limit
    }

    /// True if neither work nor the clock can end it: work may then be done in any order.
    pub fn is_unlimited(&self) -> bool {
        self.cut == u64::MAX && self.deadline.is_none()
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

    #[test]
    fn several_units_are_granted_together_or_not_at_all() {
        let mut budget = Budget::of_work(5);
        assert!(budget.take_units(3));
        assert!(!budget.take_units(3));
        assert_eq!(budget.used(), 3);
        assert!(!budget.take(), "closed after the first refusal");
    }

    #[test]
    fn a_deadline_in_the_middle_is_seen_within_one_stride() {
        let mut budget = Budget::unlimited().until(Instant::now() + std::time::Duration::from_millis(2));
        let mut granted_after_deadline = 0;
        while budget.take() {
            granted_after_deadline += u64::from(Instant::now() >= budget.deadline.expect("set above"));
        }
        assert!(granted_after_deadline <= u64::from(CLOCK_STRIDE));
    }

    #[test]
    fn lent_work_is_paid_by_the_lender_and_never_exceeds_what_is_left() {
        let mut budget = Budget::of_work(10);
        let mut lent = budget.lend(7);
        assert_eq!((0..20).filter(|_| lent.take()).count(), 7);
        budget.take_back(lent);
        assert_eq!(budget.remaining(), 3);
        let mut lent = budget.lend(7);
        assert_eq!((0..20).filter(|_| lent.take()).count(), 3);
        budget.take_back(lent);
        assert_eq!((budget.used(), budget.remaining()), (10, 0));
        assert!(!budget.exhausted(), "nobody has been refused a unit of the whole");
    }

    #[test]
    fn a_lent_budget_that_ends_by_the_clock_closes_its_lender() {
        let mut budget = Budget::unlimited().until(Instant::now());
        let mut lent = budget.lend(5);
        assert!(!lent.take());
        budget.take_back(lent);
        assert!(budget.exhausted());
    }

    #[test]
    fn a_cut_budget_keeps_the_limit_that_shares_are_cut_from() {
        let mut budget = Budget::of_work(100).cut_at(4);
        assert_eq!((budget.limit(), budget.remaining()), (100, 4));
        assert_eq!((0..10).filter(|_| budget.take()).count(), 4);
    }
}
