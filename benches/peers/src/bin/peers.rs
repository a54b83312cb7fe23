//! The `peers` benchmark: see `iprof_peers::programs::peers`.

fn main() -> std::io::Result<()> {
    iprof_peers::programs::peers::main()
}
