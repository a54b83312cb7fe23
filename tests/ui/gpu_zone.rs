//! Contexts that iprof cannot draw in.

struct Foreign;

fn draw(gl: &Foreign, shared: &std::rc::Rc<Foreign>) {
    iprof::gpu_zone!(gl, scene); //~ iprof was not built for a context of type `&Foreign`
    iprof::gpu_zone!(shared, "scene"); //~ iprof was not built for a context of type `&Rc<Foreign>`
}

fn main() {
    draw(&Foreign, &std::rc::Rc::new(Foreign));
    // SAFETY: it does not compile.
    let _ = unsafe { iprof::gl::init(std::rc::Rc::new(Foreign)) }; //~ iprof was not built for a context of type `Foreign`
}
