//! Accessors: typed, strided, possibly sparse views of buffers. All ranges are checked once, when a view is made.

use super::buffers::Buffers;
use super::item;
use super::schema::{self, Document, Shape};
use crate::files::error::Malformed;

/// The elements of an accessor.
pub(super) struct Elements<'file> {
    pub(super) count: usize,
    /// None: all zeros.
    base: Option<Strided<'file>>,
    sparse: Option<Sparse<'file>>,
}

/// Elements that replace some of the base, by increasing index.
struct Sparse<'file> {
    indices: Strided<'file>,
    values: Strided<'file>,
    count: usize,
}

#[derive(Clone, Copy)]
struct Strided<'file> {
    bytes: &'file [u8],
    stride: usize,
    component: Component,
    normalized: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Component {
    I8,
    U8,
    I16,
    U16,
    U32,
    F32,
}

impl Component {
    fn new(code: u32, place: &str) -> Result<Component, Malformed> {
        Ok(match code {
            5120 => Component::I8,
            5121 => Component::U8,
            5122 => Component::I16,
            5123 => Component::U16,
            5125 => Component::U32,
            5126 => Component::F32,
            _ => return Err(Malformed::item(place, format!("componentType {code} does not exist in glTF"))),
        })
    }

    fn size(self) -> usize {
        match self {
            Component::I8 | Component::U8 => 1,
            Component::I16 | Component::U16 => 2,
            Component::U32 | Component::F32 => 4,
        }
    }

    fn is_index(self) -> bool {
        matches!(self, Component::U8 | Component::U16 | Component::U32)
    }
}

impl<'file> Elements<'file> {
    /// An accessor of vertex positions.
    pub(super) fn positions(
        document: &Document,
        buffers: &'file Buffers<'_>,
        index: u32,
        place: &str,
    ) -> Result<Elements<'file>, Malformed> {
        let accessor = item(&document.accessors, index, "accessors", place)?;
        let own = format!("accessors[{index}]");
        if accessor.shape != Shape::Vector3 || accessor.component_type == 5125 {
            return Err(Malformed::item(
                own,
                "positions must be VEC3 of floats (or of 8 or 16 bit integers)",
            ));
        }
        Elements::new(document, buffers, accessor, 3, &own)
    }

    /// An accessor of vertex indices.
    pub(super) fn indices(
        document: &Document,
        buffers: &'file Buffers<'_>,
        index: u32,
        place: &str,
    ) -> Result<Elements<'file>, Malformed> {
        let accessor = item(&document.accessors, index, "accessors", place)?;
        let own = format!("accessors[{index}]");
        let component = Component::new(accessor.component_type, &own)?;
        if accessor.shape != Shape::Scalar || !component.is_index() || accessor.normalized {
            return Err(Malformed::item(own, "indices must be SCALAR of 8, 16 or 32 bit unsigned integers"));
        }
        Elements::new(document, buffers, accessor, 1, &own)
    }

    fn new(
        document: &Document,
        buffers: &'file Buffers<'_>,
        accessor: &schema::Accessor,
        lanes: usize,
        place: &str,
    ) -> Result<Elements<'file>, Malformed> {
        let component = Component::new(accessor.component_type, place)?;
        let count = usize::try_from(accessor.count)
            .ok()
            .filter(|&count| count > 0 && count < u32::MAX as usize)
            .ok_or_else(|| Malformed::item(place, format!("a count of {} elements", accessor.count)))?;
        let view = |index, offset, component, lanes, count| {
            Strided::new(document, buffers, (index, offset), (component, lanes, count), place)
        };
        let base = match accessor.buffer_view {
            Some(index) => Some(view(index, accessor.byte_offset, component, lanes, count)?),
            None => None,
        };
        let sparse = match &accessor.sparse {
            Some(sparse) => {
                let place = format!("{place}.sparse");
                let index_component = Component::new(sparse.indices.component_type, &place)?;
                let replaced = usize::try_from(sparse.count).ok().filter(|&replaced| replaced <= count);
                let (Some(replaced), true) = (replaced, index_component.is_index()) else {
                    let what = "needs a count of at most the accessor's, and unsigned integers for indices";
                    return Err(Malformed::item(place, what));
                };
                let (indices, values) = (&sparse.indices, &sparse.values);
                let sparse = Sparse {
                    indices: view(indices.buffer_view, indices.byte_offset, index_component, 1, replaced)?,
                    values: view(values.buffer_view, values.byte_offset, component, lanes, replaced)?,
                    count: replaced,
                };
                sparse.check_order(count, &place)?;
                Some(sparse)
            }
            None => None,
        };
        let normalize = |view: Strided<'file>| Strided { normalized: accessor.normalized, ..view };
        Ok(Elements {
            count,
            base: base.map(normalize),
            sparse: sparse.map(|sparse| Sparse { values: normalize(sparse.values), ..sparse }),
        })
    }

    /// One number of an element; the element must be below `count`.
    #[inline]
    pub(super) fn number(&self, element: usize, lane: usize) -> f64 {
        if let Some(value) = self.sparse.as_ref().and_then(|sparse| sparse.number(element, lane)) {
            return value;
        }
        self.base.as_ref().map_or(0.0, |base| base.number(element, lane))
    }

    /// An element of an index accessor.
    #[inline]
    pub(super) fn index(&self, element: usize) -> u32 {
        // Index components are unsigned and at most 32 bits wide, and f64 holds those exactly.
        self.number(element, 0) as u32
    }

    /// Whether elements are zero unless a sparse one says otherwise, so that the count has no bytes behind it.
    pub(super) fn is_zero_filled(&self) -> bool {
        self.base.is_none()
    }
}

impl Sparse<'_> {
    /// The format asks for strictly increasing indices; the search in `number` relies on it.
    fn check_order(&self, elements: usize, place: &str) -> Result<(), Malformed> {
        let mut before = -1.0;
        for at in 0..self.count {
            let index = self.indices.number(at, 0);
            if index <= before || index >= elements as f64 {
                let what = format!("index {index} at {at} is not above the one before and below {elements}");
                return Err(Malformed::item(place, what));
            }
            before = index;
        }
        Ok(())
    }

    fn number(&self, element: usize, lane: usize) -> Option<f64> {
        let (mut low, mut high) = (0, self.count);
        while low < high {
            let middle = usize::midpoint(low, high);
            if (self.indices.number(middle, 0) as usize) < element {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        let found = low < self.count && self.indices.number(low, 0) as usize == element;
        found.then(|| self.values.number(low, lane))
    }
}

impl<'file> Strided<'file> {
    fn new(
        document: &Document,
        buffers: &'file Buffers<'_>,
        (view, offset): (u32, u64),
        (component, lanes, count): (Component, usize, usize),
        place: &str,
    ) -> Result<Strided<'file>, Malformed> {
        let bytes = buffers.view(&document.buffer_views, view, place)?;
        let size = lanes * component.size();
        let stride = match item(&document.buffer_views, view, "bufferViews", place)?.byte_stride {
            None => size,
            // 252 is the format's own limit.
            Some(stride) if (size as u64..=252).contains(&stride) => stride as usize,
            Some(stride) => {
                let what = format!("a byteStride of {stride}; elements of {size} bytes need {size} to 252");
                return Err(Malformed::item(format!("bufferViews[{view}]"), what));
            }
        };
        let needed = match count {
            0 => Some(0),
            _ => (count - 1).checked_mul(stride).and_then(|before_last| before_last.checked_add(size)),
        };
        let fits = usize::try_from(offset)
            .ok()
            .and_then(|offset| bytes.get(offset..))
            .filter(|rest| needed.is_some_and(|needed| needed <= rest.len()));
        let bytes = fits.ok_or_else(|| {
            let what = format!(
                "{count} elements of {size} bytes from byte {offset} on do not fit into the {} bytes of \
                 bufferViews[{view}]",
                bytes.len()
            );
            Malformed::item(place, what)
        })?;
        Ok(Strided { bytes, stride, component, normalized: false })
    }

    #[inline]
    fn number(&self, element: usize, lane: usize) -> f64 {
        let at = element * self.stride + lane * self.component.size();
        let bytes = &self.bytes[at..];
        let two = || [bytes[0], bytes[1]];
        let four = || [bytes[0], bytes[1], bytes[2], bytes[3]];
        // The largest value of a normalized integer stands for 1, and for signed ones its negative for -1.
        let (value, one) = match self.component {
            Component::F32 => return f64::from(f32::from_le_bytes(four())),
            Component::U32 => return f64::from(u32::from_le_bytes(four())),
            Component::I8 => (f64::from(bytes[0] as i8), 127.0),
            Component::U8 => (f64::from(bytes[0]), 255.0),
            Component::I16 => (f64::from(i16::from_le_bytes(two())), 32767.0),
            Component::U16 => (f64::from(u16::from_le_bytes(two())), 65535.0),
        };
        if self.normalized { (value / one).max(-1.0) } else { value }
    }
}
