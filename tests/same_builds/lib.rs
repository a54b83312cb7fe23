//! Has no code: its dependencies are what it is for.
