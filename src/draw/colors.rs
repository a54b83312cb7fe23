//! Computed colors for heat, for differences, and for zones in a graph or flame graph.
//!
//! A zone's color depends on its name. The largest zones, which the legend lists, have distinct colors and keep them
//! while they are listed.

use super::theme::{Color, Theme, ZONES};
use iprof_report::{GraphZone, Segment};
use std::sync::Arc;

/// The maximum number of non-idle zones in the legend. Each has its own color.
pub(super) const LEGEND: usize = ZONES;
/// The factor by which a zone must exceed a zone in the legend to replace it. Without this lead, zones of similar size
/// would alternate, and colors would flicker.
const MIN_LEAD: f64 = 1.25;

/// The colors of a graph's zones, and the zones in its legend.
#[derive(Debug, Default)]
pub(crate) struct ZoneColors {
    /// The zone colors, by position in the graph's zones.
    zones: Vec<ZoneColor>,
    /// The sums of the visible segments, by position.
    totals: Vec<f64>,
    /// The positions of the largest zones, largest first, and then of the largest idle zone.
    legend: Vec<u32>,
}

#[derive(Debug)]
struct ZoneColor {
    /// Identifies the zone, to detect when a different zone takes its position.
    name: Arc<str>,
    /// The index into the theme's zone colors. `None` for time outside zones and for idle zones.
    slot: Option<u8>,
    is_idle: bool,
    is_listed: bool,
    /// The color in the theme used in the last update.
    color: Color,
}

impl ZoneColors {
    /// Selects the legend and the colors for the given graph segments.
    pub(super) fn update(&mut self, theme: &Theme, zones: &[GraphZone], segments: &[Segment]) {
        self.recolor(zones);
        self.totals.clear();
        self.totals.resize(zones.len(), 0.0);
        for segment in segments {
            if let Some(total) = self.totals.get_mut(segment.zone as usize) {
                *total += f64::from(segment.ms);
            }
        }
        for (total, zone) in self.totals.iter_mut().zip(&self.zones) {
            *total *= if zone.is_listed { MIN_LEAD } else { 1.0 };
        }
        let ZoneColors { totals, legend, .. } = self;
        legend.clear();
        legend.extend((0..totals.len() as u32).filter(|zone| totals[*zone as usize] > 0.0));
        // Idle zones come last. Only one is listed, because they all have the same color.
        let is_idle = |zone: u32| self.zones[zone as usize].is_idle;
        legend.sort_unstable_by(|a, b| {
            let by_total = totals[*b as usize].total_cmp(&totals[*a as usize]);
            is_idle(*a).cmp(&is_idle(*b)).then(by_total).then(a.cmp(b))
        });
        let work = legend.partition_point(|zone| !is_idle(*zone));
        let idle = legend.get(work).copied();
        legend.truncate(work.min(LEGEND));
        legend.extend(idle);
        self.tell_apart();
        self.paint(theme);
    }

    /// Adopts the legend and the colors of `other` if the zones in its legend are the same here. Returns whether the
    /// zones are the same.
    pub(super) fn follow(
        &mut self,
        theme: &Theme,
        zones: &[GraphZone],
        other: &ZoneColors,
    ) -> bool {
        let is_same = |at: &u32| {
            let zone = zones.get(*at as usize);
            zone.is_some_and(|zone| other.name(*at).is_some_and(|name| *name == zone.name))
        };
        if other.legend.is_empty() || !other.legend.iter().all(is_same) {
            return false;
        }
        self.recolor(zones);
        for (zone, other) in self.zones.iter_mut().zip(&other.zones) {
            (zone.slot, zone.is_listed) = (other.slot, other.is_listed);
        }
        self.legend.clone_from(&other.legend);
        self.paint(theme);
        true
    }

    fn paint(&mut self, theme: &Theme) {
        let muted = theme.zones.map(|color| muted(theme, color));
        for zone in &mut self.zones {
            zone.color = match zone.slot {
                _ if zone.is_idle => idle(theme),
                None => theme.no_zone,
                Some(slot) if zone.is_listed => theme.zones[usize::from(slot)],
                Some(slot) => muted[usize::from(slot)],
            };
        }
    }

    /// Updates positions where the zone has changed. While the view stays the same, no names are hashed.
    fn recolor(&mut self, zones: &[GraphZone]) {
        self.zones.truncate(zones.len());
        for (at, zone) in zones.iter().enumerate() {
            let is_same = |known: &ZoneColor| {
                Arc::ptr_eq(&known.name, &zone.name) && known.is_idle == zone.is_idle
            };
            if self.zones.get(at).is_some_and(is_same) {
                continue;
            }
            let color = ZoneColor {
                name: zone.name.clone(),
                slot: slot(&zone.name).filter(|_| !zone.is_idle),
                is_idle: zone.is_idle,
                is_listed: false,
                color: Color::default(),
            };
            match self.zones.get_mut(at) {
                Some(known) => *known = color,
                None => self.zones.push(color),
            }
        }
    }

    /// Gives each zone that enters the legend a color that no other zone in the legend has.
    fn tell_apart(&mut self) {
        let mut taken = [false; ZONES];
        for (at, zone) in self.zones.iter_mut().enumerate() {
            // A zone that leaves the legend returns to its name's default color.
            let stays = zone.is_listed && self.legend.contains(&(at as u32));
            if zone.is_listed && !stays && !zone.is_idle {
                zone.slot = slot(&zone.name);
            }
            zone.is_listed = stays;
            if let (true, Some(slot)) = (stays, zone.slot) {
                taken[usize::from(slot)] = true;
            }
        }
        for at in &self.legend {
            let zone = &mut self.zones[*at as usize];
            if let (false, Some(first)) = (zone.is_listed, zone.slot) {
                let slots = (0..ZONES).map(|step| (usize::from(first) + step) % ZONES);
                if let Some(free) = slots.into_iter().find(|slot| !taken[*slot]) {
                    taken[free] = true;
                    zone.slot = Some(free as u8);
                }
            }
            zone.is_listed = true;
        }
    }

    /// Makes the colors of all other zones paler, until the next update.
    pub(super) fn single_out(&mut self, zone: u32) {
        for (at, other) in (0..).zip(&mut self.zones) {
            if at != zone {
                other.color = faded(other.color);
            }
        }
    }

    pub(super) fn legend(&self) -> &[u32] {
        &self.legend
    }

    /// Returns the name that the zone at this position had in the last update.
    pub(super) fn name(&self, zone: u32) -> Option<&Arc<str>> {
        Some(&self.zones.get(zone as usize)?.name)
    }

    pub(super) fn is_idle(&self, zone: u32) -> bool {
        self.zones
            .get(zone as usize)
            .is_some_and(|zone| zone.is_idle)
    }

    /// Returns the color of the zone at this position, in the theme of the last update.
    #[inline]
    pub(super) fn color(&self, theme: &Theme, zone: u32) -> Color {
        let zone = self.zones.get(zone as usize);
        zone.map_or(theme.no_zone, |zone| zone.color)
    }
}

/// The minimum weight for colored text.
const COLOR_FROM: f32 = 0.2;
/// The minimum weight for a glow.
const GLOW_FROM: f32 = 0.5;
/// A zone outside the legend is drawn with this fraction of its own color. The rest is the color for time outside
/// zones.
const MUTED: f32 = 0.45;
/// The opacity of idle zones.
const IDLE: u8 = 112;
/// The fraction of its opacity that a color keeps while a different zone is under the pointer.
const FADED_OPACITY: f32 = 0.25;

/// Returns the text color for a row's emphasis: 0 if the row's time is steady, 1 if it fluctuates most, negative if the
/// row took less time than in the baseline.
pub(super) fn text(theme: &Theme, weight: f32) -> Color {
    let weight = if weight.is_nan() { 0.0 } else { weight };
    let part = (weight.abs().min(1.0) - COLOR_FROM) / (1.0 - COLOR_FROM);
    if part <= 0.0 {
        return theme.text;
    }
    let color = match weight < 0.0 {
        true => theme.faster,
        false => theme.hot_text,
    };
    mix(theme.text, color, part)
}

/// Returns the color of the glow behind text, or `None` below the minimum weight.
pub(super) fn glow(theme: &Theme, weight: f32) -> Option<Color> {
    let strength = (weight.clamp(0.0, 1.0) - GLOW_FROM) / (1.0 - GLOW_FROM);
    let [r, g, b, a] = theme.glow;
    (strength > 0.0).then(|| [r, g, b, (strength * f32::from(a)) as u8])
}

/// Returns the index of a zone's color in a theme, or `None` for time outside zones. The index is a hash of the name,
/// so the color is the same in every run.
pub(super) fn slot(name: &str) -> Option<u8> {
    if name == crate::zone::OUTSIDE_ZONES {
        return None;
    }
    // FNV-1a is small and, unlike the standard hasher, will never change.
    let hash = name.bytes().fold(0xcbf2_9ce4_8422_2325u64, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3)
    });
    Some(((hash ^ (hash >> 29)) % ZONES as u64) as u8)
}

/// Returns the color of a zone outside the legend. A zone in the legend may have the same color index.
pub(super) fn muted(theme: &Theme, color: Color) -> Color {
    mix(theme.no_zone, color, MUTED)
}

/// Returns the color of idle zones, which is inconspicuous.
pub(super) fn idle(theme: &Theme) -> Color {
    let [r, g, b, _] = theme.no_zone;
    [r, g, b, IDLE]
}

/// Returns the color for a fraction of the total difference: positive if more time was taken than in the baseline,
/// negative if less.
pub(super) fn difference(theme: &Theme, part: f32) -> Color {
    let part = if part.is_nan() {
        0.0
    } else {
        part.clamp(-1.0, 1.0)
    };
    let color = match part < 0.0 {
        true => theme.faster,
        false => theme.heat_bar,
    };
    mix(theme.no_zone, color, part.abs().sqrt())
}

/// Returns black or white, whichever is more readable on this color.
pub(super) fn ink([r, g, b, _]: Color) -> Color {
    // The luminance with channel weights in thousandths, ignoring the sRGB curve.
    let luminance = 299 * u32::from(r) + 587 * u32::from(g) + 114 * u32::from(b);
    match luminance > 118_000 {
        true => [0, 0, 0, 255],
        false => [255; 4],
    }
}

/// Returns a color for a zone that is not under the pointer.
pub(super) fn faded(color: Color) -> Color {
    let [r, g, b, a] = color;
    [r, g, b, (f32::from(a) * FADED_OPACITY) as u8]
}

/// Returns the same color as [`faded`], but made opaque against the graph's background, so that it looks the same on
/// every target.
pub(super) fn faint(theme: &Theme, color: Color) -> Color {
    let [r, g, b, _] = theme.graph;
    mix([r, g, b, 255], color, FADED_OPACITY)
}

fn mix(from: Color, to: Color, part: f32) -> Color {
    std::array::from_fn(|at| {
        let [from, to] = [from[at], to[at]].map(f32::from);
        (from + (to - from) * part).round() as u8
    })
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;
    use iprof_report::Graph;

    /// Returns a graph with twenty zones, and their times with the longest first.
    fn graph() -> (Graph, Vec<Segment>) {
        let zones = (0..20).map(|at| GraphZone::new(&format!("zone {at}")));
        let graph = Graph {
            zones: zones.collect(),
            ..Graph::default()
        };
        let segments = (0..20).map(|zone| Segment {
            zone,
            ms: 40.0 - zone as f32,
        });
        (graph, segments.collect())
    }

    #[test]
    fn legend_zones_have_distinct_colors() {
        let (graph, segments) = graph();
        let mut colors = ZoneColors::default();
        colors.update(&Theme::DARK, &graph.zones, &segments);
        assert_eq!(colors.legend(), [0, 1, 2, 3, 4, 5, 6, 7]);
        let of = |zone| colors.color(&Theme::DARK, zone);
        let mut listed: Vec<Color> = (0..8).map(of).collect();
        listed.sort_unstable();
        listed.dedup();
        assert_eq!(listed.len(), 8);
        assert!((8..20).all(|zone| !Theme::DARK.zones.contains(&of(zone))));
        assert_eq!(of(20), Theme::DARK.no_zone);
    }

    #[test]
    fn idle_zones_share_a_pale_color() {
        let (mut graph, segments) = graph();
        graph.zones[1].is_idle = true;
        graph.zones[9].is_idle = true;
        let mut colors = ZoneColors::default();
        colors.update(&Theme::DARK, &graph.zones, &segments);
        let of = |zone| colors.color(&Theme::DARK, zone);
        assert_eq!(of(1), of(9));
        // The legend lists the larger idle zone last.
        assert_eq!(colors.legend(), [0, 2, 3, 4, 5, 6, 7, 8, 1]);
        assert!(of(1)[3] < 128 && of(0)[3] == 255);
        // A zone's idle flag can change later.
        graph.zones[1].is_idle = false;
        let mut segments = segments;
        segments[1].ms = 90.0;
        colors.update(&Theme::DARK, &graph.zones, &segments);
        assert!(Theme::DARK.zones.contains(&colors.color(&Theme::DARK, 1)));
    }

    #[test]
    fn listed_zones_keep_their_colors() {
        let (graph, mut segments) = graph();
        let mut colors = ZoneColors::default();
        colors.update(&Theme::DARK, &graph.zones, &segments);
        let before: Vec<Color> = (0..8)
            .map(|zone| colors.color(&Theme::DARK, zone))
            .collect();
        // Exceeding the legend's last zone by only 10% changes nothing.
        segments[12].ms = 1.1 * segments[7].ms;
        colors.update(&Theme::DARK, &graph.zones, &segments);
        assert!(!colors.legend().contains(&12));
        segments[12].ms = 2.0 * segments[7].ms;
        colors.update(&Theme::DARK, &graph.zones, &segments);
        assert!(colors.legend().contains(&12) && !colors.legend().contains(&7));
        let after: Vec<Color> = (0..7)
            .map(|zone| colors.color(&Theme::DARK, zone))
            .collect();
        assert_eq!(before[..7], after);
        assert!(!after.contains(&colors.color(&Theme::DARK, 12)));
    }
}

#[cfg(all(test, not(loom)))]
mod computed_tests {
    use super::*;

    #[test]
    fn text_color_follows_heat_and_hot_text_glows() {
        for theme in Theme::ALL {
            assert_eq!(text(&theme, 0.0), theme.text);
            assert_eq!(text(&theme, 7.0), theme.hot_text);
            assert_eq!(text(&theme, 0.1), theme.text);
            assert_eq!(text(&theme, -7.0), theme.faster);
            assert_eq!(glow(&theme, -1.0), None);
            assert_eq!(text(&theme, f32::NAN), theme.text);
            assert_eq!(glow(&theme, f32::NAN), None);
            assert_eq!(glow(&theme, 0.4), None);
            assert!(glow(&theme, 1.0).unwrap()[3] > glow(&theme, 0.7).unwrap()[3]);
        }
    }

    #[test]
    fn name_hash_is_stable_across_runs() {
        assert_eq!(slot(crate::zone::OUTSIDE_ZONES), None);
        assert_eq!(["physics", "render", "ai"].map(slot), [6, 6, 2].map(Some));
    }
}
