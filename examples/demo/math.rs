//! Vector arithmetic and the camera.

use std::ops::{Add, AddAssign, Mul, MulAssign, Neg, Sub};

/// A point, a direction or a color. Colors are linear red, green and blue.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Vec3 {
    pub x: f32,
    pub y: f32,
    pub z: f32,
}

pub(crate) const fn vec3(x: f32, y: f32, z: f32) -> Vec3 {
    Vec3 { x, y, z }
}

impl Vec3 {
    pub(crate) const ONE: Vec3 = vec3(1.0, 1.0, 1.0);
    pub(crate) const UP: Vec3 = vec3(0.0, 1.0, 0.0);

    #[inline]
    pub(crate) fn dot(self, other: Vec3) -> f32 {
        self.x * other.x + self.y * other.y + self.z * other.z
    }

    #[inline]
    pub(crate) fn cross(self, other: Vec3) -> Vec3 {
        vec3(
            self.y * other.z - self.z * other.y,
            self.z * other.x - self.x * other.z,
            self.x * other.y - self.y * other.x,
        )
    }

    #[inline]
    pub(crate) fn length_squared(self) -> f32 {
        self.dot(self)
    }

    #[inline]
    pub(crate) fn length(self) -> f32 {
        self.length_squared().sqrt()
    }

    /// Returns the unit vector with the same direction, or NaN for the zero vector.
    #[inline]
    pub(crate) fn normalized(self) -> Vec3 {
        self * self.length().recip()
    }

    /// Multiplies component by component, as when a tinted surface reflects light.
    #[inline]
    pub(crate) fn tinted(self, tint: Vec3) -> Vec3 {
        vec3(self.x * tint.x, self.y * tint.y, self.z * tint.z)
    }

    #[inline]
    pub(crate) fn lerp(self, to: Vec3, share: f32) -> Vec3 {
        self + (to - self) * share
    }

    #[inline]
    pub(crate) fn reflected(self, normal: Vec3) -> Vec3 {
        self - normal * (2.0 * self.dot(normal))
    }

    #[inline]
    pub(crate) fn map(self, f: impl Fn(f32) -> f32) -> Vec3 {
        vec3(f(self.x), f(self.y), f(self.z))
    }

    /// Returns two unit vectors that form a right-handed basis with this unit vector.
    pub(crate) fn tangents(self) -> (Vec3, Vec3) {
        // Choosing the axis farthest from `self` keeps the cross product away from zero.
        let helper = if self.y.abs() < 0.7 {
            Vec3::UP
        } else {
            vec3(1.0, 0.0, 0.0)
        };
        let tangent = helper.cross(self).normalized();
        (tangent, self.cross(tangent))
    }
}

impl Add for Vec3 {
    type Output = Vec3;
    #[inline]
    fn add(self, other: Vec3) -> Vec3 {
        vec3(self.x + other.x, self.y + other.y, self.z + other.z)
    }
}

impl Sub for Vec3 {
    type Output = Vec3;
    #[inline]
    fn sub(self, other: Vec3) -> Vec3 {
        vec3(self.x - other.x, self.y - other.y, self.z - other.z)
    }
}

impl Mul<f32> for Vec3 {
    type Output = Vec3;
    #[inline]
    fn mul(self, factor: f32) -> Vec3 {
        vec3(self.x * factor, self.y * factor, self.z * factor)
    }
}

impl Neg for Vec3 {
    type Output = Vec3;
    #[inline]
    fn neg(self) -> Vec3 {
        vec3(-self.x, -self.y, -self.z)
    }
}

impl AddAssign for Vec3 {
    #[inline]
    fn add_assign(&mut self, other: Vec3) {
        *self = *self + other;
    }
}

impl MulAssign<f32> for Vec3 {
    #[inline]
    fn mul_assign(&mut self, factor: f32) {
        *self = *self * factor;
    }
}

/// Rises smoothly from 0 at `from` to 1 at `to`.
pub(crate) fn smoothstep(from: f32, to: f32, x: f32) -> f32 {
    let t = ((x - from) / (to - from)).clamp(0.0, 1.0);
    t * t * (3.0 - 2.0 * t)
}

/// Scrambles the bits of `x`, so that consecutive numbers give unrelated results.
pub(crate) fn scramble(mut x: u32) -> u32 {
    x = (x ^ (x >> 16)).wrapping_mul(0x9E37_79B1);
    x = (x ^ (x >> 15)).wrapping_mul(0x85EB_CA77);
    x ^ (x >> 16)
}

/// A picture's viewpoint. In the picture, x and y range from -1 to 1, with x pointing right and y up.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Camera {
    pub eye: Vec3,
    pub right: Vec3,
    pub up: Vec3,
    pub forward: Vec3,
    /// Half the picture's width at distance one.
    pub half_width: f32,
    /// Half the picture's height at distance one.
    pub half_height: f32,
}

impl Camera {
    /// Creates an upright camera with `target` in the middle of the picture. `aspect` is the width divided by the
    /// height.
    pub(crate) fn look_at(
        eye: Vec3,
        target: Vec3,
        vertical_fov_radians: f32,
        aspect: f32,
    ) -> Camera {
        let forward = (target - eye).normalized();
        let right = forward.cross(Vec3::UP).normalized();
        let half_height = (vertical_fov_radians * 0.5).tan();
        Camera {
            eye,
            right,
            up: right.cross(forward),
            forward,
            half_width: half_height * aspect,
            half_height,
        }
    }

    /// Returns the same view, widened by a margin to `factor` times its width and height.
    pub(crate) fn widened(self, factor: f32) -> Camera {
        Camera {
            half_width: self.half_width * factor,
            half_height: self.half_height * factor,
            ..self
        }
    }

    #[inline]
    pub(crate) fn direction(&self, x: f32, y: f32) -> Vec3 {
        let across = self.right * (x * self.half_width) + self.up * (y * self.half_height);
        (self.forward + across).normalized()
    }

    /// Returns the matrix from world to clip space, in the column-major order that OpenGL expects.
    pub(crate) fn view_projection(&self, near: f32, far: f32) -> [f32; 16] {
        let across = self.right * self.half_width.recip();
        let upward = self.up * self.half_height.recip();
        let depth_scale = (far + near) / (far - near);
        let depth_shift = -2.0 * far * near / (far - near);
        let inward = self.forward * depth_scale;
        let column =
            |pick: fn(Vec3) -> f32| [pick(across), pick(upward), pick(inward), pick(self.forward)];
        let moved = [
            -self.eye.dot(across),
            -self.eye.dot(upward),
            -self.eye.dot(inward) + depth_shift,
            -self.eye.dot(self.forward),
        ];
        let mut matrix = [0.0; 16];
        for (to, from) in matrix.chunks_exact_mut(4).zip([
            column(|v| v.x),
            column(|v| v.y),
            column(|v| v.z),
            moved,
        ]) {
            to.copy_from_slice(&from);
        }
        matrix
    }

    /// Returns the matrix from (x, y, 1) in this camera's picture to homogeneous picture coordinates of `other`, in
    /// column-major order.
    ///
    /// The matrix is exact for points on the plane at `distance` in front of this camera. Elsewhere, its accuracy
    /// improves the closer the two cameras are.
    pub(crate) fn reprojection(&self, other: &Camera, distance: f32) -> [f32; 9] {
        let project = |v: Vec3| {
            [
                v.dot(other.right) / other.half_width,
                v.dot(other.up) / other.half_height,
                v.dot(other.forward),
            ]
        };
        let x = project(self.right * (self.half_width * distance));
        let y = project(self.up * (self.half_height * distance));
        let middle = project(self.eye + self.forward * distance - other.eye);
        [
            x[0], x[1], x[2], y[0], y[1], y[2], middle[0], middle[1], middle[2],
        ]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn camera() -> Camera {
        Camera::look_at(vec3(3.0, 2.0, 5.0), vec3(0.0, 1.0, 0.0), 0.7, 1.6)
    }

    #[test]
    fn point_on_ray_projects_to_its_pixel() {
        let camera = camera();
        let matrix = camera.view_projection(0.1, 50.0);
        for (x, y) in [(0.0, 0.0), (0.9, -0.4), (-0.7, 0.8)] {
            let point = camera.eye + camera.direction(x, y) * 4.0;
            let row = |r: usize| {
                matrix[r] * point.x
                    + matrix[4 + r] * point.y
                    + matrix[8 + r] * point.z
                    + matrix[12 + r]
            };
            let w = row(3);
            assert!((row(0) / w - x).abs() < 1e-4 && (row(1) / w - y).abs() < 1e-4);
            assert!((-1.0..=1.0).contains(&(row(2) / w)));
        }
    }

    #[test]
    fn reprojection_is_exact_on_its_plane() {
        let (here, there) = (
            camera(),
            Camera {
                eye: vec3(3.3, 2.1, 4.8),
                ..camera()
            },
        );
        let matrix = here.reprojection(&there, 5.0);
        let (x, y) = (0.3, -0.6);
        let at = |r: usize| matrix[r] * x + matrix[3 + r] * y + matrix[6 + r];
        let point = here.eye
            + (here.forward
                + here.right * (x * here.half_width)
                + here.up * (y * here.half_height))
                * 5.0;
        let seen = there.direction(at(0) / at(2), at(1) / at(2));
        assert!((seen - (point - there.eye).normalized()).length() < 1e-5);
    }
}
