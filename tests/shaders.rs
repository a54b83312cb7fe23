//! Compiles the overlay's shaders for each GLSL version with glslang, which is stricter than Mesa.

use std::io::Write;
use std::process::{Command, Stdio};

#[path = "../src/gl/shader_variant.rs"]
mod shader_variant;

/// The versions of GL and of GL ES, with the shading language version of each.
const VERSIONS: [&[((u32, u32), &str)]; 2] = [
    &[
        ((2, 1), "120"),
        ((3, 0), "130"),
        ((3, 1), "140"),
        ((3, 2), "150"),
        ((3, 3), "330 core"),
        ((4, 6), "330 core"),
    ],
    &[((2, 0), "100"), ((3, 0), "300 es"), ((3, 2), "300 es")],
];

#[test]
fn shaders_are_valid_in_each_glsl_version() {
    for (stage, text) in [
        ("vert", include_str!("../shaders/overlay.vert")),
        ("frag", include_str!("../shaders/overlay.frag")),
    ] {
        let versions = [false, true].into_iter().zip(VERSIONS);
        for (gles, (version, language)) in
            versions.flat_map(|(es, all)| all.iter().map(move |v| (es, *v)))
        {
            let prelude = shader_variant::ShaderVariant::of(gles, version).prelude();
            assert!(prelude.starts_with(&format!("#version {language}\n")));
            let started = Command::new("glslangValidator")
                .args(["--stdin", "-S", stage])
                .stdin(Stdio::piped())
                .stdout(Stdio::piped())
                .spawn();
            let Ok(mut validator) = started else {
                let required = std::env::var_os("IPROF_REQUIRE_GL").is_some_and(|v| v == "1");
                assert!(
                    !required,
                    "IPROF_REQUIRE_GL=1, but glslangValidator is not installed"
                );
                println!("skipped: there is no glslangValidator");
                return;
            };
            let mut stdin = validator.stdin.take().expect("stdin is piped");
            write!(stdin, "{prelude}{text}").expect("failed to write to the validator");
            drop(stdin);
            let output = validator
                .wait_with_output()
                .expect("failed to wait for the validator");
            let words = String::from_utf8_lossy(&output.stdout);
            assert!(
                output.status.success(),
                "overlay.{stage} for {version:?}, ES {gles}, with\n{prelude}\n{words}"
            );
        }
    }
}
