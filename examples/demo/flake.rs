//! The sphereflake: a sphere that carries nine spheres a third of its size, each of which carries nine more, and so on.
//!
//! The shape comes from Eric Haines' "Standard Procedural Databases": six children around the equator and three on the
//! upper half. All of them touch their parent, and each child's "up" points away from the parent.
//!
//! The flake is its own acceleration structure: a complete tree, stored level by level in one array, where the children
//! of sphere `i` are `9 i + 1 ..= 9 i + 9`. Every sphere stores a ball around its whole branch. A ray only descends
//! into branches whose balls it meets, nearest first, and skips branches whose balls begin beyond the best hit so far.

use std::ops::Range;

use super::math::{Vec3, vec3};

const CHILDREN: usize = 9;

/// Deeper spheres would be too small for `f32` to resolve at the camera's distance.
pub(crate) const MAX_DEPTH: u32 = 6;

/// Each level leaves at most eight branches on the stack while the ninth is searched.
const MAX_WAITING: usize = (CHILDREN - 1) * MAX_DEPTH as usize + 1;

/// A half-line. `direction` is a unit vector.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Ray {
    pub origin: Vec3,
    pub direction: Vec3,
}

impl Ray {
    #[inline]
    pub(crate) fn at(&self, distance: f32) -> Vec3 {
        self.origin + self.direction * distance
    }
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct Sphere {
    pub center: Vec3,
    pub radius: f32,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct FlakeHit {
    pub distance: f32,
    pub index: usize,
}

#[derive(Clone, Copy, Debug)]
struct Node {
    sphere: Sphere,
    /// The radius of the ball around the sphere's center that contains the whole branch.
    reach: f32,
}

/// How the line of a ray passes a point.
struct Passage {
    /// The position along the ray that is closest to the point.
    middle: f32,
    /// The squared distance at that position.
    gap_squared: f32,
}

impl Passage {
    #[inline]
    fn new(ray: &Ray, point: Vec3) -> Passage {
        let to_point = point - ray.origin;
        let middle = to_point.dot(ray.direction);
        // The gap itself is squared, because with the difference of two large squares, rounding would lose small,
        // distant spheres.
        let gap_squared = (to_point - ray.direction * middle).length_squared();
        Passage {
            middle,
            gap_squared,
        }
    }

    /// Returns where the line enters and leaves a ball around the point. Either position may be behind the origin.
    #[inline]
    fn span(&self, radius: f32) -> Option<(f32, f32)> {
        let half_squared = radius * radius - self.gap_squared;
        if half_squared < 0.0 {
            return None;
        }
        let half = half_squared.sqrt();
        Some((self.middle - half, self.middle + half))
    }

    /// Returns the position where the line enters a ball around the point, if the ball is at least partly on the ray
    /// and closer than `limit`.
    #[inline]
    fn enters(&self, radius: f32, limit: f32) -> Option<f32> {
        let (enters, leaves) = self.span(radius)?;
        (leaves > 0.0 && enters < limit).then_some(enters)
    }

    /// Returns where a ray from outside a ball around the point meets the ball's surface, if that is closer than
    /// `limit`.
    #[inline]
    fn hit(&self, radius: f32, limit: f32) -> Option<f32> {
        let (enters, _) = self.span(radius)?;
        (enters > 0.0 && enters < limit).then_some(enters)
    }
}

#[derive(Debug)]
pub(crate) struct Flake {
    nodes: Vec<Node>,
    first_leaf: usize,
    has_fine_zones: bool,
}

impl Flake {
    /// Creates a flake with `depth` levels below the first sphere, at most [`MAX_DEPTH`].
    pub(crate) fn new(root: Sphere, depth: u32) -> Flake {
        let count = sphere_count(depth.min(MAX_DEPTH));
        let first_leaf = (count - 1) / CHILDREN;
        let mut spheres = Vec::with_capacity(count);
        let mut ups = Vec::with_capacity(count);
        spheres.push(root);
        ups.push(Vec3::UP);
        for parent in 0..first_leaf {
            let (Sphere { center, radius }, up) = (spheres[parent], ups[parent]);
            let (side, front) = up.tangents();
            for local in child_directions() {
                let away = side * local.x + up * local.y + front * local.z;
                spheres.push(Sphere {
                    center: center + away * (radius * 4.0 / 3.0),
                    radius: radius / 3.0,
                });
                ups.push(away);
            }
        }
        Flake {
            nodes: with_reach(spheres),
            first_leaf,
            has_fine_zones: false,
        }
    }

    /// Sets whether each branch search is a zone instead of a counter. Zones are only reasonable with `Timing::Auto`,
    /// because recording one takes almost as long as a search.
    pub(crate) fn set_fine_zones(&mut self, fine: bool) {
        self.has_fine_zones = fine;
    }

    pub(crate) fn sphere(&self, index: usize) -> Sphere {
        self.nodes[index].sphere
    }

    pub(crate) fn level(&self, index: usize) -> u32 {
        level_of(index)
    }

    pub(crate) fn spheres_to_level(&self, level: u32) -> impl Iterator<Item = Sphere> {
        self.nodes
            .iter()
            .take(sphere_count(level))
            .map(|node| node.sphere)
    }

    /// Returns the nearest sphere that the ray hits, if it is closer than `limit`.
    pub(crate) fn nearest(&self, ray: &Ray, limit: f32) -> Option<FlakeHit> {
        if self.missed_by(ray, limit) {
            return None;
        }
        zone!(intersect);
        match self.has_fine_zones {
            true => self.search_nearest::<true>(ray, limit),
            false => self.search_nearest::<false>(ray, limit),
        }
    }

    #[inline(always)]
    fn search_nearest<const FINE: bool>(&self, ray: &Ray, limit: f32) -> Option<FlakeHit> {
        let (mut distance, mut hit) = (limit, None);
        let mut waiting = [(0.0f32, 0u32); MAX_WAITING];
        let mut count = 0;
        let mut brood = 0..1;
        loop {
            let search = || {
                let bottom = count;
                for index in brood {
                    let Node { sphere, reach } = &self.nodes[index];
                    let passage = Passage::new(ray, sphere.center);
                    let Some(enters) = passage.enters(*reach, distance) else {
                        continue;
                    };
                    if let Some(closer) = passage.hit(sphere.radius, distance) {
                        distance = closer;
                        hit = Some(index);
                    }
                    if index >= self.first_leaf {
                        continue;
                    }
                    // A ray meets few of the nine branches, so insertion sort is cheapest.
                    let mut slot = count;
                    while slot > bottom && waiting[slot - 1].0 < enters {
                        waiting[slot] = waiting[slot - 1];
                        slot -= 1;
                    }
                    waiting[slot] = (enters, index as u32);
                    count += 1;
                }
            };
            if FINE {
                zone!(search_branch);
                search();
            } else {
                counter!(search_branch);
                search();
            }
            brood = loop {
                if count == 0 {
                    return hit.map(|index| FlakeHit { distance, index });
                }
                count -= 1;
                let (enters, index) = waiting[count];
                if enters < distance {
                    break children(index as usize);
                }
            };
        }
    }

    /// Returns whether anything blocks the ray closer than `limit`. Any hit suffices, so the branches are not sorted.
    pub(crate) fn blocks(&self, ray: &Ray, limit: f32) -> bool {
        if self.missed_by(ray, limit) {
            return false;
        }
        zone!(shadow_ray);
        match self.has_fine_zones {
            true => self.search_any::<true>(ray, limit),
            false => self.search_any::<false>(ray, limit),
        }
    }

    #[inline(always)]
    fn search_any<const FINE: bool>(&self, ray: &Ray, limit: f32) -> bool {
        let mut waiting = [0u32; MAX_WAITING];
        let mut count = 0;
        let mut brood = 0..1;
        loop {
            let search = || {
                for index in brood {
                    let Node { sphere, reach } = &self.nodes[index];
                    let passage = Passage::new(ray, sphere.center);
                    if passage.enters(*reach, limit).is_none() {
                        continue;
                    }
                    if passage.hit(sphere.radius, limit).is_some() {
                        return true;
                    }
                    if index < self.first_leaf {
                        waiting[count] = index as u32;
                        count += 1;
                    }
                }
                false
            };
            let is_blocked = if FINE {
                zone!(search_branch_for_shadow);
                search()
            } else {
                counter!(search_branch_for_shadow);
                search()
            };
            if is_blocked {
                return true;
            }
            if count == 0 {
                return false;
            }
            count -= 1;
            brood = children(waiting[count] as usize);
        }
    }

    /// Quickly rejects rays that do not come near the flake. This test takes less time than recording a zone, so both
    /// searches enter their zones after it.
    #[inline]
    fn missed_by(&self, ray: &Ray, limit: f32) -> bool {
        let Node { sphere, reach } = &self.nodes[0];
        let passage = Passage::new(ray, sphere.center);
        passage.enters(*reach, limit).is_none()
    }
}

fn children(index: usize) -> Range<usize> {
    CHILDREN * index + 1..CHILDREN * index + 1 + CHILDREN
}

/// Computes the balls around branches from their actual contents. Adding up the maximum reach of each level would
/// result in larger balls, which more rays would meet.
fn with_reach(spheres: Vec<Sphere>) -> Vec<Node> {
    let to_node = |&sphere: &Sphere| Node {
        sphere,
        reach: sphere.radius,
    };
    let mut nodes: Vec<Node> = spheres.iter().map(to_node).collect();
    for (index, sphere) in spheres.iter().enumerate() {
        let mut above = index;
        while above > 0 {
            above = (above - 1) / CHILDREN;
            let node = &mut nodes[above];
            let needed = (sphere.center - node.sphere.center).length() + sphere.radius;
            // The margin covers rounding errors between here and the intersection with the ray.
            node.reach = node.reach.max(needed * 1.0001);
        }
    }
    nodes
}

pub(crate) fn sphere_count(depth: u32) -> usize {
    (CHILDREN.pow(depth + 1) - 1) / (CHILDREN - 1)
}

fn level_of(mut index: usize) -> u32 {
    let mut level = 0;
    while index > 0 {
        index = (index - 1) / CHILDREN;
        level += 1;
    }
    level
}

/// Returns the directions of the children on a sphere whose "up" is y.
fn child_directions() -> impl Iterator<Item = Vec3> {
    let ring = |count: usize, height: f32, turn: f32| {
        let radius = (1.0 - height * height).sqrt();
        (0..count).map(move |i| {
            let (sin, cos) = (turn + i as f32 / count as f32 * std::f32::consts::TAU).sin_cos();
            vec3(radius * cos, height, radius * sin)
        })
    };
    let upper = (2.0f32 / 3.0).sqrt();
    ring(6, 0.0, 0.0).chain(ring(3, upper, std::f32::consts::FRAC_PI_6))
}

#[cfg(test)]
mod tests {
    use super::super::math::scramble;
    use super::*;

    fn flake(depth: u32) -> Flake {
        Flake::new(
            Sphere {
                center: vec3(0.0, 1.0, 0.0),
                radius: 1.0,
            },
            depth,
        )
    }

    /// Returns rays from all directions, most of which hit the flake or narrowly miss it.
    fn rays(count: u32) -> impl Iterator<Item = Ray> {
        let unit = |seed: u32| scramble(seed) as f32 / u32::MAX as f32 * 2.0 - 1.0;
        let point = move |seed: u32| vec3(unit(seed), unit(seed + 1), unit(seed + 2));
        (0..count).map(move |i| {
            let origin = point(i * 6 + 1) * 6.0;
            let target = vec3(0.0, 1.0, 0.0) + point(i * 6 + 4) * 2.0;
            Ray {
                origin,
                direction: (target - origin).normalized(),
            }
        })
    }

    #[test]
    fn each_level_has_nine_times_as_many_spheres() {
        for (depth, count) in [1, 10, 91, 820, 7381].into_iter().enumerate() {
            let flake = flake(depth as u32);
            assert_eq!(flake.nodes.len(), count);
            assert_eq!(sphere_count(depth as u32), count);
            assert_eq!(flake.level(count - 1), depth as u32);
        }
    }

    #[test]
    fn children_touch_only_their_parent() {
        let flake = flake(3);
        for (i, node) in flake.nodes.iter().enumerate().skip(1) {
            let parent = flake.sphere((i - 1) / CHILDREN);
            let distance = (node.sphere.center - parent.center).length();
            assert!((distance - node.sphere.radius - parent.radius).abs() < 1e-4);
        }
        for i in 1..=CHILDREN {
            for j in 1..i {
                let (a, b) = (flake.sphere(i), flake.sphere(j));
                assert!((a.center - b.center).length() > a.radius + b.radius);
            }
        }
    }

    #[test]
    fn branches_enclose_their_descendants_tightly() {
        let flake = flake(4);
        for (i, node) in flake.nodes.iter().enumerate() {
            let mut above = i;
            while above > 0 {
                above = (above - 1) / CHILDREN;
                let Node { sphere, reach } = flake.nodes[above];
                let needed = (node.sphere.center - sphere.center).length() + node.sphere.radius;
                assert!(needed <= reach, "sphere {i} sticks out of branch {above}");
                assert!(reach < sphere.radius * 2.0);
            }
        }
    }

    #[test]
    fn tree_search_agrees_with_exhaustive_search() {
        for depth in [0, 1, 3] {
            let flake = flake(depth);
            let mut hits = 0;
            for ray in rays(4_000) {
                let mut expected: Option<FlakeHit> = None;
                for (index, node) in flake.nodes.iter().enumerate() {
                    let limit = expected.map_or(f32::INFINITY, |hit| hit.distance);
                    let passage = Passage::new(&ray, node.sphere.center);
                    if let Some(distance) = passage.hit(node.sphere.radius, limit) {
                        expected = Some(FlakeHit { distance, index });
                    }
                }
                assert_eq!(flake.nearest(&ray, f32::INFINITY), expected);
                assert_eq!(flake.blocks(&ray, f32::INFINITY), expected.is_some());
                if let Some(hit) = expected {
                    hits += 1;
                    assert!(!flake.blocks(&ray, hit.distance));
                    assert_eq!(flake.nearest(&ray, hit.distance), None);
                }
            }
            assert!(hits > 500, "only {hits} rays met the flake");
        }
    }
}
