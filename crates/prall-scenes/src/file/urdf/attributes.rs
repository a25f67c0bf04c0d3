//! [`Part`]: a link or joint as elements, whose attributes are read with their places.

use std::ops::Range;

use glam::DVec3;

use super::Wrong;
use super::model::{Name, no_urdf};
use crate::file::numbers::MAX_NUMBER;
use crate::file::xml::{self, Element};

/// A link or joint.
pub(super) struct Part<'a> {
    elements: &'a [Element],
    at: usize,
    /// What messages call it.
    title: String,
    /// What a person should know about it.
    pub(super) notes: Vec<String>,
}

impl<'a> Part<'a> {
    pub(super) fn new(elements: &'a [Element], at: usize, title: String) -> Part<'a> {
        Part { elements, at, title, notes: Vec::new() }
    }

    /// Index of its own element.
    pub(super) fn at(&self) -> usize {
        self.at
    }

    pub(super) fn element(&self, at: usize) -> &'a Element {
        &self.elements[at]
    }

    /// Notes something about it.
    pub(super) fn note(&mut self, text: &str) {
        self.notes.push(format!("{}: {text}", self.title));
    }

    pub(super) fn wrong(&self, place: Range<usize>, message: &str) -> Wrong {
        no_urdf(place, &format!("{}: {message}", self.title), None)
    }

    /// Its own elements with this tag.
    pub(super) fn all(&self, tag: &str) -> Vec<usize> {
        xml::children(self.elements, self.at).filter(|at| self.elements[*at].tag == tag).collect()
    }

    /// Its element with this tag, of which there should be one: the first counts.
    pub(super) fn only(&mut self, tag: &str) -> Option<usize> {
        let all = self.all(tag);
        if all.len() > 1 {
            self.note(&format!("it has {} <{tag}>; the first counts", all.len()));
        }
        all.first().copied()
    }

    /// The first element with this tag inside of another one.
    pub(super) fn inside(&self, at: usize, tag: &str) -> Option<usize> {
        xml::children(self.elements, at).find(|at| self.elements[*at].tag == tag)
    }

    /// The first element inside of another one.
    pub(super) fn first_inside(&self, at: usize) -> Option<usize> {
        xml::children(self.elements, at).next()
    }

    /// An attribute that must be there.
    pub(super) fn needed_name(&self, at: usize, name: &str) -> Result<Name, Wrong> {
        let element = self.element(at);
        let found = element.attribute(name).map(|(text, place)| Name { text: xml::unescaped(text), place });
        found.ok_or_else(|| self.missing(at, name))
    }

    pub(super) fn needed_vector(&self, at: usize, name: &str) -> Result<DVec3, Wrong> {
        self.vector(at, name)?.ok_or_else(|| self.missing(at, name))
    }

    /// A length in m, 0 or more.
    pub(super) fn needed_length(&self, at: usize, name: &str) -> Result<f64, Wrong> {
        self.least(at, name, 0.0)?.ok_or_else(|| self.missing(at, name))
    }

    /// Three lengths in m, 0 or more.
    pub(super) fn needed_size(&self, at: usize, name: &str) -> Result<DVec3, Wrong> {
        let size = self.needed_vector(at, name)?;
        self.check_least(at, name, size.min_element(), 0.0)?;
        Ok(size)
    }

    /// A number that is not below another one; none if the attribute is missing.
    pub(super) fn least(&self, at: usize, name: &str, least: f64) -> Result<Option<f64>, Wrong> {
        let number = self.number(at, name)?;
        number.map_or(Ok(()), |number| self.check_least(at, name, number, least))?;
        Ok(number)
    }

    fn check_least(&self, at: usize, name: &str, number: f64, least: f64) -> Result<(), Wrong> {
        if number >= least {
            return Ok(());
        }
        let element = self.element(at);
        let place = element.attribute(name).map_or(element.span.clone(), |(_, place)| place);
        let message = format!("{name} of <{}> must be {least} or more, not {number}", element.tag);
        Err(self.wrong(place, &message))
    }

    /// By how much a mesh is scaled. One number counts for all axes; of more than three the first three count.
    pub(super) fn scale(&mut self, at: usize) -> Result<DVec3, Wrong> {
        let Some((text, place)) = self.element(at).attribute("scale") else { return Ok(DVec3::ONE) };
        let words = words(text);
        if words.len() == 1 {
            let scale = self.number(at, "scale")?.unwrap_or(1.0);
            self.note(&format!("the scale of a mesh is one number, {scale}; it counts for all axes"));
            return Ok(DVec3::splat(scale));
        }
        if words.len() > 3 {
            self.note(&format!("the scale of a mesh has {} numbers; the first three count", words.len()));
            let first = words[..3].join(" ");
            let read = self.numbers_of::<3>(at, "scale", (&first, place), MAX_NUMBER)?;
            return Ok(DVec3::from_array(read));
        }
        Ok(self.vector(at, "scale")?.unwrap_or(DVec3::ONE))
    }

    fn missing(&self, at: usize, name: &str) -> Wrong {
        let element = self.element(at);
        let start = element.span.start;
        self.wrong(start..start, &format!("<{}> has no {name}", element.tag))
    }

    /// A number that a scene can have; none if the attribute is missing.
    pub(super) fn number(&self, at: usize, name: &str) -> Result<Option<f64>, Wrong> {
        Ok(self.numbers::<1>(at, name, MAX_NUMBER)?.map(|[number]| number))
    }

    /// A number that means no limit where it is large: files write 1e16 or infinity.
    pub(super) fn stop(&self, at: usize, name: &str) -> Result<Option<f64>, Wrong> {
        Ok(self.numbers::<1>(at, name, f64::INFINITY)?.map(|[number]| number))
    }

    pub(super) fn vector(&self, at: usize, name: &str) -> Result<Option<DVec3>, Wrong> {
        Ok(self.numbers::<3>(at, name, MAX_NUMBER)?.map(DVec3::from_array))
    }

    /// Numbers with spaces or commas between them, up to a size.
    fn numbers<const N: usize>(
        &self,
        at: usize,
        name: &str,
        largest: f64,
    ) -> Result<Option<[f64; N]>, Wrong> {
        let attribute = self.element(at).attribute(name);
        attribute.map(|attribute| self.numbers_of(at, name, attribute, largest)).transpose()
    }

    /// The same of a text, and where it stands.
    fn numbers_of<const N: usize>(
        &self,
        at: usize,
        name: &str,
        (value, place): (&str, Range<usize>),
        largest: f64,
    ) -> Result<[f64; N], Wrong> {
        let element = self.element(at);
        let read: Result<Vec<f64>, _> = words(value).into_iter().map(str::parse::<f64>).collect();
        let numbers: Option<[f64; N]> = read.ok().and_then(|numbers| numbers.try_into().ok());
        let Some(numbers) = numbers else {
            let wanted = if N == 1 { "a number".to_owned() } else { format!("{N} numbers") };
            let message = format!("{name} of <{}> must be {wanted}, not '{value}'", element.tag);
            return Err(self.wrong(place, &message));
        };
        // The comparison is false for what is not a number, too.
        if let Some(number) = numbers.iter().find(|number| !(number.abs() <= largest)) {
            let message = format!("{name} of <{}> holds {number:e}, which no robot has", element.tag);
            let help = format!("numbers are from -{MAX_NUMBER:e} to {MAX_NUMBER:e}");
            return Err((place, message, Some(help)));
        }
        Ok(numbers)
    }
}

/// Words with spaces or commas between them.
fn words(text: &str) -> Vec<&str> {
    text.split(|c: char| c.is_whitespace() || c == ',').filter(|word| !word.is_empty()).collect()
}
