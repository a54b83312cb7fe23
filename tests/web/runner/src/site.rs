//! Builds a page from a WebAssembly program.

use std::fs;
use std::path::{Path, PathBuf};
use wasm_bindgen_cli_support::Bindgen;

/// A built page, in a folder that can be served.
pub(crate) struct Site {
    pub(crate) folder: PathBuf,
}

impl Site {
    /// Writes the program's JavaScript and `page` to a folder next to the program. The JavaScript is named after the
    /// program, and `page` becomes `index.html`.
    pub(crate) fn build(program: &Path, page: &Path) -> Site {
        let site = Site::bind(program, true);
        let copied = fs::copy(page, site.folder.join("index.html"));
        copied.unwrap_or_else(|error| panic!("{}: {error}", page.display()));
        site
    }

    /// Like [`Site::build`], but without a page. With `has_names`, function names are kept for the console.
    pub(crate) fn bind(program: &Path, has_names: bool) -> Site {
        let name = program.file_stem().and_then(|name| name.to_str());
        let folder = program.with_extension("page");
        let mut bindgen = Bindgen::new();
        bindgen
            .input_path(program)
            .out_name(name.expect("the program's path has no file name"))
            .typescript(false)
            .remove_name_section(!has_names)
            .remove_producers_section(!has_names)
            // The `wasm-bindgen` command uses the same setting, so that the page doesn't have to specify the program's
            // address.
            .omit_default_module_path(false);
        bindgen
            .web(true)
            .expect("only one kind of output should be requested");
        bindgen
            .generate(&folder)
            .expect("wasm-bindgen failed to generate JavaScript");
        Site { folder }
    }

    pub(crate) fn of_repository(programs: &Path, program: &str, page: &str) -> Site {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../..");
        Site::build(&programs.join(program), &root.join(page))
    }
}
