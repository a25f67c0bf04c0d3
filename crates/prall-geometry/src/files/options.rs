//! [`ReadOptions`]: the unit and the up-axis of a file, which most formats do not say and only the caller knows.

use glam::{DAffine3, DMat3, DVec3};

use super::error::FileError;

/// How the numbers in a file are meant. The model read is always in metres with y up.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ReadOptions {
    /// Metres per file unit: 1 (the default) for metres, 0.001 for millimetres, 0.0254 for inches.
    pub scale: f64,
    /// The axis that points up in the file; [`UpAxis::Y`] by default.
    pub up: UpAxis,
}

/// The axis that points up in a file.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum UpAxis {
    /// y is up, as in Prall: nothing is turned. A COLLADA file, which says its axis itself, is turned by that.
    #[default]
    Y,
    /// x is up, as some COLLADA files say: +x becomes +y and +y becomes -x.
    X,
    /// z is up, as in most CAD systems: the model is turned by -90 degrees about x, so +z becomes +y and +y becomes -z.
    Z,
    /// Nothing is turned, even where the file says which axis is up: how ROS reads the meshes of robots.
    AsWritten,
}

impl Default for ReadOptions {
    fn default() -> ReadOptions {
        ReadOptions { scale: 1.0, up: UpAxis::Y }
    }
}

/// File coordinates to metres with y up.
///
/// The turn only swaps coordinates and signs, so it is exact; the scale costs one rounding per coordinate and none
/// when it is 1.
#[derive(Clone, Copy, Debug)]
pub(super) struct Conversion {
    scale: f64,
    up: UpAxis,
}

impl Conversion {
    pub(super) fn new(options: &ReadOptions) -> Result<Conversion, FileError> {
        if !(options.scale > 0.0 && options.scale.is_finite()) {
            return Err(FileError::Scale(options.scale));
        }
        Ok(Conversion { scale: options.scale, up: options.up })
    }

    /// The same for a file whose unit is that many metres.
    pub(super) fn scaled(self, metres: f64) -> Conversion {
        Conversion { scale: self.scale * metres, ..self }
    }

    /// The same for a file that says its axis: it counts unless the caller named another one.
    pub(super) fn with_own_axis(self, up: UpAxis) -> Conversion {
        Conversion { up: if self.up == UpAxis::Y { up } else { self.up }, ..self }
    }

    /// A point, or the offset between two.
    #[inline]
    pub(super) fn point(&self, p: DVec3) -> DVec3 {
        self.turned(p * self.scale)
    }

    /// A node's transform between converted frames: with the conversion C it is C T C⁻¹, in which the scale cancels
    /// from the linear part.
    pub(super) fn transform(&self, local: &DAffine3) -> DAffine3 {
        let m = local.matrix3;
        let matrix3 = match self.up {
            UpAxis::Y | UpAxis::AsWritten => m,
            // C⁻¹ takes x, y, z to -y, x, z.
            UpAxis::X => DMat3::from_cols(
                self.turned(DVec3::ZERO - m.y_axis),
                self.turned(m.x_axis),
                self.turned(m.z_axis),
            ),
            // C⁻¹ takes the axes x, y, z to x, z, -y: these are the columns that C then turns.
            UpAxis::Z => DMat3::from_cols(
                self.turned(m.x_axis),
                self.turned(m.z_axis),
                self.turned(DVec3::ZERO - m.y_axis),
            ),
        };
        DAffine3 { matrix3, translation: self.point(local.translation) }
    }

    fn turned(&self, p: DVec3) -> DVec3 {
        match self.up {
            UpAxis::Y | UpAxis::AsWritten => p,
            UpAxis::X => DVec3::new(0.0 - p.y, p.x, p.z),
            // 0 - y rather than -y, so that a zero stays a positive zero.
            UpAxis::Z => DVec3::new(p.x, p.z, 0.0 - p.y),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn z_up_turns_by_minus_ninety_degrees_about_x() {
        let conversion = Conversion::new(&ReadOptions { scale: 1.0, up: UpAxis::Z }).unwrap();
        assert_eq!(conversion.point(DVec3::Z), DVec3::Y);
        assert_eq!(conversion.point(DVec3::Y), -DVec3::Z);
        assert_eq!(conversion.point(DVec3::X), DVec3::X);
    }

    #[test]
    fn converted_transforms_act_on_converted_points() {
        // Small integers and a power of two: the arithmetic is exact, so equality is.
        let local = DAffine3 {
            matrix3: DMat3::from_cols_array(&[1.0, 2.0, 3.0, -4.0, 5.0, 6.0, 7.0, 8.0, -10.0]),
            translation: DVec3::new(11.0, 12.0, 13.0),
        };
        let p = DVec3::new(3.0, -5.0, 7.0);
        for up in [UpAxis::X, UpAxis::Y, UpAxis::Z, UpAxis::AsWritten] {
            let conversion = Conversion::new(&ReadOptions { scale: 0.5, up }).unwrap();
            let direct = conversion.point(local.transform_point3(p));
            assert_eq!(conversion.transform(&local).transform_point3(conversion.point(p)), direct);
        }
    }

    #[test]
    fn a_scale_that_is_no_length_is_refused() {
        for scale in [0.0, -1.0, f64::NAN, f64::INFINITY] {
            assert!(Conversion::new(&ReadOptions { scale, up: UpAxis::Y }).is_err());
        }
    }
}
