//! Tests GPU zones in the current overlay's context, for hosts without `glow`.

use super::*;
use iprof::gl::enter_gpu_zone;

#[test]
fn current_overlay_times_zones_without_glow() {
    iprof::define_zone!(PASSES, "all passes");
    let _alone = alone();
    let Some(h) = Headless::new(Kind::Gl33Core, Target::new(64, 64)) else {
        return;
    };
    // SAFETY: the context is current while `h` exists.
    unsafe { iprof::gl::init_from_loader(Headless::address) }.unwrap();
    let painter = Painter::new(&h);
    let heavy = iprof::ZoneBuilder::new("heavy pass").build();
    for _ in 0..6 {
        {
            let _passes = enter_gpu_zone(&PASSES);
            {
                let _heavy = enter_gpu_zone(heavy);
                painter.draw(60.0);
            }
            painter.draw(1.0);
        }
        // SAFETY: the context is current.
        unsafe { h.gl.finish() };
        iprof::update(true);
    }
    let gpu = gpu_report(newest_frame() - 4);
    let own = |name| value(&gpu, name, ColumnId::SelfTime).unwrap();
    assert!(own("heavy pass") > own("all passes"), "{gpu:?}");
    assert_eq!(value(&gpu, "heavy pass", ColumnId::Count), Some(1.0));
    // Destroy the overlay within a zone. The zone's GPU time is lost, but its CPU time is kept.
    let last = newest_frame();
    {
        let _open = enter_gpu_zone(&PASSES);
        iprof::gl::make_current(None).unwrap().1.destroy();
        let _without = enter_gpu_zone(heavy);
    }
    (0..6).for_each(|_| iprof::update(true));
    let cpu = report(last + 1, iprof::ReportMode::SelfTime);
    assert_eq!(value(&cpu, "all passes", ColumnId::Count), Some(1.0));
    assert_eq!(value(&cpu, "heavy pass", ColumnId::Count), Some(1.0));
    assert_eq!(
        value(&gpu_report(last + 1), "all passes", ColumnId::Count),
        None
    );
    assert_no_errors(&h);
}
