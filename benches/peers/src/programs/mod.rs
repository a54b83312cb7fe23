//! The benchmark programs. Each module has a `main` function, and a function that does a worker process's work for one
//! contender.

use crate::contender::{CONTENDERS, Contender, SPANS, contender};
use crate::options::Options;
use crate::worker;
use std::io::{Error, Result};

pub mod memory;
pub mod peers;
pub mod sphereflake;

/// A benchmark: its name, its own options, a worker's work, and what to run with and without `--only`.
struct Program {
    name: &'static str,
    own: &'static [(&'static str, &'static str)],
    work: fn(&Contender, &str, &Options),
    only: fn(&Contender, &Options),
    all: fn(&Options) -> Result<()>,
}

const PROGRAMS: [&Program; 3] = [&peers::PROGRAM, &sphereflake::PROGRAM, &memory::PROGRAM];

impl Program {
    fn main(&self) -> Result<()> {
        let options = Options::parse(self.own);
        let name = match (&options.worker, &options.only) {
            (Some((name, _)), _) | (None, Some(name)) => name,
            (None, None) => return (self.all)(&options),
        };
        let Some(contender) = contender(name) else {
            let names: Vec<_> = CONTENDERS.iter().chain(SPANS).map(|one| one.name).collect();
            return Err(Error::other(format!("there are {names:?}")));
        };
        match contender.program {
            Some(program) => worker::become_program(program, self.name),
            None => {
                self.run_for(contender, &options);
                Ok(())
            }
        }
    }

    fn run_for(&self, contender: &Contender, options: &Options) {
        match &options.worker {
            Some((_, job)) => {
                worker::end_with_parent();
                (self.work)(contender, job, options);
            }
            None => (self.only)(contender, options),
        }
    }
}

/// Runs a program that contains one contender. An environment variable selects the benchmark.
pub fn run_for(contender: &Contender) -> Result<()> {
    let name = std::env::var(worker::PROGRAM).unwrap_or_default();
    let Some(program) = PROGRAMS.iter().find(|program| program.name == name) else {
        return Err(Error::other("the other programs start this one"));
    };
    program.run_for(contender, &Options::parse(program.own));
    Ok(())
}
