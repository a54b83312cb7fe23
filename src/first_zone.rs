//! What the program's first zone begins: the one arrow of the house that points upwards.
//!
//! A program that is controlled from outside has nothing but zones, so its first zone has to begin
//! what the environment asks for. Who enters it, `gather`, must not know what that is. It tells this
//! file, which is all that knows both; and since that is settled when the crate is compiled, no zone
//! has to carry or to fetch anything.

/// A thread has entered its first zone: called in the cold path, with no lock held by the crate but
/// what the thread held before.
pub(crate) fn has_come() {
    // The model checker and the interpreter have no environment.
    #[cfg(all(feature = "environment", not(any(loom, miri))))]
    crate::environment::follow();
}
