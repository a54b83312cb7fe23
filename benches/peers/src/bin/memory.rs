//! The `memory` benchmark: see `iprof_peers::programs::memory`.

#[global_allocator]
static HEAP: iprof_peers::heap::Counting = iprof_peers::heap::Counting;

fn main() -> std::io::Result<()> {
    iprof_peers::programs::memory::main()
}
