fn fib(n: u32) -> u32 {
    iprof::zone!(fib);
    if n < 2 { n } else { fib(n - 1) + fib(n - 2) }
}
struct World;
impl World {
    fn step(&self) {
        iprof::zone_fn!();
        std::hint::black_box(fib(15));
        iprof::counter!("things");
    }
}
fn main() {
    let h = std::thread::Builder::new()
        .name("worker".into())
        .spawn(|| {
            for _ in 0..40 {
                iprof::zone!(work);
                std::thread::sleep(std::time::Duration::from_millis(1));
            }
        })
        .unwrap();
    iprof::update(true);
    for _ in 0..20 {
        iprof::zone!(frame);
        World.step();
        iprof::begin!(load);
        iprof::end!(load);
        iprof::end!(load);
        iprof::update(true);
    }
    for m in [
        iprof::ReportMode::SelfTime,
        iprof::ReportMode::HierarchicalTime,
        iprof::ReportMode::CallGraph,
    ] {
        iprof::set_report_mode(m);
        iprof::write_report(std::io::stdout()).unwrap();
        println!();
    }
    iprof::set_report_mode(iprof::ReportMode::SelfTime);
    iprof::select();
    iprof::set_frame(1);
    iprof::write_report(std::io::stdout()).unwrap();
    println!();
    iprof::set_recursion(iprof::Recursion::Spread);
    iprof::write_report(std::io::stdout()).unwrap();
    println!();
    h.join().unwrap();
    println!("{:?} {}", iprof::threads(), iprof::history_bytes());
}
