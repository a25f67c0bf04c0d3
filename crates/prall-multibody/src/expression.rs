//! Formulas that people write, with exact derivatives along a line.
//!
//! ```text
//! sum      product { ("+" | "-") product }
//! product  signed { ("*" | "/") signed }
//! signed   "-" signed | power
//! power    atom [ "^" signed ]                       the exponent is a number or a formula of numbers
//! atom     number | name | function "(" sum ")" | "(" sum ")"
//! ```
//!
//! A formula is evaluated as a [`Jet`]: its value and its first two derivatives by `t` where the variables go along `q + r t`. Each operation
//! knows what it does to all three (automatic differentiation), so they are exact to rounding.

use std::collections::BTreeMap;

/// A value with its first and second derivative.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Jet(pub(crate) [f64; 3]);

impl Jet {
    fn constant(value: f64) -> Jet {
        Jet([value, 0.0, 0.0])
    }

    fn plus(self, other: Jet) -> Jet {
        Jet(std::array::from_fn(|order| self.0[order] + other.0[order]))
    }

    fn scaled(self, factor: f64) -> Jet {
        Jet(self.0.map(|part| part * factor))
    }

    fn times(self, other: Jet) -> Jet {
        let (Jet([a, a1, a2]), Jet([b, b1, b2])) = (self, other);
        Jet([a * b, a1 * b + a * b1, a2 * b + 2.0 * a1 * b1 + a * b2])
    }

    /// Of a function with this value and these two derivatives at the jet's value.
    fn through(self, value: f64, first: f64, second: f64) -> Jet {
        let Jet([_, u1, u2]) = self;
        Jet([value, first * u1, second * u1 * u1 + first * u2])
    }

    fn inverse(self) -> Jet {
        let x = 1.0 / self.0[0];
        self.through(x, -x * x, 2.0 * x * x * x)
    }

    fn power(self, exponent: f64) -> Jet {
        let (x, e) = (self.0[0], exponent);
        // Factors of zero stand for derivatives that vanish, also where the power is not finite.
        let term = |factor: f64, e: f64| if factor == 0.0 { 0.0 } else { factor * libm::pow(x, e) };
        self.through(libm::pow(x, e), term(e, e - 1.0), term(e * (e - 1.0), e - 2.0))
    }
}

/// A function of one variable that formulas know.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Function {
    Sin,
    Cos,
    Tan,
    Atan,
    Sqrt,
    Exp,
    Ln,
}

const FUNCTIONS: [(&str, Function); 7] = [
    ("sin", Function::Sin),
    ("cos", Function::Cos),
    ("tan", Function::Tan),
    ("atan", Function::Atan),
    ("sqrt", Function::Sqrt),
    ("exp", Function::Exp),
    ("ln", Function::Ln),
];

/// Whether a name is taken by a function.
pub(crate) fn is_function(name: &str) -> bool {
    FUNCTIONS.iter().any(|(known, _)| *known == name)
}

impl Function {
    fn of(self, jet: Jet) -> Jet {
        let x = jet.0[0];
        match self {
            Function::Sin | Function::Cos => {
                let (sine, cosine) = libm::sincos(x);
                if self == Function::Sin {
                    jet.through(sine, cosine, -sine)
                } else {
                    jet.through(cosine, -sine, -cosine)
                }
            }
            Function::Tan => {
                let tangent = libm::tan(x);
                let slope = 1.0 + tangent * tangent;
                jet.through(tangent, slope, 2.0 * tangent * slope)
            }
            Function::Atan => {
                let slope = 1.0 / (1.0 + x * x);
                jet.through(libm::atan(x), slope, -2.0 * x * slope * slope)
            }
            Function::Sqrt => {
                let root = x.sqrt();
                jet.through(root, 0.5 / root, -0.25 / (root * x))
            }
            Function::Exp => {
                let value = libm::exp(x);
                jet.through(value, value, value)
            }
            Function::Ln => jet.through(libm::log(x), 1.0 / x, -1.0 / (x * x)),
        }
    }
}

/// A formula of variables `q0`, `q1`, ...
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Expression {
    Number(f64),
    Variable(usize),
    Sum(Box<[Expression; 2]>),
    Product(Box<[Expression; 2]>),
    Negative(Box<Expression>),
    Inverse(Box<Expression>),
    Power(Box<Expression>, f64),
    Function(Function, Box<Expression>),
}

impl Expression {
    /// Value and derivatives along `q + r t`, at `t = 0`. Variables that are not given stay at 0.
    pub(crate) fn along(&self, q: &[f64], r: &[f64]) -> Jet {
        let get = |values: &[f64], index: usize| values.get(index).copied().unwrap_or(0.0);
        match self {
            Expression::Number(value) => Jet::constant(*value),
            Expression::Variable(index) => Jet([get(q, *index), get(r, *index), 0.0]),
            Expression::Sum(terms) => terms[0].along(q, r).plus(terms[1].along(q, r)),
            Expression::Product(factors) => factors[0].along(q, r).times(factors[1].along(q, r)),
            Expression::Negative(of) => of.along(q, r).scaled(-1.0),
            Expression::Inverse(of) => of.along(q, r).inverse(),
            Expression::Power(base, exponent) => base.along(q, r).power(*exponent),
            Expression::Function(function, of) => function.of(of.along(q, r)),
        }
    }

    /// Its value if it has no variables.
    fn number(&self) -> Option<f64> {
        let constant = match self {
            Expression::Number(_) => true,
            Expression::Variable(_) => false,
            Expression::Sum(parts) | Expression::Product(parts) => {
                parts.iter().all(|part| part.number().is_some())
            }
            Expression::Negative(of)
            | Expression::Inverse(of)
            | Expression::Power(of, _)
            | Expression::Function(_, of) => of.number().is_some(),
        };
        constant.then(|| self.along(&[], &[]).0[0])
    }
}

/// What is wrong with a formula, and at which of its bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ParseError {
    pub(crate) at: usize,
    pub(crate) message: String,
}

/// Characters of a formula, so that what is made of it is never nested deeper than the stack is.
const LONGEST: usize = 1000;
/// Brackets within brackets, and signs before signs, that a formula may have.
const DEEPEST: usize = 64;

struct Parser<'a> {
    text: &'a str,
    at: usize,
    depth: usize,
    variables: usize,
    constants: &'a BTreeMap<String, f64>,
}

/// Reads a formula of so many variables and these constants.
pub(crate) fn parse(
    text: &str,
    variables: usize,
    constants: &BTreeMap<String, f64>,
) -> Result<Expression, ParseError> {
    if text.len() > LONGEST {
        return Err(ParseError { at: 0, message: format!("a formula has at most {LONGEST} characters") });
    }
    let mut parser = Parser { text, at: 0, depth: 0, variables, constants };
    let found = parser.sum()?;
    parser.skip_space();
    match parser.peek() {
        None => Ok(found),
        Some(other) => {
            parser.fail(format!("'{other}' was not expected here; a sign such as + or * is missing"))
        }
    }
}

impl Parser<'_> {
    fn peek(&self) -> Option<char> {
        self.text[self.at..].chars().next()
    }

    fn skip_space(&mut self) {
        let rest = &self.text[self.at..];
        self.at += rest.len() - rest.trim_start().len();
    }

    /// Takes one of these characters, if it comes next.
    fn take(&mut self, wanted: &[char]) -> Option<char> {
        self.skip_space();
        let found = self.peek().filter(|next| wanted.contains(next))?;
        self.at += found.len_utf8();
        Some(found)
    }

    fn fail<T>(&self, message: String) -> Result<T, ParseError> {
        Err(ParseError { at: self.at, message })
    }

    fn sum(&mut self) -> Result<Expression, ParseError> {
        let mut sum = self.product()?;
        while let Some(sign) = self.take(&['+', '-']) {
            let next = self.product()?;
            let next = if sign == '-' { Expression::Negative(Box::new(next)) } else { next };
            sum = Expression::Sum(Box::new([sum, next]));
        }
        Ok(sum)
    }

    fn product(&mut self) -> Result<Expression, ParseError> {
        let mut product = self.signed()?;
        while let Some(sign) = self.take(&['*', '/']) {
            let next = self.signed()?;
            let next = if sign == '/' { Expression::Inverse(Box::new(next)) } else { next };
            product = Expression::Product(Box::new([product, next]));
        }
        Ok(product)
    }

    fn signed(&mut self) -> Result<Expression, ParseError> {
        self.depth += 1;
        if self.depth > DEEPEST {
            return self.fail(format!("more than {DEEPEST} brackets or signs within each other"));
        }
        let found = if self.take(&['-']).is_some() {
            Expression::Negative(Box::new(self.signed()?))
        } else {
            self.power()?
        };
        self.depth -= 1;
        Ok(found)
    }

    fn power(&mut self) -> Result<Expression, ParseError> {
        let base = self.atom()?;
        if self.take(&['^']).is_none() {
            return Ok(base);
        }
        self.skip_space();
        let at = self.at;
        match self.signed()?.number() {
            Some(exponent) => Ok(Expression::Power(Box::new(base), exponent)),
            None => Err(ParseError {
                at,
                message: "an exponent must be a number; write exp(b*ln(a)) for a^b".to_owned(),
            }),
        }
    }

    fn atom(&mut self) -> Result<Expression, ParseError> {
        self.skip_space();
        match self.peek() {
            Some('(') => self.bracket(),
            Some(digit) if digit.is_ascii_digit() || digit == '.' => self.literal(),
            Some(letter) if letter.is_alphabetic() => self.name(),
            Some(other) => self.fail(format!("'{other}' was not expected here; a number, a name or '(' is")),
            None => self.fail("the formula ends too early".to_owned()),
        }
    }

    fn bracket(&mut self) -> Result<Expression, ParseError> {
        if self.take(&['(']).is_none() {
            return self.fail("'(' is missing".to_owned());
        }
        let inside = self.sum()?;
        if self.take(&[')']).is_none() {
            return self.fail("')' is missing".to_owned());
        }
        Ok(inside)
    }

    fn literal(&mut self) -> Result<Expression, ParseError> {
        let rest = &self.text[self.at..];
        let mut length =
            rest.find(|next: char| !(next.is_ascii_digit() || next == '.')).unwrap_or(rest.len());
        // An exponent: e or E, a sign perhaps, and digits.
        if let Some(tail) = rest[length..].strip_prefix(['e', 'E']) {
            let digits = tail.strip_prefix(['+', '-']).unwrap_or(tail);
            let count = digits.bytes().take_while(u8::is_ascii_digit).count();
            if count > 0 {
                length = rest.len() - digits.len() + count;
            }
        }
        match rest[..length].parse::<f64>() {
            Ok(value) if value.is_finite() => {
                self.at += length;
                Ok(Expression::Number(value))
            }
            _ => self.fail(format!("'{}' is not a number", &rest[..length])),
        }
    }

    fn name(&mut self) -> Result<Expression, ParseError> {
        let rest = &self.text[self.at..];
        let length = rest.find(|next: char| !(next.is_alphanumeric() || next == '_')).unwrap_or(rest.len());
        let name = &rest[..length];
        if let Some((_, function)) = FUNCTIONS.iter().find(|(known, _)| *known == name) {
            self.at += length;
            return Ok(Expression::Function(*function, Box::new(self.bracket()?)));
        }
        let coordinate = name.strip_prefix('q').and_then(|number| number.parse::<usize>().ok());
        let found = match coordinate.filter(|number| *number < self.variables) {
            Some(number) => Expression::Variable(number),
            None if name == "pi" => Expression::Number(std::f64::consts::PI),
            None => match self.constants.get(name) {
                Some(value) => Expression::Number(*value),
                None => return self.fail(format!("'{name}' is not known; {}", self.known())),
            },
        };
        self.at += length;
        Ok(found)
    }

    fn known(&self) -> String {
        let variables = (0..self.variables).map(|number| format!("q{number}"));
        let names = variables.chain(self.constants.keys().cloned()).chain(["pi".to_owned()]);
        let functions = FUNCTIONS.iter().map(|(name, _)| format!("{name}()"));
        format!("known are {}", names.chain(functions).collect::<Vec<_>>().join(", "))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<Expression, ParseError> {
        parse(text, 2, &BTreeMap::from([("a".to_owned(), 3.0), ("long_name".to_owned(), 0.5)]))
    }

    fn value(text: &str) -> f64 {
        read(text).unwrap_or_else(|error| panic!("{text}: {error:?}")).along(&[0.7, -1.2], &[]).0[0]
    }

    #[test]
    fn formulas_mean_what_they_mean_on_paper() {
        for (text, expected) in [
            ("1 + 2*3 - 4/2", 5.0),
            ("-2^2", -4.0),
            ("2^-1", 0.5),
            ("2^3^2", 512.0),
            ("8/2/2", 2.0),
            ("1 - 2 - 3", -4.0),
            ("1.5e1 + .5E-1", 15.05),
            ("(1 + a)*long_name", 2.0),
            ("--3", 3.0),
            ("2 * -3", -6.0),
            ("sqrt(16) + ln(exp(2)) + atan(tan(0.3))", 6.3),
            ("sin(q0)^2 + cos(q0)^2", 1.0),
            ("q1^3", -1.728),
            ("4*atan(1) - pi", 0.0),
        ] {
            assert!((value(text) - expected).abs() < 1e-12, "{text}: {}", value(text));
        }
    }

    #[test]
    fn slips_are_told_with_their_place() {
        for (text, at, part) in [
            ("", 0, "ends too early"),
            ("2*", 2, "ends too early"),
            ("2 3", 2, "'3' was not expected"),
            ("sin q0", 4, "'(' is missing"),
            ("(1 + q0", 7, "')' is missing"),
            ("1 + q2", 4, "known are q0, q1, a, long_name, pi, sin()"),
            ("2 + foo*3", 4, "'foo' is not known"),
            ("1..2", 0, "'1..2' is not a number"),
            ("2^q0", 2, "an exponent must be a number"),
            ("2 + %", 4, "'%' was not expected"),
            ("1e999", 0, "is not a number"),
            ("\u{e9}1", 0, "is not known"),
        ] {
            let error = read(text).unwrap_err();
            assert!(error.at == at && error.message.contains(part), "{text}: {error:?}");
        }
        assert!(read(&"(".repeat(500)).unwrap_err().message.contains("within each other"));
        assert!(read(&"-".repeat(500)).unwrap_err().message.contains("within each other"));
        assert!(read(&"1+".repeat(100_000)).unwrap_err().message.contains("at most 1000 characters"));
    }

    /// Against central differences of second order over 1e-4: 1e-7 of order-one third and fourth derivatives, and rounding of 1e-8.
    #[test]
    fn derivatives_are_those_of_the_values() {
        let (q, r, h) = ([0.7, 1.2], [0.8, -0.5], 1e-4);
        for text in [
            "q0*q1 + q0/q1",
            "sin(q0*q1) - cos(q0 + 2*q1)",
            "tan(q0) * atan(q1)",
            "sqrt(q0 + q1^2)",
            "exp(-q0*q1) + ln(q0)",
            "q0^3 + q1^-2 + q0^1.5 + q1^1 + q0^0 + q1^2",
            "(1 + q0)^2/(2 - q1*sin(q0))",
        ] {
            let formula = read(text).unwrap();
            let at = |t: f64| formula.along(&[q[0] + r[0] * t, q[1] + r[1] * t], &[]).0[0];
            let Jet([value, first, second]) = formula.along(&q, &r);
            assert_eq!(value, at(0.0));
            assert!((first - (at(h) - at(-h)) / (2.0 * h)).abs() < 1e-6, "{text}: {first}");
            assert!((second - (at(h) - 2.0 * value + at(-h)) / (h * h)).abs() < 1e-5, "{text}: {second}");
        }
    }

    /// Powers whose derivatives vanish do so at zero, too.
    #[test]
    fn whole_powers_are_smooth_at_zero() {
        for (text, expected) in
            [("q0^0", [1.0, 0.0, 0.0]), ("q0^1", [0.0, 1.0, 0.0]), ("q0^2", [0.0, 0.0, 2.0])]
        {
            assert_eq!(read(text).unwrap().along(&[0.0], &[1.0]).0, expected, "{text}");
        }
    }
}
