//! The attributes of [iprof](https://docs.rs/iprof), which re-exports them with its feature `macros`. One line makes
//! zones of all functions of a block or module.

mod function;
mod instrument;
mod options;

use proc_macro::TokenStream;

/// Makes a zone of a function, or of every function of an `impl` block, a trait or an inline module.
///
/// The attribute inserts [`zone!()`](https://docs.rs/iprof/latest/iprof/macro.zone.html) at the beginning of the
/// function and costs the same. It changes nothing else in the signature or the body.
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
/// | option | on | effect |
/// |---|---|---|
/// | `name = "…"` | a function | names the zone, instead of using the function's name |
/// | `idle` | a function | says that the program [only waits](https://docs.rs/iprof/latest/iprof/macro.zone.html) in it |
/// | `budget = Duration::from_millis(4)` | a function | sets the longest that it [should take](https://docs.rs/iprof/latest/iprof/macro.zone.html) in a frame, a constant; not with `idle` |
/// | `min_lines = 3` | other items | skips functions with fewer lines between the braces of their bodies |
///
/// # Which functions
///
/// In a module, these are its functions, the functions of its `impl` blocks and traits, and those of inline modules
/// inside it. The attribute skips functions that
///
/// * have `#[iprof::skip]`, or are in a block or module that has it;
/// * have their own `#[iprof::instrument]`, which may have other options. Write both attributes with their paths,
///   because iprof does not recognize another crate's `#[instrument]`;
/// * are `const fn`, which may run in the compiler, or whose body is only assembly (`#[unsafe(naked)]`). The attribute
///   directly on such a function is a compile error;
/// * are inside functions, or come from macros. Closures are part of the functions around them.
///
/// All instances of a generic function are one zone. Rust has no attributes for a module that is a file.
///
/// # Futures
///
/// An `async fn` is entered once per poll, on the thread that polls it. So its time is the time of its polls and never
/// includes waiting. The same applies to a function that ends in an `async` block, in `Box::pin` of one, or in
/// `.boxed()`. Trait functions have such bodies if their futures are boxed, by hand or by the crate `async-trait`. For
/// other futures and streams use [`InZone`](https://docs.rs/iprof/latest/iprof/trait.InZone.html).
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

/// Excludes a function, an `impl` block, a trait or a module from the [`instrument`](macro@instrument) around it.
#[proc_macro_attribute]
pub fn skip(options: TokenStream, item: TokenStream) -> TokenStream {
    instrument::expand_skip(options.into(), item.into()).into()
}
