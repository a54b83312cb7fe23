//! Tests of a record as its owner moves it.

mod deep;
