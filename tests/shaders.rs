//! The overlay's shaders, by a compiler stricter than Mesa's, for each language they are written
//! in.

use std::io::Write;
use std::process::{Command, Stdio};

/// As `prelude` in `src/draw/gl.rs` has it; the last two are for the contexts that are to come.
const LANGUAGES: [(&str, [&str; 5]); 4] = [
    ("330 core", ["in", "out", "in", "out", "texture"]),
    ("300 es", ["in", "out", "in", "out", "texture"]),
    ("120", ["attribute", "varying", "varying", "", "texture2D"]),
    ("100", ["attribute", "varying", "varying", "", "texture2D"]),
];

#[test]
fn the_shaders_are_valid_in_every_language() {
    for (stage, text) in [
        ("vert", include_str!("../shaders/overlay.vert")),
        ("frag", include_str!("../shaders/overlay.frag")),
    ] {
        for (version, words) in LANGUAGES {
            let names = [
                "VERTEX_IN",
                "VERTEX_OUT",
                "FRAGMENT_IN",
                "FRAGMENT_OUT",
                "SAMPLE",
            ];
            let defines: String = names
                .iter()
                .zip(words)
                .filter(|(_, word)| !word.is_empty())
                .map(|(name, word)| format!("#define {name} {word}\n"))
                .collect();
            let started = Command::new("glslangValidator")
                .args(["--stdin", "-S", stage])
                .stdin(Stdio::piped())
                .stdout(Stdio::piped())
                .spawn();
            let Ok(mut validator) = started else {
                let required = std::env::var_os("IPROF_REQUIRE_GL").is_some_and(|v| v == "1");
                assert!(
                    !required,
                    "IPROF_REQUIRE_GL=1, and there is no glslangValidator"
                );
                println!("skipped: there is no glslangValidator");
                return;
            };
            let mut stdin = validator.stdin.take().expect("it is piped");
            write!(stdin, "#version {version}\n{defines}{text}").expect("it reads its input");
            drop(stdin);
            let output = validator.wait_with_output().expect("it ends");
            let words = String::from_utf8_lossy(&output.stdout);
            assert!(
                output.status.success(),
                "overlay.{stage} as GLSL {version}:\n{words}"
            );
        }
    }
}
