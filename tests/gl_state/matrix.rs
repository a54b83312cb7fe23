//! Each host on each kind of context.

use super::host::{CLEAR, Host, SIZE, knows};
use super::hosts::{COMPATIBLE_HOSTS, HOSTS};
use super::objects::enable;
use super::picture::{clean_picture, paint, settle};
use crate::support::headless::{Headless, Kind, in_old_gl};
use crate::support::image::{Tolerance, assert_same};
use crate::support::statedump::{changes, dump};
use glow::HasContext;

/// Runs all `hosts`, or those with `IPROF_HOST` in their name; reports all that fail.
fn run(kind: Kind, hosts: &[&[Host]]) {
    let Some(h) = Headless::new(kind, SIZE) else {
        return;
    };
    let mut failures = Vec::new();
    let mut ran = 0;
    let wanted = std::env::var("IPROF_HOST").unwrap_or_default();
    for host in hosts
        .iter()
        .copied()
        .flatten()
        .filter(|host| knows(&h, host) && host.name.contains(&wanted))
    {
        for error_pending in [false, true] {
            ran += 1;
            if let Err(e) = std::panic::catch_unwind(|| run_one(kind, host, error_pending)) {
                let word = e.downcast_ref::<&str>().map(|s| (*s).into());
                let text = e
                    .downcast_ref()
                    .cloned()
                    .or(word)
                    .unwrap_or_else(String::new);
                failures.push(format!(
                    "[{}, error pending: {error_pending}] {text}",
                    host.name
                ));
            }
            h.make_current();
        }
    }
    println!("{kind:?}: {ran} hosts on {:?}", h.gl.version());
    assert!(failures.is_empty(), "{kind:?}:\n{}", failures.join("\n"));
}

fn run_one(kind: Kind, host: &Host, error_pending: bool) {
    let clean = clean_picture(kind, host.target);
    let h = Headless::new(kind, host.target).expect("there was one a moment ago");
    h.clear(CLEAR);
    (host.set)(&h);
    assert_eq!(
        h.take_error(),
        glow::NO_ERROR,
        "the host's own calls: {:?}",
        h.take_log()
    );
    let before = dump(&h);
    assert_eq!(
        h.take_error(),
        glow::NO_ERROR,
        "the dump's calls: {:?}",
        h.take_log()
    );
    if error_pending {
        enable(&h, 0xBAD);
    }
    h.take_log();

    paint(&h.gl);

    assert_eq!(h.take_log(), Vec::<String>::new(), "the driver's words");
    let expected = if error_pending {
        glow::INVALID_ENUM
    } else {
        glow::NO_ERROR
    };
    assert_eq!(h.take_error(), expected, "the host's error");
    assert_eq!(h.take_error(), glow::NO_ERROR, "one error, not two");
    let mut changed = changes(&before, &dump(&h));
    changed.retain(|line| {
        !host
            .lost
            .iter()
            .any(|name| line.starts_with(&format!("{name}:")))
    });
    assert_eq!(changed, Vec::<String>::new(), "changed state");
    settle(&h);
    let name = format!("gl_state-{kind:?}-{}", host.name.replace([' ', ','], "_"));
    assert_same(&name, &h.read(), &clean, Tolerance::EXACT);
}

#[test]
fn any_host_of_gl_33_core_is_left_as_found() {
    let mesa = [
        ("MESA_GL_VERSION_OVERRIDE", "3.3"),
        ("MESA_GLSL_VERSION_OVERRIDE", "330"),
    ];
    if in_old_gl("matrix::any_host_of_gl_33_core_is_left_as_found", &mesa) {
        run(Kind::Gl33Core, &[HOSTS]);
    }
}

#[test]
fn any_host_of_gl_45_core_is_left_as_found() {
    run(Kind::Gl45Core, &[HOSTS]);
}

#[test]
fn any_host_of_gl_45_compatibility_is_left_as_found() {
    run(Kind::Gl45Compat, &[HOSTS, COMPATIBLE_HOSTS]);
}

#[test]
fn any_host_of_gles_30_is_left_as_found() {
    let mesa = [("MESA_GLES_VERSION_OVERRIDE", "3.0")];
    if in_old_gl("matrix::any_host_of_gles_30_is_left_as_found", &mesa) {
        run(Kind::Gles30, &[HOSTS]);
    }
}

#[test]
fn any_host_of_gles_32_is_left_as_found() {
    run(Kind::Gles32, &[HOSTS]);
}
