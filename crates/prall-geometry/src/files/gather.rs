//! [`Gather`]: a part's own vertices out of a list shared by many parts, as OBJ and glTF have it.

use glam::DVec3;

use super::error::{Malformed, Place};
use crate::soup::PolygonSoup;

/// No local index yet. A soup holds fewer vertices than this.
const UNUSED: u32 = u32::MAX;

/// The table from shared to own vertex indices, kept from part to part so that a part costs time and memory by its
/// own size only, however long the shared list is.
#[derive(Debug, Default)]
pub(super) struct Gather {
    local: Vec<u32>,
}

impl Gather {
    /// A soup of the given faces with just the vertices that they use, in the order of the shared list.
    ///
    /// Corners must be below `shared`, the length of the list; `place` is where an error is reported.
    pub(super) fn soup<'face, Faces>(
        &mut self,
        shared: usize,
        position: impl Fn(u32) -> Result<DVec3, Malformed>,
        faces: Faces,
        place: &Place,
    ) -> Result<PolygonSoup, Malformed>
    where
        Faces: Iterator<Item = &'face [u32]> + Clone,
    {
        if self.local.len() < shared {
            self.local.resize(shared, UNUSED);
        }
        let (mut used, mut face_count) = (Vec::new(), 0);
        for face in faces.clone() {
            face_count += 1;
            for &corner in face {
                if self.local[corner as usize] == UNUSED {
                    self.local[corner as usize] = 0;
                    used.push(corner);
                }
            }
        }
        used.sort_unstable();
        let mut soup = PolygonSoup::with_capacity(used.len(), face_count);
        for &corner in &used {
            self.local[corner as usize] = soup
                .push_position(position(corner)?)
                .map_err(|error| Malformed::soup(place.clone(), error))?;
        }
        let mut own = Vec::new();
        for face in faces {
            own.clear();
            own.extend(face.iter().map(|&corner| self.local[corner as usize]));
            soup.push_face(&own).map_err(|error| Malformed::soup(place.clone(), error))?;
        }
        for &corner in &used {
            self.local[corner as usize] = UNUSED;
        }
        Ok(soup)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_part_gets_its_own_vertices_in_the_order_of_the_list() {
        let shared: Vec<DVec3> = (0..10).map(|i| DVec3::splat(f64::from(i))).collect();
        let mut gather = Gather::default();
        for faces in [vec![vec![9_u32, 2, 5], vec![5, 2, 7, 9]], vec![vec![0, 1, 9]]] {
            let soup = gather
                .soup(10, |i| Ok(shared[i as usize]), faces.iter().map(Vec::as_slice), &Place::Byte(0))
                .unwrap();
            assert!(soup.positions().windows(2).all(|pair| pair[0].x < pair[1].x));
            for (own, face) in soup.faces().zip(&faces) {
                let corners: Vec<DVec3> = own.iter().map(|&c| soup.positions()[c as usize]).collect();
                let expected: Vec<DVec3> = face.iter().map(|&c| shared[c as usize]).collect();
                assert_eq!(corners, expected);
            }
        }
    }
}
