//! The ray tracer: a metallic flake on a dark polished floor at dusk, under three lights.
//!
//! Every color depends only on the ray, so the same camera always gives the same picture, no matter which thread traces
//! which part.

use super::flake::{Flake, FlakeHit, Ray, Sphere};
use super::math::{Vec3, smoothstep, vec3};

/// The flake's first sphere. It rests on the floor, which is the plane y = 0.
pub(crate) const ROOT: Sphere = Sphere {
    center: vec3(0.0, 1.0, 0.0),
    radius: 1.0,
};

/// The maximum number of bounces. With more of them, few pixels would differ visibly.
const MAX_BOUNCES: u32 = 4;
/// A bounce that contributes less than this fraction of the pixel is replaced by the sky's color.
const LEAST_SHARE: f32 = 0.02;

/// The distance at which the floor has dissolved into the haze.
const FLOOR_END: f32 = 60.0;

const SUN_DIRECTION: Vec3 = vec3(-0.788, 0.394, -0.473);
const SUN_COLOR: Vec3 = vec3(2.6, 1.45, 0.75);
const MOON_DIRECTION: Vec3 = vec3(0.593, 0.712, 0.376);
const MOON_COLOR: Vec3 = vec3(0.30, 0.38, 0.80);
const LANTERN_POSITION: Vec3 = vec3(1.9, 3.1, 2.3);
const LANTERN_COLOR: Vec3 = vec3(5.2, 3.3, 2.0);

/// The metals by level, as the fractions of red, green and blue that each of them reflects.
const METALS: [Vec3; 6] = [
    vec3(1.00, 0.68, 0.24),
    vec3(0.98, 0.44, 0.30),
    vec3(0.76, 0.34, 0.84),
    vec3(0.22, 0.46, 1.00),
    vec3(0.22, 0.88, 0.92),
    vec3(0.96, 0.96, 0.98),
];

enum Light {
    /// A light so far away that its rays are parallel.
    Distant { toward: Vec3, color: Vec3 },
    /// A light whose intensity falls with the square of the distance.
    Point { position: Vec3, color: Vec3 },
}

const LIGHTS: [Light; 3] = [
    Light::Distant {
        toward: SUN_DIRECTION,
        color: SUN_COLOR,
    },
    Light::Distant {
        toward: MOON_DIRECTION,
        color: MOON_COLOR,
    },
    Light::Point {
        position: LANTERN_POSITION,
        color: LANTERN_COLOR,
    },
];

/// The light that reaches a point unless something blocks it.
struct Beam {
    toward: Vec3,
    distance: f32,
    color: Vec3,
}

impl Light {
    fn beam_at(&self, point: Vec3) -> Beam {
        match *self {
            Light::Distant { toward, color } => Beam {
                toward,
                distance: f32::INFINITY,
                color,
            },
            Light::Point { position, color } => {
                let offset = position - point;
                let squared = offset.length_squared();
                let distance = squared.sqrt();
                Beam {
                    toward: offset * distance.recip(),
                    distance,
                    color: color * squared.recip(),
                }
            }
        }
    }
}

enum Hit {
    Sky,
    Floor { distance: f32 },
    Flake(FlakeHit),
}

/// How a surface responds to light at one of its points.
struct Surface {
    point: Vec3,
    normal: Vec3,
    /// The origin of new rays, just far enough from the surface not to hit it again.
    lifted: Vec3,
    diffuse: Vec3,
    /// The specular reflectance when seen head on. At a glancing angle, it is 1.
    mirror: Vec3,
    /// The highlight's exponent.
    gloss: i32,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Seen {
    /// The linear color, which may exceed 1.
    pub color: Vec3,
    /// The distance to the first hit, or infinity for the sky.
    pub distance: f32,
}

#[derive(Debug)]
pub(crate) struct Tracer {
    flake: Flake,
}

impl Tracer {
    pub(crate) fn new(flake_depth: u32) -> Tracer {
        Tracer {
            flake: Flake::new(ROOT, flake_depth),
        }
    }

    /// Sets whether to use zones that are too short for exact timing: see [`Flake::set_fine_zones`].
    pub(crate) fn with_fine_zones(mut self, fine: bool) -> Tracer {
        self.flake.set_fine_zones(fine);
        self
    }

    pub(crate) fn flake(&self) -> &Flake {
        &self.flake
    }

    pub(crate) fn look(&self, ray: &Ray) -> Seen {
        self.trace_ray(ray, MAX_BOUNCES, 1.0)
    }

    /// Traces a ray. `share` is the fraction of the ray's color that ultimately reaches the pixel.
    fn trace_ray(&self, ray: &Ray, bounces_left: u32, share: f32) -> Seen {
        zone!(trace_ray);
        match self.intersect(ray) {
            Hit::Sky => Seen {
                color: sky(ray.direction),
                distance: f32::INFINITY,
            },
            Hit::Flake(hit) => {
                let surface = self.metal(ray, &hit);
                Seen {
                    color: self.shade(ray, &surface, bounces_left, share),
                    distance: hit.distance,
                }
            }
            Hit::Floor { distance } => {
                let clear = 1.0 - smoothstep(6.0, FLOOR_END, distance).sqrt();
                let haze = sky(vec3(ray.direction.x, 0.0, ray.direction.z).normalized());
                let surface = floor(ray.at(distance));
                let color = self.shade(ray, &surface, bounces_left, share * clear);
                Seen {
                    color: haze.lerp(color, clear),
                    distance,
                }
            }
        }
    }

    fn intersect(&self, ray: &Ray) -> Hit {
        let to_floor = -ray.origin.y / ray.direction.y;
        let floor = if to_floor > 0.0 && to_floor < FLOOR_END {
            to_floor
        } else {
            f32::INFINITY
        };
        match self.flake.nearest(ray, floor) {
            Some(hit) => Hit::Flake(hit),
            None if floor.is_finite() => Hit::Floor { distance: floor },
            None => Hit::Sky,
        }
    }

    fn shadow_ray(&self, from: Vec3, beam: &Beam) -> bool {
        self.flake.blocks(
            &Ray {
                origin: from,
                direction: beam.toward,
            },
            beam.distance,
        )
    }

    fn metal(&self, ray: &Ray, hit: &FlakeHit) -> Surface {
        let sphere = self.flake.sphere(hit.index);
        let metal = METALS[(self.flake.level(hit.index) as usize).min(METALS.len() - 1)];
        let point = ray.at(hit.distance);
        let normal = (point - sphere.center) * sphere.radius.recip();
        let lift = (sphere.radius * 0.004).clamp(2e-5, 1e-3);
        Surface {
            point,
            normal,
            lifted: point + normal * lift,
            diffuse: metal * 0.14,
            mirror: metal * 0.86,
            gloss: 48,
        }
    }

    fn shade(&self, ray: &Ray, surface: &Surface, bounces_left: u32, share: f32) -> Vec3 {
        zone!(shade);
        let mut color = ambient(surface.normal).tinted(surface.diffuse);
        for light in &LIGHTS {
            let beam = light.beam_at(surface.point);
            let facing = beam.toward.dot(surface.normal);
            if facing <= 0.0 || self.shadow_ray(surface.lifted, &beam) {
                continue;
            }
            let half_way = (beam.toward - ray.direction).normalized();
            let highlight = half_way.dot(surface.normal).max(0.0).powi(surface.gloss);
            let answer = surface.diffuse + surface.mirror * highlight;
            color += beam.color.tinted(answer) * facing;
        }

        let glancing = (1.0 + ray.direction.dot(surface.normal))
            .clamp(0.0, 1.0)
            .powi(5);
        let mirror = surface.mirror.lerp(Vec3::ONE, glancing);
        let reflected = Ray {
            origin: surface.lifted,
            direction: ray.direction.reflected(surface.normal),
        };
        let mirrored_share = share * mirror.x.max(mirror.y).max(mirror.z);
        let mirrored = if bounces_left > 0 && mirrored_share > LEAST_SHARE {
            self.trace_ray(&reflected, bounces_left - 1, mirrored_share)
                .color
        } else {
            ambient(reflected.direction)
        };
        color + mirrored.tinted(mirror)
    }
}

fn floor(point: Vec3) -> Surface {
    let tile = smooth_checker(point.x, point.z);
    let from_flake = (point.x * point.x + point.z * point.z).sqrt();
    // The squares fade out before they are smaller than a pixel, so that they never flicker.
    let contrast = 1.0 - smoothstep(5.0, 22.0, from_flake);
    let stone =
        vec3(0.022, 0.020, 0.036).lerp(vec3(0.120, 0.104, 0.145), 0.5 + tile * 0.5 * contrast);
    Surface {
        point,
        normal: Vec3::UP,
        lifted: point + Vec3::UP * 1e-4,
        diffuse: stone * 0.55,
        mirror: Vec3::ONE * 0.10,
        gloss: 90,
    }
}

/// Returns a square wave from -1 to 1, with edges about a hundredth of a square wide.
fn smooth_checker(x: f32, z: f32) -> f32 {
    let wave = |t: f32| ((t * std::f32::consts::PI).sin() * 24.0).clamp(-1.0, 1.0);
    wave(x) * wave(z)
}

fn sky(direction: Vec3) -> Vec3 {
    let height = direction.y.max(0.0);
    let toward_sun = direction.dot(SUN_DIRECTION).max(0.0);
    // The horizon glows on the side of the sun and is a cool violet on the opposite side.
    let sunward = smoothstep(-0.9, 1.0, -(direction.x * 0.857 + direction.z * 0.515));
    let horizon = vec3(0.060, 0.066, 0.190).lerp(vec3(0.95, 0.34, 0.13), sunward * sunward);
    let middle = vec3(0.030, 0.040, 0.140).lerp(vec3(0.230, 0.095, 0.215), sunward);
    let zenith = vec3(0.008, 0.015, 0.060);
    let gradient = horizon
        .lerp(middle, smoothstep(0.0, 0.30, height))
        .lerp(zenith, smoothstep(0.12, 0.95, height));
    let halo = vec3(1.0, 0.52, 0.22) * (toward_sun.powi(24) * 0.60);
    let disc = SUN_COLOR * (smoothstep(0.99965, 0.99985, toward_sun) * 1.2);
    gradient + halo + disc
}

/// Returns the ambient light that reaches a surface facing `normal`.
fn ambient(normal: Vec3) -> Vec3 {
    let from_below = vec3(0.060, 0.045, 0.060);
    let from_above = vec3(0.090, 0.095, 0.210);
    from_below.lerp(from_above, 0.5 + 0.5 * normal.y)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn constant_directions_are_unit_vectors() {
        for direction in [SUN_DIRECTION, MOON_DIRECTION] {
            assert!((direction.length() - 1.0).abs() < 2e-3);
        }
    }

    #[test]
    fn every_ray_returns_a_color() {
        let tracer = Tracer::new(3);
        for i in 0..2_000u32 {
            let angle = i as f32 * 0.37;
            let direction = vec3(angle.cos(), (i as f32 * 0.011).sin(), angle.sin()).normalized();
            let seen = tracer.look(&Ray {
                origin: vec3(0.0, 2.0, 5.0),
                direction,
            });
            let parts = [seen.color.x, seen.color.y, seen.color.z];
            assert!(
                parts.iter().all(|part| part.is_finite() && *part >= 0.0),
                "{seen:?}"
            );
            assert!(seen.distance > 0.0);
        }
    }
}
