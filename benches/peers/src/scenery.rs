//! The parts of the demo's ray tracer that have no zones, and that all contenders can share.

#[allow(dead_code, reason = "the demo draws, too")]
#[path = "../../../examples/demo/math.rs"]
pub(crate) mod math;
