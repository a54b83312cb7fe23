//! Stable names of enum variants. One table for each enum serves both `Display` and `FromStr`.

use iprof_process::ParseNameError;

/// An enum whose variants have names.
pub trait VariantName: Copy + PartialEq + 'static {
    /// The enum's name in error messages.
    const KIND: &'static str;
    /// All variants with their names, which are lower case with hyphens between words.
    const NAMES: &'static [(Self, &'static str)];
}

/// Implements `Display` and `FromStr` with [`VariantName`].
#[doc(hidden)]
#[macro_export]
macro_rules! display_and_from_str {
    ($type:ty) => {
        /// Writes the name that `from_str` parses.
        impl std::fmt::Display for $type {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                // `pad` honors the width given in a format string.
                f.pad($crate::name_of_variant(*self))
            }
        }

        /// Parses a name as `Display` writes it. Ignores case and surrounding whitespace.
        impl std::str::FromStr for $type {
            type Err = $crate::ParseNameError;

            fn from_str(text: &str) -> Result<$type, $crate::ParseNameError> {
                $crate::parse_variant(text)
            }
        }
    };
}
/// Returns the name of a variant.
pub fn name_of_variant<T: VariantName>(variant: T) -> &'static str {
    let found = T::NAMES.iter().find(|(other, _)| *other == variant);
    found.map_or("", |(_, name)| name)
}

/// Returns the variant with this name. Ignores case and surrounding whitespace.
pub fn parse_variant<T: VariantName>(text: &str) -> Result<T, ParseNameError> {
    let has_name = |(_, name): &&(T, &str)| text.trim().eq_ignore_ascii_case(name);
    let found = T::NAMES.iter().find(has_name);
    found.map(|(variant, _)| *variant).ok_or_else(|| {
        let names: Vec<&str> = T::NAMES.iter().map(|(_, name)| *name).collect();
        let (last, others) = names.split_last().unwrap_or((&"", &[]));
        ParseNameError {
            kind: T::KIND,
            text: text.to_owned(),
            expected: format!("{} or {last}", others.join(", ")),
        }
    })
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::VariantName;
    use crate::{Average, GraphStyle, Recursion, ReportMode};
    use iprof_process::ParseNameError;
    use std::collections::BTreeSet;
    use std::fmt::{Debug, Display};
    use std::str::FromStr;

    fn check<T>(variants: &[T])
    where
        T: VariantName + Debug + Display + FromStr<Err = ParseNameError>,
    {
        assert_eq!(T::NAMES.len(), variants.len());
        let mut names = BTreeSet::new();
        for variant in variants {
            let name = variant.to_string();
            assert!(name.chars().all(|c| c.is_ascii_lowercase() || c == '-'));
            assert_eq!(name.parse().ok(), Some(*variant), "{name}");
            let shouted = format!(" {} ", name.to_uppercase());
            assert_eq!(shouted.parse().ok(), Some(*variant), "{name}");
            assert_eq!(format!("{variant:>30}"), format!("{name:>30}"));
            assert!(names.insert(name));
        }
        for text in ["", "upside-down", "self time", "-"] {
            let error = text.parse::<T>().unwrap_err().to_string();
            let kind = T::KIND;
            assert!(
                error.starts_with(&format!("invalid {kind} \"{text}\"; expected ")),
                "{error}"
            );
            assert!(names.iter().all(|name| error.contains(name)), "{error}");
        }
    }

    #[test]
    fn only_displayed_names_are_parsed() {
        check(ReportMode::ALL);
        check(Average::ALL);
        check(&[Recursion::Flatten, Recursion::Spread]);
        check(&[GraphStyle::Bars, GraphStyle::Lines]);
    }
}
