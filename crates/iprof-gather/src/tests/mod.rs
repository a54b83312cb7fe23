//! Tests of a record while its owner changes it.

mod deep;
mod interrupted;
mod lost_state;
