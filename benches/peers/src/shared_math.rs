//! The demo's `math.rs`, which has no zones and is compiled once for all contenders.

#[allow(dead_code, reason = "the demo draws, too")]
#[path = "../../../examples/demo/math.rs"]
pub(crate) mod math;
