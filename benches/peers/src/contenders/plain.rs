//! The baseline, without any zones.

macro_rules! enter {
    ($name:ident) => {};
}
work!(zone, counter);
