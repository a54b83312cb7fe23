//! Checks the overlay's picture, GL state, GL errors and the host's next frame, for each host on each version of GL.

use super::declared::assert_documented_changes;
use super::host::{Host, SIZE, knows, limit_samples};
use super::hosts::{COMPATIBLE_HOSTS, HOSTS};
use super::objects::enable;
use super::picture::{overlay, paint, picture_on};
use super::scene::{NextFrame, next_frame, prepare, settle};
use crate::on_versions;
use crate::support::headless::{Headless, Kind, Target, in_old_gl};
use crate::support::image::{Image, Tolerance, assert_same};
use crate::support::statedump::{Dump, changes, dump};
use crate::support::versions::Version;
use glow::HasContext;
use iprof::gl::HostState;
use std::collections::HashMap;

/// Results that don't depend on the host, keyed by framebuffer.
#[derive(Default)]
struct Clean {
    /// The picture with the overlay, and the picture without it.
    pictures: HashMap<Target, (Image, Image)>,
    /// The state of a new context.
    states: HashMap<Target, Dump>,
}

impl Clean {
    fn picture(&mut self, kind: Kind, host: &Host) -> Image {
        let pictures = self.pictures.entry(host.target);
        let (picture, blank) = pictures.or_insert_with(|| picture_on(kind, host.target));
        if host.is_drawn_on { picture } else { blank }.clone()
    }

    fn state(&mut self, kind: Kind, target: Target) -> &Dump {
        let new = || {
            dump(&Headless::new(kind, target).expect("this kind of context was available before"))
        };
        self.states.entry(target).or_insert_with(new)
    }
}

/// Runs all hosts, or only those with names that contain `IPROF_HOST`. Every other host runs with a pending error.
/// The hosts that have one alternate from one GL version to the next. With `IPROF_EVERY_HOST=1`, which `./dev soak`
/// sets, every host runs both with and without a pending error.
fn run(version: Version) {
    let wanted = std::env::var("IPROF_HOST").unwrap_or_default();
    let is_whole = std::env::var("IPROF_EVERY_HOST").is_ok_and(|value| value == "1");
    let first = version.number() as usize;
    run_hosts(
        version.kind,
        |host| host.name.contains(&wanted),
        |at, pending| is_whole || ((first + at) % 2 == 1) == pending,
    );
}

/// Runs the wanted hosts, and reports all hosts that fail. `is_run` takes a host's position, and whether the host has a
/// pending error.
fn run_hosts(kind: Kind, is_wanted: impl Fn(&Host) -> bool, is_run: impl Fn(usize, bool) -> bool) {
    let Some(h) = Headless::new(kind, SIZE) else {
        return;
    };
    let compatible: &[Host] = if h.is_compatible() {
        COMPATIBLE_HOSTS
    } else {
        &[]
    };
    let hosts = HOSTS
        .iter()
        .chain(compatible)
        .filter(|host| knows(&h, host) && is_wanted(host));
    let mut clean = Clean::default();
    let mut failures = Vec::new();
    let mut ran = 0;
    for (at, host) in hosts.enumerate() {
        let host = &limit_samples(&h, host);
        for pending in [false, true]
            .into_iter()
            .filter(|pending| is_run(at, *pending))
        {
            let mut check = |name: &str, check: &mut dyn FnMut()| {
                ran += 1;
                let result = std::panic::catch_unwind(std::panic::AssertUnwindSafe(check));
                if let Err(e) = result {
                    let text = e.downcast_ref::<String>().cloned();
                    let text = text.or_else(|| Some((*e.downcast_ref::<&str>()?).into()));
                    let text = text.unwrap_or_default();
                    failures.push(format!("[{}, {name}, error {pending}] {text}", host.name));
                }
                h.make_current();
            };
            check("restored", &mut || {
                restored(kind, host, pending, &mut clean)
            });
            if let Some(declare) = host.declare {
                check("declared", &mut || {
                    declared(kind, host, declare, pending, &mut clean);
                });
            }
        }
    }
    println!("{kind:?}: {ran} runs on {:?}", h.gl.version());
    assert!(failures.is_empty(), "{kind:?}:\n{}", failures.join("\n"));
}

/// Creates a context and sets the host's state.
fn visit(kind: Kind, host: &Host) -> (Headless, NextFrame) {
    let h = Headless::new(kind, host.target).expect("this kind of context was available before");
    let next = prepare(&h);
    (host.set)(&h);
    assert_eq!(
        h.take_error(),
        glow::NO_ERROR,
        "the host's calls should cause no errors: {:?}",
        h.take_log()
    );
    (h, next)
}

/// Checks that `act` causes no error, leaves a pending error alone, and makes the driver log nothing.
fn assert_silent(h: &Headless, pending: bool, act: impl FnOnce()) {
    if pending {
        enable(h, 0xBAD);
    }
    h.take_log();
    act();
    assert_eq!(
        h.take_log(),
        Vec::<String>::new(),
        "the driver should log nothing"
    );
    let expected = [glow::NO_ERROR, glow::INVALID_ENUM][usize::from(pending)];
    assert_eq!(
        h.take_error(),
        expected,
        "the host's error should be unchanged"
    );
    assert_eq!(
        h.take_error(),
        glow::NO_ERROR,
        "there should be no second error"
    );
}

fn dump_state(h: &Headless) -> Dump {
    let dump = dump(h);
    assert_eq!(
        h.take_error(),
        glow::NO_ERROR,
        "the dump's calls should cause no errors: {:?}",
        h.take_log()
    );
    dump
}

fn restored(kind: Kind, host: &Host, pending: bool, clean: &mut Clean) {
    let (h, _) = visit(kind, host);
    let before = dump_state(&h);
    assert_silent(&h, pending, || paint(&h, None));
    let changed = changes(&before, &dump_state(&h));
    assert_eq!(changed, Vec::<String>::new(), "no state should change");
    assert_picture(&h, kind, host, clean);

    if !pending {
        let (h, next) = visit(kind, host);
        assert_silent(&h, false, || paint(&h, None));
        let with = next_frame(&h, &next);
        let (h, next) = visit(kind, host);
        let without = next_frame(&h, &next);
        assert_eq!(
            with.1, without.1,
            "the host's next frame should cause the same errors"
        );
        let name = format!("{}-next", file(kind, host));
        assert_same(&name, &with.0, &without.0, Tolerance::EXACT);
    }
}

fn declared(
    kind: Kind,
    host: &Host,
    declare: fn(&mut HostState),
    pending: bool,
    clean: &mut Clean,
) {
    let (h, _) = visit(kind, host);
    let before = dump_state(&h);
    let mut state = HostState::new([0, 0, SIZE.width, SIZE.height]);
    declare(&mut state);
    assert_silent(&h, pending, || paint(&h, Some(state)));
    let after = dump_state(&h);
    assert_documented_changes(&h, &before, &after, clean.state(kind, host.target));
    let drawn_on = Host {
        is_drawn_on: true,
        name: host.name,
        ..*host
    };
    h.make_current();
    assert_picture(&h, kind, &drawn_on, clean);
}

fn assert_picture(h: &Headless, kind: Kind, host: &Host, clean: &mut Clean) {
    settle(h);
    let picture = h.read();
    let expected = clean.picture(kind, host);
    assert_same(&file(kind, host), &picture, &expected, Tolerance::EXACT);
}

fn file(kind: Kind, host: &Host) -> String {
    format!("gl_state-{kind:?}-{}", host.name.replace([' ', ','], "_"))
}

on_versions! { "matrix", run;
    hosts_of_gl_21_keep_their_state: GL_21;
    hosts_of_gl_21_without_vaos_keep_their_state: GL_21_BARE;
    hosts_of_gl_30_keep_their_state: GL_30;
    hosts_of_forward_compatible_gl_30_keep_their_state: GL_30_FORWARD;
    hosts_of_gl_31_keep_their_state: GL_31;
    hosts_of_gl_31_compatibility_keep_their_state: GL_31_COMPAT;
    hosts_of_gl_32_core_keep_their_state: GL_32_CORE;
    hosts_of_gl_32_compatibility_keep_their_state: GL_32_COMPAT;
    hosts_of_gl_33_core_keep_their_state: GL_33_CORE;
    hosts_of_gl_41_core_keep_their_state: GL_41_CORE;
    hosts_of_gl_45_core_keep_their_state: GL_45_CORE;
    hosts_of_gl_45_compatibility_keep_their_state: GL_45_COMPAT;
    hosts_of_gles_20_keep_their_state: GLES_20;
    hosts_of_gles_20_without_vaos_keep_their_state: GLES_20_BARE;
    hosts_of_gles_30_keep_their_state: GLES_30;
    hosts_of_gles_31_keep_their_state: GLES_31;
    hosts_of_gles_32_keep_their_state: GLES_32;
}

/// Softpipe's rasterizer is independent of llvmpipe's. Softpipe is slow, so only some hosts run.
#[test]
fn hosts_on_softpipe_keep_their_state() {
    let test = "matrix::hosts_on_softpipe_keep_their_state";
    if in_old_gl(test, &[("GALLIUM_DRIVER", "softpipe")]) {
        let words = [
            "nothing",
            "scissor box",
            "additive",
            "lines",
            "sampler",
            "unpack",
            "attributes",
            "discard",
            "active transform",
            "everything",
        ];
        for kind in [Kind::Gl21, Kind::Gl33Core, Kind::Gles20, Kind::Gles30] {
            let is_one = |host: &Host| words.iter().any(|word| host.name.contains(word));
            run_hosts(kind, is_one, |_, _| true);
        }
    }
}

/// In this test, the host actually sets the state that it declares.
#[test]
fn declared_state_is_restored() {
    for kind in [Kind::Gl33Core, Kind::Gl45Compat, Kind::Gles30] {
        let Some(h) = Headless::new(kind, SIZE) else {
            return;
        };
        prepare(&h);
        let mut state = HostState::new([0, 0, SIZE.width, SIZE.height]);
        super::declared::set_and_declare(&h, &mut state);
        let before = dump_state(&h);
        assert_silent(&h, false, || {
            let mut overlay = overlay(&h);
            overlay.set_host_state(Some(state));
            overlay.draw(|frame| {
                frame.draw_report(&super::picture::report("abc"), 4.0, 4.0, 152.0, 70.0, 2)
            });
            overlay.destroy();
        });
        assert_eq!(changes(&before, &dump_state(&h)), Vec::<String>::new());
    }
}
