//! The attributes of [iprof](https://docs.rs/iprof), which has them by its feature `macros`: zones for all functions of a
//! block or module by one line.

mod function;
mod instrument;
mod options;

use proc_macro::TokenStream;

/// Makes a zone of a function, or of every function of an `impl` block, a trait or an inline module.
///
/// The attribute puts [`zone!()`](https://docs.rs/iprof/latest/iprof/macro.zone.html) at the beginning of the
/// function, at the cost of that. It changes nothing else: not the signature, not the body.
///
/// ```
/// #[iprof::instrument]
/// fn physics(bodies: &mut [f32]) {
///     for body in bodies {
///         *body *= 0.99;
///     }
/// }
///
/// struct World(Vec<f32>);
///
/// #[iprof::instrument]
/// impl World {
///     fn step(&mut self) {
///         physics(&mut self.0);
///         self.collide();
///     }
///
///     fn collide(&mut self) {
///         // …
///     }
///
///     #[iprof::skip]
///     fn len(&self) -> usize {
///         self.0.len()
///     }
/// }
/// # let mut world = World(vec![1.0]);
/// # world.step();
/// # assert_eq!(world.len(), 1);
/// ```
///
/// # Options
///
/// | | on | |
/// |---|---|---|
/// | `name = "…"` | a function | the zone's name, instead of the function's |
/// | `idle` | a function | the program [only waits](https://docs.rs/iprof/latest/iprof/macro.zone.html) in it |
/// | `budget = Duration::from_millis(4)` | a function | the longest that it [should take](https://docs.rs/iprof/latest/iprof/macro.zone.html) in a frame, a constant; not with `idle` |
/// | `min_lines = 3` | the others | leaves out functions with fewer lines between the braces of their bodies |
///
/// # Which functions
///
/// In a module these are its functions, those of `impl` blocks and traits, and those of inline modules within. Left out are
/// functions that
///
/// * have `#[iprof::skip]`, or stand in a block or module that has;
/// * have an `#[iprof::instrument]` of their own, with options of their own. Write both attributes by their paths: another
///   crate's `#[instrument]` is not iprof's;
/// * are `const fn`, for these may run in the compiler, or have no other body than assembly (`#[unsafe(naked)]`). Such a
///   function with an attribute of its own is a compile error;
/// * stand inside of functions, or come from macros. Closures are parts of the functions around them.
///
/// All instances of a generic function are one zone. Rust has no attributes for a module that is a file.
///
/// # Futures
///
/// An `async fn` is entered once per poll, on the thread that polls it, so its time is that of its polls and never that of
/// waiting. So is a function that ends in an `async` block, in `Box::pin` of one, or in `.boxed()`: that of a trait whose
/// futures are boxed, by hand or by the crate `async-trait`. Futures and streams of others have
/// [`InZone`](https://docs.rs/iprof/latest/iprof/trait.InZone.html).
///
/// ```
/// #[iprof::instrument(name = "load a level")]
/// async fn load(path: &str) -> std::io::Result<Vec<u8>> {
///     // …
/// #   Ok(path.as_bytes().to_vec())
/// }
/// # drop(load("level"));
/// ```
#[proc_macro_attribute]
pub fn instrument(options: TokenStream, item: TokenStream) -> TokenStream {
    instrument::expand(options.into(), item.into()).into()
}

/// Leaves a function, an `impl` block, a trait or a module out of those of which
/// [`instrument`](macro@instrument) around it makes zones.
#[proc_macro_attribute]
pub fn skip(options: TokenStream, item: TokenStream) -> TokenStream {
    instrument::expand_skip(options.into(), item.into()).into()
}
