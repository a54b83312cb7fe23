//! Tests frames ended by a library and frames ended by the program. The test needs a separate process, because it
//! counts frames.

#[test]
fn library_ends_frames_until_program_does() {
    let frames = || iprof::snapshot().frames;
    for _ in 0..3 {
        profiling::scope!("frame");
        profiling::finish_frame!();
    }
    assert_eq!(frames(), 3);
    // eframe also ends the frame, after the program's own call.
    for _ in 0..4 {
        iprof::update(true);
        profiling::finish_frame!();
    }
    assert_eq!(frames(), 3 + 4);
    iprof::update(false);
    profiling::finish_frame!();
    assert_eq!(frames(), 3 + 4);
}
