//! Includes the demo's `math.rs`. It has no zones, so it is compiled only once, for all contenders.

#[allow(dead_code, reason = "the demo also draws")]
#[path = "../../../examples/demo/math.rs"]
pub(crate) mod math;
