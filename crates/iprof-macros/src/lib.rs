//! The attributes of [iprof](https://docs.rs/iprof), re-exported by its feature `macros`. One line makes zones of all
//! functions of a block or module.

mod function;
mod instrument;
mod options;

use proc_macro::TokenStream;

/// Makes a zone of a function, or of every function of an `impl` block, a trait or an inline module.
///
/// The attribute inserts [`zone!()`](https://docs.rs/iprof/latest/iprof/macro.zone.html) at the beginning of the
/// function, at the same cost. It changes nothing else, neither in the signature nor in the body.
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
/// | `name = "…"` | functions | the zone's name, instead of the function's |
/// | `idle` | functions | the program [only waits](https://docs.rs/iprof/latest/iprof/macro.zone.html) in the function |
/// | `budget = Duration::from_millis(4)` | functions | the [zone budget](https://docs.rs/iprof/latest/iprof/macro.zone.html), a constant; not with `idle` |
/// | `min_lines = 3` | other items | skips functions with fewer lines between the braces of their bodies |
///
/// # Which functions
///
/// In a module, the attribute applies to functions, to the functions of `impl` blocks and traits, and to inline modules
/// in it. It skips functions that
///
/// * have `#[iprof::skip]`, or are in a block or module that has it;
/// * have their own `#[iprof::instrument]`, with their own options. Write both attributes with their paths, because
///   iprof ignores another crate's `#[instrument]`;
/// * are `const fn`, which may run in the compiler, or have only assembly as their body (`#[unsafe(naked)]`). The
///   attribute on such a function itself is a compile error;
/// * are inside functions, or come from macros. Closures are part of the functions around them.
///
/// All instances of a generic function are one zone. Rust has no attributes for a module that is a file.
///
/// # Futures
///
/// An `async fn` is entered once per poll, on the thread that polls it, so its time never includes waiting. The same
/// holds for a function that ends in an `async` block, in `Box::pin` of one, or in `.boxed()`, such as a trait's
/// function whose future is boxed by hand or by the crate `async-trait`. For other futures and streams use
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

/// Excludes a function, an `impl` block, a trait or a module from the [`instrument`](macro@instrument) around it.
#[proc_macro_attribute]
pub fn skip(options: TokenStream, item: TokenStream) -> TokenStream {
    instrument::expand_skip(options.into(), item.into()).into()
}
