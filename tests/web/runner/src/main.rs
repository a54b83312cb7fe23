//! Builds pages from WebAssembly programs, serves them, and tests them in a headless browser.

mod browser;
mod demo_page;
mod devtools;
mod guide_page;
mod minimal_page;
mod overlay_page;
mod picture;
#[path = "../../../support/report_text.rs"]
#[allow(dead_code, reason = "the demo's window tests use the rest")]
mod report_text;
mod server;
mod site;
mod tests;
mod tests_page;
mod wgpu_page;

use server::Server;
use site::Site;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use tests::Outcome;

const HELP: &str = "\
web-runner serve PROGRAM.wasm --page INDEX.html [--port N]
    serves the page on a local port, until it is ended
web-runner build PROGRAM.wasm
    writes the page's program and JavaScript into a folder beside it
web-runner test FOLDER [NAME]
    tests the programs in the folder, all or those tests with NAME in their names
web-runner smoke FOLDER
    tests one page, the guide's, which is the only program that the folder has to have
web-runner guide FOLDER
    makes the guide's page by the guide's lines, and tests it; what they install goes below the folder
";

/// The default port. If it is in use, the next ports are tried.
const PORT: u16 = 8080;

fn main() -> ExitCode {
    match run() {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("web-runner: {error}\n{HELP}");
            ExitCode::from(2)
        }
    }
}

fn run() -> Result<bool, lexopt::Error> {
    use lexopt::prelude::*;
    let mut parser = lexopt::Parser::from_env();
    let (mut words, mut page, mut port) = (Vec::new(), None, None);
    while let Some(argument) = parser.next()? {
        match argument {
            Long("page") => page = Some(PathBuf::from(parser.value()?)),
            Long("port") => port = Some(parser.value()?.parse()?),
            Value(word) => words.push(word.string()?),
            _ => return Err(argument.unexpected()),
        }
    }
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let tests_pages = words
        .first()
        .is_some_and(|word| ["smoke", "test"].contains(word));
    if tests_pages && browser::program().is_none() && Outcome::of_skipped() == Outcome::Skipped {
        println!("skipped: there is no browser");
        return Ok(true);
    }
    match (&*words, page) {
        (["serve", program], Some(page)) => serve(Path::new(program), &page, port),
        (["build", program], None) => {
            Site::bind(Path::new(program), false);
            Ok(true)
        }
        (["guide", folder], None) => {
            // Make the path absolute, because the guide's commands run in a different folder.
            let folder = std::path::absolute(folder).map_err(|error| error.to_string())?;
            Ok(tests::sum_up(&[guide_page::run(&folder)]))
        }
        (["smoke", folder], None) => Ok(tests::sum_up(&minimal_page::run(Path::new(folder), ""))),
        (["test", folder], None) => Ok(test(Path::new(folder), "")),
        (["test", folder, name], None) => Ok(test(Path::new(folder), name)),
        _ => Err("a command is missing, or one of its arguments".into()),
    }
}

fn serve(program: &Path, page: &Path, port: Option<u16>) -> Result<bool, lexopt::Error> {
    let site = Site::build(program, page);
    let server = match port {
        Some(port) => Server::new(&site.folder, port),
        None => (PORT..PORT + 10)
            .find_map(|port| Server::new(&site.folder, port).ok())
            .map_or_else(|| Server::new(&site.folder, 0), Ok),
    };
    let server = server.map_err(|error| format!("the port cannot be had: {error}"))?;
    println!("{} serves the page; Ctrl+C ends it", server.url());
    loop {
        std::thread::park();
    }
}

/// Runs the tests whose names contain `name`. Returns whether all of these tests pass.
fn test(folder: &Path, name: &str) -> bool {
    let mut results = Vec::new();
    results.extend(tests_page::run(folder, name));
    results.extend(demo_page::run(folder, name));
    results.extend(minimal_page::run(folder, name));
    results.extend(wgpu_page::run(folder, name));
    tests::sum_up(&results)
}
