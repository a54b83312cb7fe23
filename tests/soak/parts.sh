# The parts of `./dev soak`, which are long-running versions of the tests. ./dev sources this file.
#
# Each part is a function `part_NAME` that takes its duration in minutes. Its output goes to a log. The function fails
# if it finds a fault, and calls `skip WHY` if the part cannot run on this machine.

# The compiler is pinned, so that findings can be reproduced.
nightly=nightly-2026-05-20
soak_target=${CARGO_TARGET_DIR:-$PWD/target}/soak
linux=x86_64-unknown-linux-gnu

# The results from the last run of each part with --record.
long_runs=docs/long-runs.md

run_soak() {
    local minutes=60 record=false all names name result begin log run rows=()
    mapfile -t all < <(declare -F | sed -n 's/^declare -f part_//p')
    while [[ ${1:-} = --* ]]; do
        case $1 in
            --list) printf '%s\n' "${all[@]}"; return ;;
            --minutes) minutes=$2; shift ;;
            --record) record=true ;;
            *) fail "soak has no option '$1': --list, --minutes N or --record" ;;
        esac
        shift
    done
    run="$(date -u +%Y-%m-%d) | $(git rev-parse --short HEAD) | $(machine)"
    names=("$@")
    [ $# -gt 0 ] || names=("${all[@]}")
    need "${test_packages[@]}"
    mkdir -p "$soak_target"
    for name in "${names[@]}"; do
        declare -F "part_$name" >/dev/null || fail "no part of soak is called '$name': ${all[*]}"
        log=$soak_target/$name.log begin=$SECONDS result=passed
        say "soak: $name, log in $log"
        (set -e; "part_$name" "$minutes") >"$log" 2>&1 &
        wait $! || result=FAILED
        # Cargo succeeds even if a filter matches no tests.
        if grep -q '^test result: ' "$log" && ! grep -q '^test result: .* [1-9][0-9]* passed' "$log"; then result="FAILED: no test ran"; fi
        if grep -q '^not run: ' "$log"; then result=$(grep '^not run: ' "$log"); fi
        rows+=("| $name | $run | $(((SECONDS - begin) / 60)) min | $result | $(ran "$log") |")
        ! $record || record_row "$name" "${rows[-1]}"
    done
    printf '%s\n' '| part | date | commit | machine | time | result | ran |' '|---|---|---|---|---|---|---|' "${rows[@]}" | tee "$soak_target/table.md"
    [[ "${rows[*]}" != *FAILED* ]]
}

machine() { echo "$(sed -n 's/^model name.*: //p;' /proc/cpuinfo | head -n 1), $(nproc) cores"; }

# Given a part's log, prints the number of inputs or tests that the part ran.
ran() { awk '/^stat::number_of_executed_units:/ { i += $2 } /^test result: / { t += $4 } END { print i ? i " inputs" : t + 0 " tests" }' "$1"; }

# record_row PART ROW: replaces the part's row in the table at the end of $long_runs, or adds one.
record_row() {
    awk -v part="| $1 |" -v row="$2" 'index($0, part) != 1 { print; next } { print row; found = 1 } END { if (!found) print row }' \
        "$long_runs" >"$soak_target/long-runs.md"
    cp "$soak_target/long-runs.md" "$long_runs"
}

skip() { echo "not run: $*"; exit 1; }

need_nightly() {
    rustup toolchain install "$nightly" --profile minimal || skip "needs Rust $nightly"
    [ $# = 0 ] || rustup component add --toolchain "$nightly" "$@" || skip "needs $* of Rust $nightly"
}

# Programs started by tests may run for two hours.
optimized_test() { IPROF_TEST_LIMIT=7200 cargo test --locked --release --all-features "$@"; }

part_stress() { IPROF_STRESS_SECONDS=$(($1 * 60)) optimized_test --test faults -- --nocapture stress; }
part_frames() { IPROF_TEST_FRAMES=$((1000000 * $1 / 60 + 1)) optimized_test --test faults -- --nocapture frames; }
part_names() { IPROF_TEST_THREADS=$((1000000 * $1 / 60 + 1)) optimized_test --test faults -- --nocapture names; }
part_deep() { IPROF_TEST_DEEP=1 optimized_test --test deep; }
part_hosts() { IPROF_EVERY_HOST=1 optimized_test --test gl_state -- --include-ignored; }
part_pictures() { PROPTEST_CASES=$((200 * $1)) optimized_test --test any_picture; }
part_week() { IPROF_WEEK_FRAMES=$((144 * 86400 * 7 * $1 / 60)) optimized_test --package iprof-report --lib -- --nocapture tests::week; }
part_coverage() { IPROF_COVERAGE_RUNS=$((200 * $1 / 60 + 1)) optimized_test --package iprof-report --lib -- --nocapture tests::coverage; }

# The test runs in several processes, because nodes are never freed within a process and would use up the memory.
part_programs() {
    local left
    for ((left = 1700 * $1; left > 0; left -= 5000)); do
        IPROF_PROGRAMS=$((left < 5000 ? left : 5000)) optimized_test --package iprof-report --lib tests::
    done
}

# Checks that the HTML page responds within 50 ms. The machine must be idle otherwise.
part_page() {
    need_browser || skip "needs Chromium"
    IPROF_PAGE_LIMITS=1 IPROF_REQUIRE_READERS=1 cargo test --locked --all-features --test readers -- --nocapture --test-threads 1 html_speed
}

# Runs the tests of recorded data and of unsafe code that Miri supports. Miri is hundreds of times slower than native
# code, so fewer test programs are run. Nodes, records and zones are leaked on purpose.
miri() {
    need_nightly miri rust-src
    export PROPTEST_CASES=4 IPROF_PROGRAMS=2 MIRIFLAGS="-Zmiri-disable-isolation -Zmiri-ignore-leaks $1" CARGO_TARGET_DIR=$soak_target/miri
    cargo "+$nightly" miri test --locked --package iprof-gather --features enable --lib
    [ $# = 1 ] || cargo "+$nightly" miri test --locked --package iprof --package iprof-process --package iprof-report \
        --no-default-features --features iprof/enable,iprof/export --lib -- "${@:2}"
}
miri_modules=(program::tests::local snapshot:: report::)
part_miri() { miri "" "${miri_modules[@]}"; }
part_miri-tree() { miri -Zmiri-tree-borrows "${miri_modules[@]}"; }
part_miri-seeds() { miri "-Zmiri-many-seeds=0..$((1 + $1 * 16 / 60))"; }

# sanitized NAME ARGUMENTS...: runs tests with a sanitizer.
sanitized() {
    need_nightly rust-src
    RUSTFLAGS="-Zsanitizer=$1" CARGO_TARGET_DIR=$soak_target/$1 IPROF_TEST_LIMIT=7200 cargo "+$nightly" test --locked --target "$linux" "${@:2}"
}

# Runs without GL, because Mesa is not built with the sanitizer, and without tests whose memory, stack or time limits
# the sanitizer exceeds. A signal handler allocates if it is the first to enter a zone on a call stack
# (docs/reliability.md).
part_tsan() {
    export TSAN_OPTIONS="halt_on_error=1 die_after_fork=0 allocator_may_return_null=1 report_signal_unsafe=0"
    sanitized thread -Zbuild-std --release --package iprof --package iprof-gather --no-default-features --features environment,export,http --lib --test '*' --no-fail-fast -- \
        --skip small_stacks --skip out_of_memory \
        --skip reports:: --skip files:: --skip names:: --skip fork::environment
    grep -q 'test stress::stress .*ok' "$log"
}

# Records and nodes are leaked on purpose (lsan.txt). The leak check starts a thread, which is impossible under a thread
# limit or in a child of `fork`.
part_asan() {
    local tests=(--release --package iprof --package iprof-gather --all-features --lib --test '*' --examples --no-fail-fast)
    export ASAN_OPTIONS="detect_stack_use_after_return=1 allocator_may_return_null=1" LSAN_OPTIONS="print_suppressions=0 suppressions=$PWD/tests/soak/lsan.txt"
    sanitized address "${tests[@]}" -- --skip fork:: --skip children_keep --skip names:: \
        --skip failed_thread_start --skip out_of_memory
    ASAN_OPTIONS+=:detect_leaks=0 sanitized address "${tests[@]}" -- fork:: children_keep failed_thread_start
    grep -q 'test stress::stress .*ok' "$log"
}

part_valgrind() {
    need valgrind || skip "needs valgrind"
    export CARGO_TARGET_X86_64_UNKNOWN_LINUX_GNU_RUNNER="valgrind --error-exitcode=9 --track-origins=yes --leak-check=no"
    cargo test --locked --package iprof-gather --features enable --lib -- --test-threads=2
    cargo test --locked --no-default-features --features enable --lib -- program::tests::local --test-threads=2
}

# Tests C and C++ programs with both compilers and the installed library.
part_c() {
    need clang cmake pkg-config g++ gcc-multilib g++-multilib || skip "needs compilers"
    export IPROF_REQUIRE_COMPILERS=1 IPROF_REQUIRE_GL=1
    optimized_test --package iprof-c --test headers --test programs --test installed -- --include-ignored
    IPROF_TEST_CC=clang IPROF_TEST_CXX=clang++ optimized_test --package iprof-c --test programs
}

# The leak check crashes after a library with thread-locals has been closed, unless told to ignore thread-locals.
part_c-asan() {
    need clang libclang-rt-dev g++ || skip "needs clang"
    export ASAN_OPTIONS="detect_stack_use_after_return=1:intercept_tls_get_addr=0" IPROF_REQUIRE_GL=1 IPROF_TEST_CC=clang IPROF_TEST_CXX=clang++
    export LSAN_OPTIONS="print_suppressions=0 suppressions=$PWD/tests/soak/lsan.txt"
    IPROF_TEST_CFLAGS="-fsanitize=address,undefined -fno-sanitize-recover=undefined" sanitized address --package iprof-c --lib --test programs
    # The Rust programs in these tests load C code, and the sanitizer needs the C++ library at program start.
    CARGO_TARGET_X86_64_UNKNOWN_LINUX_GNU_RUNNER="env LD_PRELOAD=$(g++ -print-file-name=libstdc++.so.6)" IPROF_TEST_CFLAGS=-fsanitize=address \
        sanitized address --package iprof-c --test with_rust --test mixed --test ends
}

part_c-valgrind() {
    need valgrind g++ || skip "needs valgrind"
    local memcheck="valgrind --quiet --error-exitcode=9 --leak-check=no --suppressions=$PWD/tests/soak/valgrind.txt"
    IPROF_REQUIRE_GL=1 IPROF_TEST_RUNNER=$memcheck cargo test --locked --package iprof-c --test programs
    CARGO_TARGET_X86_64_UNKNOWN_LINUX_GNU_RUNNER=$memcheck cargo test --locked --package iprof-c --lib --test with_rust --test mixed
}

# fuzz TARGET ARGUMENTS...: fuzzes with cargo-fuzz's flags. cargo-fuzz itself doesn't have to be installed.
fuzz() {
    need_nightly
    local flags="-Cpasses=sancov-module -Cllvm-args=-sanitizer-coverage-level=4 -Cllvm-args=-sanitizer-coverage-inline-8bit-counters"
    flags+=" -Cllvm-args=-sanitizer-coverage-pc-table -Cllvm-args=-sanitizer-coverage-trace-compares -Clink-dead-code"
    mkdir -p "$soak_target/corpus/$1" "$soak_target/found"
    RUSTFLAGS="--cfg fuzzing --cfg iprof_fuzzing $flags -Zsanitizer=address" CARGO_TARGET_DIR=$soak_target/fuzz \
        cargo "+$nightly" run --locked --release --target "$linux" --manifest-path tests/fuzz/Cargo.toml --bin "$1" -- "${@:2}" \
        -timeout=120 -rss_limit_mb=4096 -print_final_stats=1 -artifact_prefix="$soak_target/found/$1-"
}

# libFuzzer adds new inputs to the first folder, which is kept between runs.
fuzz_for() { fuzz "$1" "$soak_target/corpus/$1" "tests/fuzz/corpus/$1" -max_total_time=$(($2 * 60)); }
part_fuzz-font() { fuzz_for font "$1"; }
part_fuzz-draw() { fuzz_for draw "$1"; }

# Recorded data is never freed within a process, so each process only tries a few hundred inputs, starting with a random
# selection of the kept inputs.
part_fuzz-calls() {
    local kept=$soak_target/corpus/calls round=$soak_target/round end=$((SECONDS + $1 * 60))
    while [ $SECONDS -lt $end ]; do
        rm -rf "$round" && mkdir -p "$round" "$kept"
        find "$kept" tests/fuzz/corpus/calls -type f | shuf -n 60 | xargs -n 1 cp -t "$round"
        fuzz calls "$round" -runs=400
        cp "$round"/* "$kept"
    done
}

part_deny() {
    command -v cargo-deny >/dev/null || cargo install --locked cargo-deny || skip "needs cargo-deny"
    cargo deny --all-features check licenses bans sources advisories
}
