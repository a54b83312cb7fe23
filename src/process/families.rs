//! Families: zones whose names begin alike, as `physics::solve` and `physics::collide` do. Reports
//! show them as groups.
//!
//! A family's name ends with a `::` that has something before it and something behind it. So
//! `a::b::c` is of the family `a::b::`, which is part of the family `a::`, and `a::`, `::a` and `a`
//! are of none.

use super::tree::NONE;
use std::collections::HashMap;
use std::sync::Arc;

/// All families, with small numbers; a family comes after the one that it is part of.
#[derive(Debug, Default)]
pub(crate) struct Families {
    ids: HashMap<Arc<str>, u32>,
    names: Vec<Arc<str>>,
    /// By family the one that it is part of, or [`NONE`].
    above: Vec<u32>,
}

impl Families {
    /// The innermost family of a zone of that name, [`NONE`] if it is of none.
    pub(super) fn of(&mut self, zone: &str) -> u32 {
        const END: &str = "::";
        let mut family = NONE;
        for (at, _) in zone.match_indices(END) {
            let end = at + END.len();
            if at == 0 || end == zone.len() {
                continue;
            }
            family = match self.ids.get(&zone[..end]) {
                Some(known) => *known,
                None => self.add(zone[..end].into(), family),
            };
        }
        family
    }

    fn add(&mut self, name: Arc<str>, above: u32) -> u32 {
        let id = self.names.len() as u32;
        self.ids.insert(name.clone(), id);
        self.names.push(name);
        self.above.push(above);
        id
    }

    pub(crate) fn name(&self, family: u32) -> &Arc<str> {
        &self.names[family as usize]
    }

    pub(crate) fn above(&self) -> &[u32] {
        &self.above
    }

    pub(crate) fn count(&self) -> usize {
        self.names.len()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The families of a zone, from the innermost on.
    fn chain(families: &mut Families, zone: &str) -> Vec<String> {
        let mut family = families.of(zone);
        let mut chain = Vec::new();
        while family != NONE {
            chain.push(families.name(family).to_string());
            family = families.above()[family as usize];
        }
        chain
    }

    #[test]
    fn a_family_ends_where_names_have_two_colons_between_two_parts() {
        let mut families = Families::default();
        for (zone, wanted) in [
            ("physics::solve", &["physics::"][..]),
            ("a::b::c", &["a::b::", "a::"]),
            ("a::d", &["a::"]),
            ("World::step (2)", &["World::"]),
            ("größe::ä", &["größe::"]),
            ("plain", &[]),
            ("::a", &[]),
            ("a::", &[]),
            ("::", &[]),
            ("", &[]),
            ("a:b", &[]),
            ("::a::b", &["::a::"]),
        ] {
            assert_eq!(chain(&mut families, zone), wanted, "{zone}");
        }
        assert_eq!(families.of("a::x"), families.of("a::y"));
        assert_ne!(families.of("a::x"), families.of("a::b::y"));
        assert!(
            (0u32..)
                .zip(families.above())
                .all(|(id, above)| *above == NONE || *above < id)
        );
    }
}
