//! Tests of a record as its owner changes it.

mod deep;
mod lost_state;
