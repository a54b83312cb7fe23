//! Type errors in function bodies.

use std::future::Future;
use std::pin::Pin;

#[iprof::instrument]
fn plain() -> u32 {
    "text" //~ mismatched types
}

#[iprof::instrument]
async fn polled(wrong: bool) -> u32 {
    if wrong {
        return "text"; //~ mismatched types
    }
    let x: u32 = 'c'; //~ mismatched types
    missing(x); //~ cannot find function `missing`
    "text" //~ mismatched types
}

#[iprof::instrument]
async fn fallible() -> Result<u32, std::fmt::Error> {
    let number: u32 = "3".parse()?; //~ expected `Error`, found `ParseIntError`
    Ok(number)
}

#[iprof::instrument]
fn boxed() -> Pin<Box<dyn Future<Output = u32>>> {
    Box::pin(async {
        let text = "text";
        text //~ mismatched types
    })
}

struct World(u32);

#[iprof::instrument]
impl World {
    fn value(&self) -> u32 {
        self.1 //~ no field `1`
    }

    async fn later(&self) -> u32 {
        self.unknown() //~ no method named `unknown`
    }
}

#[iprof::instrument]
mod within {
    pub fn add(x: u32) -> u64 {
        x + 1 //~ mismatched types
    }
}

fn main() {
    let _ = (plain(), polled(true), fallible(), boxed(), within::add(1));
    let world = World(1);
    let _ = (world.0, world.value(), world.later());
}
