//! Fresnel's integrals.

use std::f64::consts::{FRAC_PI_2, PI};

/// Below this the power series loses at most two digits to cancellation: its terms stay below `e^(pi 1.6^2 / 2)`, about 56.
const SERIES_UNTIL: f64 = 1.6;
/// From here on the asymptotic series reaches rounding before its terms begin to grow.
const ASYMPTOTIC_FROM: f64 = 6.0;

/// `(S, C)` with `S(t)` the integral of `sin(pi u^2 / 2)` and `C(t)` that of `cos(pi u^2 / 2)` over `u` from 0 to `t`,
/// to 1e-14.
///
/// A clothoid of parameter `a` has the coordinates `a C(s/a)` along and `a S(s/a)` across its first tangent, at the arc length `s`.
/// Three ways: the power series near zero, the asymptotic series of the auxiliary functions far out, and Gauss's quadrature
/// of 16 points on pieces of at most a quarter turn in between.
pub fn fresnel(t: f64) -> (f64, f64) {
    let size = t.abs();
    let (s, c) = if !(size < f64::INFINITY) {
        if size.is_nan() { (f64::NAN, f64::NAN) } else { (0.5, 0.5) }
    } else if size <= SERIES_UNTIL {
        series(size)
    } else if size >= ASYMPTOTIC_FROM {
        asymptotic(size)
    } else {
        let (s, c) = series(SERIES_UNTIL);
        let (more_s, more_c) = quadrature(SERIES_UNTIL, size);
        (s + more_s, c + more_c)
    };
    if t < 0.0 { (-s, -c) } else { (s, c) }
}

/// `C = t sum (-1)^k x^(2k) / ((2k)! (4k+1))`, `S = t x sum (-1)^k x^(2k) / ((2k+1)! (4k+3))` with `x = pi t^2 / 2`.
fn series(t: f64) -> (f64, f64) {
    let x = FRAC_PI_2 * t * t;
    let (mut s, mut c) = (0.0, 0.0);
    let (mut cosine_term, mut sine_term) = (t, t * x);
    let mut k = 0.0;
    while cosine_term.abs() + sine_term.abs() > 1e-18 * t {
        c += cosine_term / (4.0 * k + 1.0);
        s += sine_term / (4.0 * k + 3.0);
        cosine_term *= -x * x / ((2.0 * k + 1.0) * (2.0 * k + 2.0));
        sine_term *= -x * x / ((2.0 * k + 2.0) * (2.0 * k + 3.0));
        k += 1.0;
    }
    (s, c)
}

/// `C = 1/2 + f sin - g cos`, `S = 1/2 - f cos - g sin` at `pi t^2 / 2`, with
/// `f ~ 1/(pi t) sum (-1)^k (4k-1)!! / (pi t^2)^(2k)` and `g ~ 1/(pi t) sum (-1)^k (4k+1)!! / (pi t^2)^(2k+1)`.
fn asymptotic(t: f64) -> (f64, f64) {
    let z = PI * t * t;
    let (mut f, mut g) = (0.0, 0.0);
    let mut term = 1.0;
    let mut odd = 1.0;
    loop {
        f += term;
        let next = term * odd / z;
        g += next;
        let after = -next * (odd + 2.0) / z;
        odd += 4.0;
        if after.abs() < 1e-17 || after.abs() >= term.abs() {
            break;
        }
        term = after;
    }
    let scale = 1.0 / (PI * t);
    // The angle modulo a full turn is taken on t^2 modulo 4, which is exact; pi t^2 / 2 itself is not for large t.
    let angle = FRAC_PI_2 * libm::fmod(t * t, 4.0);
    let (sine, cosine) = libm::sincos(angle);
    (0.5 - scale * (f * cosine + g * sine), 0.5 + scale * (f * sine - g * cosine))
}

/// Nodes and weights of Gauss and Legendre's rule of 16 points on [-1, 1], one half of each pair.
const GAUSS: [(f64, f64); 8] = [
    (0.095_012_509_837_637_44, 0.189_450_610_455_068_5),
    (0.281_603_550_779_258_9, 0.182_603_415_044_923_6),
    (0.458_016_777_657_227_4, 0.169_156_519_395_002_5),
    (0.617_876_244_402_643_7, 0.149_595_988_816_576_7),
    (0.755_404_408_355_003, 0.124_628_971_255_533_9),
    (0.865_631_202_387_831_7, 0.095_158_511_682_492_8),
    (0.944_575_023_073_232_6, 0.062_253_523_938_647_9),
    (0.989_400_934_991_649_9, 0.027_152_459_411_754_1),
];

fn quadrature(from: f64, to: f64) -> (f64, f64) {
    let quarter_turns = (to * to - from * from).ceil().max(1.0);
    let (mut s, mut c) = (0.0, 0.0);
    for piece in 0..quarter_turns as u32 {
        let a = from + (to - from) * f64::from(piece) / quarter_turns;
        let b = from + (to - from) * f64::from(piece + 1) / quarter_turns;
        let (middle, half) = (0.5 * (a + b), 0.5 * (b - a));
        for (node, weight) in GAUSS {
            for u in [middle - half * node, middle + half * node] {
                let (sine, cosine) = libm::sincos(FRAC_PI_2 * u * u);
                s += half * weight * sine;
                c += half * weight * cosine;
            }
        }
    }
    (s, c)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Values of tables (Abramowitz and Stegun 7.1; the digits beyond come from 40-digit arithmetic).
    #[test]
    fn fresnel_integrals_have_their_tabulated_values() {
        let cases = [
            (0.5, 0.064_732_432_859_999_28, 0.492_344_225_871_446_4),
            (1.0, 0.438_259_147_390_354_8, 0.779_893_400_376_822_8),
            (1.5, 0.697_504_960_082_093_1, 0.445_261_176_039_821_5),
            (2.0, 0.343_415_678_363_698_24, 0.488_253_406_075_340_75),
            (5.0, 0.499_191_381_917_116_87, 0.563_631_188_704_012_2),
        ];
        for (t, s, c) in cases {
            let found = fresnel(t);
            assert!((found.0 - s).abs() < 1e-14 && (found.1 - c).abs() < 1e-14, "{t}: {found:?}");
            assert_eq!(fresnel(-t), (-found.0, -found.1));
        }
        assert_eq!(fresnel(f64::INFINITY), (0.5, 0.5));
        assert!(fresnel(f64::NAN).0.is_nan());
    }

    /// The three ways meet: quadrature from one method's realm into another's changes nothing.
    #[test]
    fn the_three_ways_agree_where_they_meet() {
        for (from, to) in [(1.2, 1.59), (1.4, 2.3), (3.0, 5.9), (5.5, 6.5), (6.0, 9.0)] {
            let (s, c) = quadrature(from, to);
            let (a, b) = (fresnel(from), fresnel(to));
            assert!((b.0 - a.0 - s).abs() < 1e-14, "{from}..{to}: {:e}", b.0 - a.0 - s);
            assert!((b.1 - a.1 - c).abs() < 1e-14, "{from}..{to}: {:e}", b.1 - a.1 - c);
        }
    }
}
