//! Tests that each system in a Bevy application without a window is a zone, entered once per frame.

use bevy_app::{App, TaskPoolPlugin, Update};
use bevy_ecs::prelude::*;
use iprof_tracing::{Options, Subscriber};

const FRAMES: u64 = 50;

#[derive(Component)]
struct Height(f32);

fn add(mut commands: Commands) {
    commands.spawn(Height(10.0));
}

fn fall(mut bodies: Query<&mut Height>) {
    iprof::zone!(falling);
    for mut body in &mut bodies {
        body.0 *= 0.99;
    }
}

fn count(bodies: Query<&Height>) {
    assert!(bodies.iter().count() > 0);
}

#[test]
fn each_system_zone_is_entered_once_per_frame() {
    Subscriber::with_options(Options::new().named_by("name")).init();
    let mut app = App::new();
    app.add_plugins(TaskPoolPlugin::default())
        .add_systems(Update, (add, (fall, count)).chain());
    app.finish();
    app.cleanup();
    app.update();
    let before = iprof::snapshot();
    for _ in 0..FRAMES {
        app.update();
        iprof::update(true);
    }
    let entries = spans::checked_entries(&before);
    for zone in [
        "update",
        "main app",
        "schedule::Update",
        "system::bevy::add",
        "system_commands::bevy::add",
        "system::bevy::fall",
        "system::bevy::count",
        "falling",
    ] {
        assert_eq!(entries.get(zone), Some(&FRAMES), "{zone}: {entries:#?}");
    }
}
