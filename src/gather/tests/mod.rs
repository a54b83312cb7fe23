//! Tests of a record as its owner changes it.

mod deep;
