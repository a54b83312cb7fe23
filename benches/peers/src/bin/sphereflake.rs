//! The `sphereflake` benchmark: see `iprof_peers::programs::sphereflake`.

fn main() -> std::io::Result<()> {
    iprof_peers::programs::sphereflake::main()
}
