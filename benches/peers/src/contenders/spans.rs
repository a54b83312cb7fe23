//! Records `tracing` spans with iprof's subscriber and layer, which turn spans into zones, and with other layers. The
//! spans are those in [`registry`](super::registry).

use super::iprof::IPROF;
use super::reads::counter;
use super::registry::WORK;
use crate::contender::{BARE, Contender};
use std::hint::black_box;
use tracing::span::Id;
use tracing_subscriber::Registry;
use tracing_subscriber::layer::{Context, Layer, SubscriberExt};

pub(crate) const SUBSCRIBER: Contender = Contender {
    name: "iprof-tracing Subscriber",
    package: Some("tracing"),
    set: "info_span, entered; the global dispatcher is iprof_tracing::Subscriber, exact timing; update(true) per frame",
    start: || iprof_tracing::Subscriber::new().init(),
    work: &WORK,
    ..IPROF
};

pub(crate) const LAYER: Contender = Contender {
    name: "iprof-tracing Layer",
    package: Some("tracing-subscriber"),
    set: "info_span, entered; a Registry with iprof_tracing::Layer, exact timing; update(true) per frame",
    start: || start(iprof_tracing::Layer::new()),
    work: &WORK,
    ..IPROF
};

/// The baseline for the cost of a layer.
pub(crate) const EMPTY: Contender = Contender {
    name: "Registry, empty layer",
    set: "info_span, entered; a Registry with a layer that does nothing",
    start: || start(Empty),
    counts: None,
    ..LAYER
};

/// The lower bound for an exact layer.
pub(crate) const READS: Contender = Contender {
    name: "Registry, two reads",
    set: "info_span, entered; a Registry with a layer that reads the counter on entering and on leaving, and keeps nothing",
    start: || start(Reads),
    counts: None,
    ..LAYER
};

/// Like iprof's layer, but without looking up zones: every span enters the same zone.
pub(crate) const ONE_ZONE: Contender = Contender {
    name: "Registry, one zone",
    set: "info_span, entered; a Registry with a layer that enters and leaves one run-time zone, exact timing",
    start: || start(OneZone(iprof::ZoneBuilder::new("span").build())),
    counts: None,
    ..LAYER
};

pub(crate) const CHROME: Contender = Contender {
    name: "tracing-chrome",
    package: Some("tracing-chrome"),
    set: "info_span, entered; a Registry with ChromeLayer as it comes, written to a sink by its thread",
    start: || {
        let builder = tracing_chrome::ChromeLayerBuilder::new();
        let (layer, guard) = builder.writer(std::io::sink()).build();
        std::mem::forget(guard);
        start(layer);
    },
    work: &WORK,
    ..BARE
};

pub(crate) const FLAME: Contender = Contender {
    name: "tracing-flame",
    package: Some("tracing-flame"),
    set: "info_span, entered; a Registry with FlameLayer as it comes, written to a sink",
    start: || start(tracing_flame::FlameLayer::new(std::io::sink())),
    work: &WORK,
    ..BARE
};

struct Empty;

impl Layer<Registry> for Empty {}

struct Reads;

impl Layer<Registry> for Reads {
    #[inline]
    fn on_enter(&self, _: &Id, _: Context<'_, Registry>) {
        black_box(counter());
    }

    #[inline]
    fn on_exit(&self, _: &Id, _: Context<'_, Registry>) {
        black_box(counter());
    }
}

struct OneZone(iprof::RunTimeZone);

impl Layer<Registry> for OneZone {
    #[inline]
    fn on_enter(&self, _: &Id, _: Context<'_, Registry>) {
        self.0.begin();
    }

    #[inline]
    fn on_exit(&self, _: &Id, _: Context<'_, Registry>) {
        self.0.end();
    }
}

fn start(layer: impl Layer<Registry> + Send + Sync) {
    let subscriber = tracing_subscriber::registry().with(layer);
    tracing::subscriber::set_global_default(subscriber).expect("a subscriber is already set");
}
