//! The parts of the demo's ray tracer without zones, which all contenders share.

#[allow(dead_code, reason = "the demo draws, too")]
#[path = "../../../examples/demo/math.rs"]
pub(crate) mod math;
