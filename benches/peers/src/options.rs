//! Parses the command-line options of all benchmarks in this package.

use std::process::exit;

#[derive(Debug, Default)]
pub(crate) struct Options {
    pub(crate) tsv: Option<String>,
    /// Runs only this contender, in this process, for use with an external profiler.
    pub(crate) only: Option<String>,
    pub(crate) runs: Option<usize>,
    /// The contender and the job, if this process is a worker process.
    pub(crate) worker: Option<(String, String)>,
    pub(crate) flags: Vec<String>,
}

impl Options {
    /// Parses this process's options. `own` contains the program's own options, each with its description.
    pub(crate) fn parse(own: &[(&str, &str)]) -> Options {
        let mut options = Options::default();
        let mut arguments = std::env::args().skip(1);
        while let Some(argument) = arguments.next() {
            let mut value = || {
                let value = arguments.next();
                value.unwrap_or_else(|| wrong(&format!("{argument} needs a value")))
            };
            match argument.as_str() {
                "--tsv" => options.tsv = Some(value()),
                "--only" => options.only = Some(value()),
                "--runs" => {
                    let runs = value().parse().ok().filter(|&runs| runs > 0);
                    options.runs = runs.or_else(|| wrong("--runs needs a number above 0"));
                }
                "--worker" => options.worker = Some((value(), value())),
                // Cargo passes this option to every benchmark.
                "--bench" => {}
                flag if own.iter().any(|(name, _)| *name == flag) => options.flags.push(argument),
                "--help" => {
                    println!("  --tsv FILE    write the results to a file too");
                    println!("  --only NAME   this contender alone, in this process");
                    println!("  --runs N      how often");
                    for (name, meaning) in own {
                        println!("  {name:<13} {meaning}");
                    }
                    exit(0);
                }
                other => wrong(&format!("there is no option {other}; see --help")),
            }
        }
        options
    }

    pub(crate) fn has(&self, flag: &str) -> bool {
        self.flags.iter().any(|given| given == flag)
    }
}

fn wrong(message: &str) -> ! {
    eprintln!("{message}");
    exit(2);
}
