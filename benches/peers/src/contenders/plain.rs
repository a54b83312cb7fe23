//! No zones: the baseline.

macro_rules! enter {
    ($name:ident) => {};
}
work!(zone, counter);
