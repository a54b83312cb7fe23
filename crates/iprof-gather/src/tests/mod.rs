//! Tests of a record as its owner changes it.

mod deep;
mod interrupted;
mod lost_state;
