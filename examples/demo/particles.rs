//! Particles: embers that rise around the flake, and fireflies among them. The main thread simulates them.
//!
//! A wind that circles the flake carries the particles. A field without sources or sinks stirs them, so that they never
//! clump. They bounce off the larger spheres.

use super::flake::Sphere;
use super::math::{Vec3, scramble, smoothstep, vec3};

/// The number of particles that are simulated together. One zone per batch costs next to nothing.
const BATCH: usize = 256;

/// The maximum length of a step. Longer steps would carry particles through spheres.
const MAX_STEP_SECONDS: f32 = 1.0 / 30.0;

/// The number of steps simulated before the first frame, so that the wind has already formed bands.
const WARM_UP_STEPS: u32 = 150;

/// The fraction of speed that remains after a bounce.
const BOUNCE: f32 = 0.55;
/// The minimum distance between particles and surfaces, in scene units.
const SKIN: f32 = 0.02;

/// The number of times that a storm repeats collisions, and the number of layers that it adds to the stirring. Each of
/// the two adds about 20 ms on most machines.
const STORM_ROUNDS: usize = 400;
const STORM_LAYERS: i32 = 120;

/// The radius at which the wind circles the axis.
const RING_RADIUS: f32 = 2.3;

/// Position (x, y, z), size, and the red, green and blue light to add. Sizes are diameters in scene units.
pub(crate) type Sprite = [f32; 7];

#[derive(Clone, Copy, Debug)]
struct Particle {
    position: Vec3,
    velocity: Vec3,
    age_seconds: f32,
    life_seconds: f32,
    /// A number that changes with every new life and determines look and behavior.
    seed: u32,
}

#[derive(Debug)]
pub(crate) struct Particles {
    particles: Vec<Particle>,
    obstacles: Vec<Sphere>,
    sprites: Vec<Sprite>,
    seconds: f32,
}

impl Particles {
    pub(crate) fn new(count: usize, obstacles: Vec<Sphere>) -> Particles {
        let particles = (0..count as u32).map(|i| {
            let mut particle = Particle::born(scramble(i));
            // Ages are spread, so that particles don't all die at the same time.
            particle.age_seconds = particle.life_seconds * chance(particle.seed, 9);
            particle
        });
        let mut particles = Particles {
            particles: particles.collect(),
            obstacles,
            sprites: Vec::new(),
            seconds: 0.0,
        };
        particles.simulate(WARM_UP_STEPS as f32 * MAX_STEP_SECONDS, false);
        particles
    }

    /// Moves all particles. A storm takes far longer, with many more collision tests and more expensive forces.
    pub(crate) fn simulate(&mut self, dt_seconds: f32, storm: bool) {
        iprof::zone!("particles::simulate");
        let steps = (dt_seconds / MAX_STEP_SECONDS).ceil().max(1.0);
        let step_seconds = dt_seconds / steps;
        let (rounds, layers) = if storm {
            (STORM_ROUNDS, STORM_LAYERS)
        } else {
            (1, 0)
        };
        for _ in 0..steps as u32 {
            self.seconds += step_seconds;
            for batch in self.particles.chunks_mut(BATCH) {
                forces(batch, self.seconds, step_seconds, layers);
                integrate(batch, step_seconds);
                for _ in 0..rounds {
                    collide(batch, &self.obstacles);
                }
            }
        }
        self.make_sprites();
    }

    pub(crate) fn sprites(&self) -> &[Sprite] {
        &self.sprites
    }

    fn make_sprites(&mut self) {
        iprof::zone!("particles::make_sprites");
        self.sprites.clear();
        self.sprites
            .extend(self.particles.iter().map(Particle::sprite));
    }
}

impl Particle {
    /// Creates a particle at the beginning of its life, somewhere on the floor around the flake.
    fn born(seed: u32) -> Particle {
        let (sin, cos) = (chance(seed, 1) * std::f32::consts::TAU).sin_cos();
        let radius = 0.9 + 2.6 * chance(seed, 2);
        Particle {
            position: vec3(radius * cos, SKIN, radius * sin),
            velocity: Vec3::UP * (0.3 + 0.5 * chance(seed, 3)),
            age_seconds: 0.0,
            life_seconds: 4.0 + 7.0 * chance(seed, 4),
            seed,
        }
    }

    fn is_firefly(&self) -> bool {
        chance(self.seed, 5) < 0.2
    }

    fn sprite(&self) -> Sprite {
        let spent = self.age_seconds / self.life_seconds;
        let presence = smoothstep(0.0, 0.08, spent) * (1.0 - smoothstep(0.55, 1.0, spent));
        let individual = chance(self.seed, 6);
        let (color, size) = if self.is_firefly() {
            let blink = (self.age_seconds * (1.5 + 2.0 * individual) + 6.0 * individual).sin();
            let color = vec3(0.20, 0.75, 1.0).lerp(vec3(0.55, 1.0, 0.45), chance(self.seed, 7));
            (color * (0.12 + 0.88 * smoothstep(-0.2, 1.0, blink)), 0.060)
        } else {
            let (young, old) = (vec3(1.0, 0.62, 0.24), vec3(0.80, 0.14, 0.03));
            let flicker = 0.75 + 0.25 * (self.age_seconds * (9.0 + 8.0 * individual)).sin();
            (
                young.lerp(old, smoothstep(0.1, 0.9, spent)) * flicker,
                0.030 + 0.035 * individual,
            )
        };
        let Vec3 { x, y, z } = self.position;
        let light = color * (presence * 0.8);
        [x, y, z, size, light.x, light.y, light.z]
    }
}

/// Returns a number from 0 to 1 that depends only on the particle's seed and `which`.
fn chance(seed: u32, which: u32) -> f32 {
    scramble(seed ^ which.wrapping_mul(0x632B_E5AB)) as f32 / u32::MAX as f32
}

fn forces(batch: &mut [Particle], seconds: f32, dt_seconds: f32, more_layers: i32) {
    iprof::zone!("particles::forces");
    for particle in batch {
        // The wind has less effect on fireflies.
        let grip = if particle.is_firefly() { 0.9 } else { 2.2 };
        let wind =
            wind_at(particle.position) + stir_at(particle.position, seconds, more_layers) * 0.45;
        particle.velocity += (wind - particle.velocity) * (grip * dt_seconds).min(1.0);
    }
}

/// Returns the wind, which blows around the axis, toward the ring and gently upward.
fn wind_at(position: Vec3) -> Vec3 {
    let radius = (position.x * position.x + position.z * position.z)
        .sqrt()
        .max(0.2);
    let (out_x, out_z) = (position.x / radius, position.z / radius);
    let around = 0.85 * (-0.35 * (radius - RING_RADIUS).powi(2)).exp() + 0.15;
    // The ring is wide at the floor and narrows above the flake.
    let inward = 0.55 * (radius - RING_RADIUS + 0.35 * position.y);
    let rise = 0.34 - 0.10 * position.y;
    vec3(
        -out_z * around - out_x * inward,
        rise,
        out_x * around - out_z * inward,
    )
}

/// Returns the sum of two layers of interwoven sine waves. A storm adds finer, weaker layers. No component depends on
/// its own coordinate, so the field has no divergence.
fn stir_at(position: Vec3, seconds: f32, more_layers: i32) -> Vec3 {
    let layer = |p: Vec3, drift: f32| {
        let (sin_x, cos_x) = (p.x + drift).sin_cos();
        let (sin_y, cos_y) = (p.y - drift * 0.7).sin_cos();
        let (sin_z, cos_z) = (p.z + drift * 1.3).sin_cos();
        vec3(sin_z + cos_y, sin_x + cos_z, sin_y + cos_x)
    };
    let mut stir = layer(position * 1.7, seconds * 0.4) * 0.7;
    stir += layer(position * 4.3, seconds * -0.9) * 0.4;
    for finer in 1..=more_layers {
        let scale = 4.3 + finer as f32;
        stir += layer(position * scale, seconds * scale) * (0.4 * 0.5f32.powi(finer));
    }
    stir
}

fn integrate(batch: &mut [Particle], dt_seconds: f32) {
    iprof::zone!("particles::integrate");
    for particle in batch {
        particle.age_seconds += dt_seconds;
        if particle.age_seconds >= particle.life_seconds {
            *particle = Particle::born(scramble(particle.seed.wrapping_add(1)));
        }
        particle.position += particle.velocity * dt_seconds;
    }
}

fn collide(batch: &mut [Particle], obstacles: &[Sphere]) {
    iprof::zone!("particles::collide");
    for particle in batch {
        if particle.position.y < SKIN {
            particle.position.y = SKIN;
            particle.velocity.y = particle.velocity.y.abs() * BOUNCE;
        }
        for sphere in obstacles {
            let from_center = particle.position - sphere.center;
            let reach = sphere.radius + SKIN;
            if from_center.length_squared() < reach * reach {
                bounce(particle, sphere.center, from_center, reach);
            }
        }
    }
}

fn bounce(particle: &mut Particle, center: Vec3, from_center: Vec3, reach: f32) {
    iprof::zone!("particles::bounce");
    // At the exact center, any direction will do.
    let squared = from_center.length_squared();
    let normal = if squared > 0.0 {
        from_center * squared.sqrt().recip()
    } else {
        Vec3::UP
    };
    particle.position = center + normal * reach;
    let inward = particle.velocity.dot(normal);
    if inward < 0.0 {
        particle.velocity += normal * (-inward * (1.0 + BOUNCE));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn after_seconds(seconds: u32) -> Particles {
        let root = Sphere {
            center: Vec3::UP,
            radius: 1.0,
        };
        let mut particles = Particles::new(500, vec![root]);
        for _ in 0..seconds * 60 {
            particles.simulate(1.0 / 60.0, false);
        }
        particles
    }

    #[test]
    fn no_particle_stays_inside_a_sphere_or_flies_away() {
        for particle in &after_seconds(20).particles {
            assert!((particle.position - Vec3::UP).length() > 1.0);
            assert!(particle.position.length() < 8.0, "{particle:?}");
            assert!(particle.position.y >= 0.0);
        }
    }

    #[test]
    fn particles_are_deterministic() {
        assert_eq!(after_seconds(3).sprites(), after_seconds(3).sprites());
    }
}
