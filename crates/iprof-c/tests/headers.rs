//! Tests that the headers compile without warnings under every language standard, and that they match the library's
//! functions and structs.

#![cfg(target_os = "linux")]

mod watched;

use cbindgen::{Builder, Config, Language, Layout};
use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::{env, fs};

const STRICT: [&str; 4] = ["-Wall", "-Wextra", "-pedantic", "-Werror"];

fn source(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(path)
}

fn run(command: &mut Command) {
    let output = command.output();
    let output = output.unwrap_or_else(|error| panic!("{command:?}: {error}"));
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{command:?}:\n{stderr}");
}

/// Returns whether the compiler, given this flag, can compile a program that includes a system header.
fn works(compiler: &str, flag: &str) -> bool {
    let status = Command::new(compiler)
        .args([flag, "-fsyntax-only", "-x", "c", "-include", "stdio.h"])
        .arg("/dev/null")
        .stderr(Stdio::null())
        .status();
    status.is_ok_and(|status| status.success())
}

#[test]
fn headers_compile_without_warnings() {
    let c = ["c99", "c11", "c17", "gnu99", "gnu17"];
    let cpp = ["c++11", "c++14", "c++17", "c++20"];
    let mut compiled = 0;
    // `./dev soak c` requires all compilers.
    let needs_all = env::var_os("IPROF_REQUIRE_COMPILERS").is_some_and(|value| value != "0");
    for (compiler, language, standards) in [
        ("gcc", "c", &c[..]),
        ("clang", "c", &c[..]),
        ("g++", "c++", &cpp[..]),
        ("clang++", "c++", &cpp[..]),
    ] {
        if !works(compiler, "-w") {
            assert!(!needs_all, "{compiler} is missing");
            continue;
        }
        // The 32-bit system headers are often in a separate package.
        let has_32_bits = works(compiler, "-m32");
        assert!(has_32_bits || !needs_all, "{compiler} has no -m32");
        let compile = |standard: &str, more: &[&str]| {
            run(Command::new(compiler)
                .args(STRICT)
                .args(["-fsyntax-only", "-x", language, "-I"])
                .arg(source("include"))
                .arg(format!("-std={standard}"))
                .args(more)
                .arg(source("tests/c/headers.c")));
        };
        for standard in standards {
            compile(standard, &[]);
            compile(standard, &["-DProf_ENABLED"]);
            compile(standard, &["-DIPROF_DISABLED", "-DProf_ENABLED"]);
            if has_32_bits {
                compile(standard, &["-m32", "-DProf_ENABLED"]);
            }
            compiled += 1;
        }
        if language == "c++" {
            // g++ warns about one form of the macro, but not if the macro is in a system header, which is the usual
            // case.
            for enabled in ["-UProf_ENABLED", "-DProf_ENABLED"] {
                run(Command::new(compiler)
                    .args(STRICT)
                    .args([enabled, "-fsyntax-only", "-std=c++11", "-isystem"])
                    .arg(source("include"))
                    .arg(source("tests/c/shared.cpp")));
            }
        }
    }
    assert!(compiled > 0);
}

/// Names in the library, each with the corresponding name in the headers.
const NAMES: [(&str, &str); 20] = [
    ("CDrawing", "iprof_drawing"),
    ("CEachRow", "iprof_each_row"),
    ("CGpuTimeline", "iprof_gpu_timeline"),
    ("CLoader", "iprof_gl_loader"),
    ("CRow", "iprof_row"),
    ("CSite", "struct iprof_site"),
    ("CSlowFrame", "iprof_slow_frame"),
    ("CThread", "struct iprof_thread"),
    ("CValue", "iprof_value"),
    ("CWrite", "iprof_write"),
    ("CZone", "iprof_zone"),
    ("ErrorCode", "iprof_error"),
    ("NodePointer", "struct iprof_node *"),
    ("ProfRecursionMode", "Prof_Recursion_Mode"),
    ("ProfReportMode", "Prof_Report_Mode"),
    ("ProfZone", "Prof_Zone"),
    ("RecordPointer", "struct iprof_record *"),
    ("Vertex", "iprof_vertex"),
    ("Zone", "void"),
    ("AtomicPtr", "iprof_pointer"),
];

/// Returns the declarations that cbindgen generates from the library's source.
fn generated() -> String {
    let mut config = Config {
        language: Language::C,
        no_includes: true,
        documentation: false,
        line_length: usize::MAX,
        usize_is_size_t: true,
        ..Config::default()
    };
    config.function.args = Layout::Horizontal;
    let mut builder = Builder::new().with_config(config);
    for (ours, theirs) in NAMES {
        builder = builder.rename_item(ours, theirs);
    }
    for entry in fs::read_dir(source("src")).unwrap() {
        builder = builder.with_src(entry.unwrap().path());
    }
    let mut text = Vec::new();
    builder.generate().unwrap().write(&mut text);
    String::from_utf8(text).unwrap()
}

/// Returns C code that redeclares the headers' functions and callbacks with the library's types, and compares struct
/// layouts.
fn comparison(generated: &str) -> String {
    let mut text = String::from("#include \"iprof.h\"\n#include \"prof.h\"\n");
    // Some declarations are generated twice.
    let declarations: BTreeSet<&str> = generated.split("\n\n").map(str::trim).collect();
    for declaration in declarations {
        let fields = declaration
            .strip_prefix("typedef struct ")
            .and_then(|rest| rest.split_once(" {\n"))
            .and_then(|(name, rest)| Some((name, rest.split_once('}')?.0)));
        if let Some((name, fields)) = fields {
            let fields = fields.replace("iprof_pointer<void>", "const void *");
            writeln!(text, "struct ours_{name} {{ {fields} }};").unwrap();
            let mut compare = |ours: String, theirs: String| {
                writeln!(text, "_Static_assert({ours} == {theirs}, \"{name}\");").unwrap();
            };
            compare(
                format!("sizeof(struct ours_{name})"),
                format!("sizeof({name})"),
            );
            for field in fields
                .lines()
                .filter_map(|line| line.trim().strip_suffix(';'))
            {
                let field = field.rsplit([' ', '*']).next().unwrap();
                compare(
                    format!("offsetof(struct ours_{name}, {field})"),
                    format!("offsetof({name}, {field})"),
                );
            }
        } else if declaration.contains('(') {
            writeln!(text, "{declaration}").unwrap();
        }
    }
    text
}

fn agrees(name: &str, text: &str) -> bool {
    let file = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("{name}.c"));
    fs::write(&file, text).unwrap();
    let output = watched::compiler(false)
        .args(STRICT)
        .args(["-std=c11", "-fsyntax-only", "-DProf_ENABLED", "-I"])
        .arg(source("include"))
        .arg(file)
        .output()
        .unwrap();
    print!("{}", String::from_utf8_lossy(&output.stderr));
    output.status.success()
}

#[test]
fn headers_match_the_library() {
    let text = comparison(&generated());
    assert!(agrees("same", &text));
    for (ours, other) in [
        ("iprof_mark(const char *name)", "iprof_mark(char *name)"),
        ("  unsigned int flags;\n", "  unsigned long flags;\n"),
        ("double budget_ms)", "float budget_ms)"),
    ] {
        assert!(text.contains(ours), "{text}");
        assert!(!agrees("other", &text.replace(ours, other)), "{other}");
    }
}

/// Returns the names of the functions declared in the lines that `is_it` accepts.
fn functions(text: &str, is_it: impl Fn(&str) -> bool) -> BTreeSet<String> {
    let is_word = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let lines = text.lines().filter(|line| is_it(line));
    let names = lines.filter_map(|line| line.split_once('(')?.0.rsplit(|c| !is_word(c)).next());
    names.map(str::to_owned).collect()
}

/// Returns the first line of the first uncommented declaration. A comment also covers the declarations below it, up to
/// the next blank line.
fn uncommented<'a>(header: &'a str, start: &str) -> Option<&'a str> {
    let lines: Vec<&str> = header.lines().collect();
    let found = (0..lines.len()).find(|at| {
        let above = lines[..*at].iter().rev();
        let mut above = above.take_while(|line| !line.is_empty());
        lines[*at].starts_with(start) && !above.any(|line| line.starts_with("/*"))
    });
    found.map(|at| lines[at])
}

#[test]
fn headers_document_every_function() {
    let mut declared = BTreeSet::new();
    for (header, start) in [
        ("iprof.h", "IPROF_API "),
        ("iprof_inline.h", "IPROF_API "),
        ("prof.h", "Prof_C "),
    ] {
        let text = fs::read_to_string(source("include").join(header)).unwrap();
        declared.extend(functions(&text, |line| line.starts_with(start)));
        assert_eq!(uncommented(&text, start), None, "{header}");
    }
    let defined = functions(&generated(), |line| {
        !line.starts_with("typedef") && line.ends_with(");")
    });
    assert!(declared.len() > 70, "{declared:?}");
    assert_eq!(declared, defined);
    // Check that the function finds a missing comment.
    let header = "/* Of a. */\nX a();\nX b();\n\nX c();";
    assert_eq!(uncommented(header, "X "), Some("X c();"));
}
