//! GL contexts that iprof cannot use.

struct Foreign;

fn draw(gl: &Foreign, shared: &std::rc::Rc<Foreign>) {
    iprof::gpu_zone!(gl, scene); //~ mismatched types
    iprof::gpu_zone!(shared, "scene"); //~ mismatched types
}

fn main() {
    draw(&Foreign, &std::rc::Rc::new(Foreign));
    // SAFETY: this does not compile.
    let _ = unsafe { iprof::gl::init(std::rc::Rc::new(Foreign)) }; //~ type mismatch resolving `<Rc<Foreign> as Deref>::Target == Context`
}
