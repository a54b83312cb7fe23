//! Items to which the attribute does not apply, and invalid options.

#[iprof::instrument]
const fn constant() -> u32 { //~ a const fn cannot have a zone
    1
}

#[iprof::instrument]
struct World(u32); //~ expected a function with a body, an impl block, a trait or an inline module

#[iprof::instrument(colour = "red")] //~ unknown option; expected name, idle, budget or min_lines
fn unknown() {}

#[iprof::instrument(name = red)] //~ expected string literal
fn no_string() {}

#[iprof::instrument(name = "a", name = "b")] //~ option given twice
fn twice() {}

#[iprof::instrument(idle, budget = std::time::Duration::from_secs(1))] //~ an idle zone cannot have a budget
fn idle_and_limited() {}

#[iprof::instrument(budget = 4)] //~ mismatched types
fn no_duration() {}

#[iprof::instrument(min_lines = 3)] //~ min_lines applies only to impl blocks, traits and modules
fn one() {}

#[iprof::instrument(name = "all")] //~ this option applies only to functions
impl World {
    #[iprof::skip(always)] //~ skip takes no options
    fn zero(&self) -> u32 {
        self.0
    }
}

trait Shape {
    #[iprof::instrument]
    fn area(&self) -> u32; //~ expected a function with a body
}

// Despite the errors, the items exist.
fn main() {
    unknown();
    no_string();
    twice();
    idle_and_limited();
    no_duration();
    one();
    let _: u32 = World(constant()).zero();
}
