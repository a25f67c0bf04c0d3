//! The line search: root of the slope along a direction.

/// Root of a function that is negative at 0 and never falls, to 1 % of its value at 0; 1 if the root is near it.
///
/// Regula falsi in the form of Illinois, after the root is bracketed by doubling.
pub(super) fn find_root(slope: impl Fn(f64) -> f64) -> f64 {
    let start = slope(0.0);
    let small = 0.01 * start.abs();
    let mut high = 1.0;
    let mut at_high = slope(high);
    if at_high.abs() <= small || !(start < 0.0) {
        return high;
    }
    let (mut low, mut at_low) = (0.0, start);
    while at_high < -small && high < 64.0 {
        (low, at_low) = (high, at_high);
        high *= 2.0;
        at_high = slope(high);
    }
    if at_high <= small {
        return high;
    }
    let mut kept_high = false;
    for _ in 0..30 {
        let step = low + (high - low) * (-at_low / (at_high - at_low)).clamp(0.01, 0.99);
        let value = slope(step);
        if value.abs() <= small {
            return step;
        }
        if value < 0.0 {
            (low, at_low) = (step, value);
            if kept_high {
                at_high *= 0.5;
            }
            kept_high = true;
        } else {
            (high, at_high) = (step, value);
            if !kept_high {
                at_low *= 0.5;
            }
            kept_high = false;
        }
    }
    0.5 * (low + high)
}

#[cfg(test)]
mod tests {
    use super::find_root;

    #[test]
    fn a_straight_slope_takes_the_whole_step() {
        assert_eq!(find_root(|step| step - 1.0), 1.0);
    }

    #[test]
    fn roots_before_and_beyond_the_whole_step_are_found() {
        for root in [1e-3, 0.2, 0.9, 1.7, 30.0] {
            // Steep behind the root, as where a contact closes.
            let slope = |step: f64| if step < root { step / root - 1.0 } else { 1e3 * (step / root - 1.0) };
            assert!(slope(find_root(slope)).abs() <= 0.01, "{root}");
        }
    }
}
