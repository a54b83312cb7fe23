# The long forms of the tests, for `./dev soak`, which sources this file.
#
# A part is a function `soak_NAME`, and a line in `soak_parts`. Its first argument is its minutes. What it
# prints goes into a log. It fails if the part found a fault, calls `skip WHY` if the machine cannot run it,
# and `note TEXT` for what the table is to say beside the result.

# NAME, and what it is.
soak_parts=(
    "stress       threads that come and go, with every call of the interface at once"
    "frames       a million frames"
    "names        threads with ever new names"
    "deep         every kind of report of 100,000 levels"
    "programs     random programs against the oracle"
    "pictures     random reports, graphs and fonts, each drawn within its rectangle"
    "hosts        every host of OpenGL, with an error pending and without, on every version"
    "week         a week of frames at 144 Hz, with a mock clock"
    "page         the HTML page with 5,000 zones and 50,000 stacks answers within 50 ms, if nothing else runs on the machine"
    "coverage     how often the truth lies within two standard errors"
    "miri         undefined behavior, in the interpreter: stacked borrows"
    "miri-tree    the same, by tree borrows"
    "miri-seeds   the same, in many orders of threads"
    "tsan         data races, by ThreadSanitizer"
    "asan         bad accesses and leaks, by AddressSanitizer"
    "valgrind     bad accesses and uninitialized memory, by memcheck"
    "c            the library for C and C++ as it is installed: pkg-config, CMake, gcc, clang, 32 bits"
    "c-asan       every program of the tests for C and C++, and the library's Rust code, by AddressSanitizer"
    "c-valgrind   the same programs, by memcheck"
    "fuzz-calls   the interface, as bytes on several threads, against the oracle"
    "fuzz-http    HTTP requests"
    "fuzz-environment  values of the environment's variables"
    "fuzz-font    the font loader"
    "fuzz-draw    layout of any report"
    "deny         licenses, duplicates, sources and advisories of the dependencies"
)

# One date, so that a finding can be found again.
nightly=nightly-2026-05-20
# Programs that tests start may take as long as this, in seconds.
export IPROF_TEST_LIMIT=7200
soak_target=${CARGO_TARGET_DIR:-$PWD/target}/soak
all_features="web-sys-0-3,winit-0-30,export,http,signal,macros,futures-core-0-3"
linux=x86_64-unknown-linux-gnu

# --- what parts have in common ---------------------------------------------------------------------

skip() { printf '%s' "$*" >"$soak_target/skipped"; exit 77; }
note() { printf '%s' "$*" >"$soak_target/note"; }

# need_nightly COMPONENT...: the toolchain of that date.
need_nightly() {
    local component
    if ! cargo "+$nightly" --version >/dev/null 2>&1; then
        command -v rustup >/dev/null || skip "needs Rust $nightly, and there is no rustup to install it"
        rustup toolchain install "$nightly" --profile minimal || skip "needs Rust $nightly, which rustup could not install"
    fi
    for component in "$@"; do
        rustup component add --toolchain "$nightly" "$component" || skip "needs $component of Rust $nightly"
    done
}

# log_has PATTERN: fails unless a line of the part's log is like that, so that a part cannot pass without what it
# is for.
log_has() { grep -q "$1" "$soak_target/$soak_name.log" || { printf 'the log has no line like "%s"\n' "$1"; return 1; }; }

# --- the table -------------------------------------------------------------------------------------

# No host's name and no path: it is copied into docs/reliability.md.
soak_head() {
    local processor system
    processor=$(sed -n 's/^model name[^:]*: *//p' /proc/cpuinfo 2>/dev/null | head -n 1)
    system=$(. /etc/os-release 2>/dev/null && printf '%s' "${PRETTY_NAME:-}")
    printf '%s, commit %s; %s, %s cores; %s, %s %s; %s, %s.\n\n' "$(date -u +%Y-%m-%d)" "$(git rev-parse --short HEAD 2>/dev/null || echo unknown)" \
        "${processor:-unknown processor}" "$(nproc)" "${system:-unknown system}" "$(uname -s)" "$(uname -r)" \
        "$(rustc --version)" "$(rustc "+$nightly" --version 2>/dev/null || echo "no $nightly")"
    printf '| part | time | result | tests | more |\n|---|---|---|---|---|\n'
}

# soak_ran_something LOG: whether a test passed, if there were any to run.
soak_ran_something() { ! grep -q '^test result: ' "$1" || grep -q '^test result: .* [1-9][0-9]* passed' "$1"; }

# soak_row NAME SECONDS RESULT
soak_row() {
    local log=$soak_target/$1.log passed note=""
    passed=$(awk '/^test result: / { passed += $4 } END { if (passed) printf "%d", passed }' "$log")
    [ ! -f "$soak_target/note" ] || note=$(cat "$soak_target/note")
    # libFuzzer's counts.
    note+=$(awk '/^stat::number_of_executed_units:/ { inputs += $2 } END { if (inputs) printf "inputs: %d", inputs }' "$log")
    printf '| %s | %d min %02d s | %s | %s | %s |\n' "$1" $(($2 / 60)) $(($2 % 60)) "$3" "$passed" "$note"
}

# --- the parts -------------------------------------------------------------------------------------

soak_stress() {
    IPROF_STRESS_SECONDS=$(($1 * 60)) cargo test --locked --release --features "$all_features" --test faults -- --nocapture stress
}

soak_frames() {
    IPROF_TEST_FRAMES=$((1000000 * $1 / 60 + 1)) cargo test --locked --release --features "$all_features" --test faults -- --nocapture frames
}

soak_names() {
    IPROF_TEST_THREADS=$((1000000 * $1 / 60 + 1)) cargo test --locked --release --features "$all_features" --test faults -- --nocapture names
}

soak_deep() {
    IPROF_TEST_DEEP=1 cargo test --locked --release --features "$all_features" --test deep
}

soak_programs() {
    # The nodes of a program live as long as the process: many in one take a machine's memory, so that several
    # processes share them, each with programs of its own.
    local most=5000 left=$(((100000 * $1 + 59) / 60)) some
    note "$left programs for each property"
    while [ "$left" -gt 0 ]; do
        some=$((left < most ? left : most))
        IPROF_PROGRAMS=$some cargo test --locked --release --features "$all_features" --lib process::tests
        left=$((left - some))
    done
}

soak_pictures() {
    local cases=$(((12000 * $1 + 59) / 60))
    note "$cases of each"
    PROPTEST_CASES=$cases cargo test --locked --release --features "$all_features" --test any_picture
}

# However many minutes.
soak_hosts() {
    IPROF_EVERY_HOST=1 cargo test --locked --features "$all_features" --test gl_state
}

soak_week() {
    local frames=$((144 * 86400 * 7 * $1 / 60))
    note "$frames frames"
    IPROF_WEEK_FRAMES=$frames cargo test --locked --release --features "$all_features" --lib -- --nocapture process::tests::week
}

# However many minutes.
soak_page() {
    local browsers=(chromium-headless-shell chromium chromium-browser google-chrome)
    command -v "${browsers[@]}" >/dev/null || need_packages chromium-headless-shell || skip "needs Chromium"
    IPROF_PAGE_LIMITS=1 IPROF_REQUIRE_READERS=1 cargo test --locked --features "$all_features" --test readers -- --nocapture --test-threads 1 html_speed
}

soak_coverage() {
    local runs=$(((200 * $1 + 59) / 60))
    note "$runs runs of each program"
    IPROF_COVERAGE_RUNS=$runs cargo test --locked --release --features "$all_features" --lib -- --nocapture process::tests::coverage
}

# What the interpreter can run: no files, sockets, processes or GL. The tests say so themselves. It is some hundred
# times slower, so properties get few cases: the cases that look for wrong sums are those of `programs`.
miri_test() {
    local flags=$1
    shift
    need_nightly miri rust-src
    # Nodes, records and zones live as long as the program, on purpose.
    PROPTEST_CASES=4 IPROF_PROGRAMS=2 MIRIFLAGS="-Zmiri-disable-isolation -Zmiri-ignore-leaks $flags" CARGO_TARGET_DIR=$soak_target/miri \
        cargo "+$nightly" miri test --locked --no-default-features --features enable,files --lib -- "$@"
}

# The unsafe code that Miri can run, and the data beside it. Tests of what ingests, reports and exports run none of it, and
# would take days.
miri_modules=(gather:: clock::counter clock::rate sync:: sample:: zone:: process::tests::local snapshot:: report::)

soak_miri() { miri_test "" "${miri_modules[@]}"; }

soak_miri-tree() { miri_test -Zmiri-tree-borrows "${miri_modules[@]}"; }

soak_miri-seeds() { miri_test "-Zmiri-many-seeds=0..$((1 + $1 * 16 / 60))" gather::; }

# sanitized NAME FLAGS CARGO ARGUMENTS...
sanitized() {
    local name=$1 flags=$2
    shift 2
    need_nightly rust-src
    RUSTFLAGS="-Zsanitizer=$name $flags" CARGO_TARGET_DIR=$soak_target/$name \
        cargo "+$nightly" test --locked --target "$linux" "$@"
}

# GL is Mesa's, which is not built for it, and would be seen racing with itself. Its drivers start threads
# that synchronize by what the sanitizer does not see.
soak_tsan() {
    # Children of `fork` start threads, and allocations that fail are to return as they do without it. A signal
    # handler that is the first to enter zones on a call stack allocates: docs/reliability.md says so.
    export TSAN_OPTIONS="halt_on_error=1 die_after_fork=0 allocator_may_return_null=1 report_signal_unsafe=0"
    # The smallest stacks have no room for the sanitizer's frames; its own memory ends a process under a limit.
    # Deep reports are made on one thread, in twenty minutes. Names without end are kept, shadows of them too.
    # What a zone takes and how many samples are taken in a second is not as promised where each access is watched.
    # shellcheck disable=SC2046
    sanitized thread "" -Zbuild-std --release --no-default-features --features environment,export,http,signal --lib \
        $(target_names tests | grep -vxE 'timing|no_update|profiling|out_of_memory' | sed 's/^/--test /') \
        --no-fail-fast -- --skip small_stacks --skip out_of_memory --skip memory_for --skip stops_growing \
        --skip what_is_promised --skip reports:: --skip files:: --skip names:: --skip fork::environment
    log_has 'test stress::stress .*ok'
}

soak_asan() {
    # Records and nodes live as long as the program: they are leaked on purpose, and reachable.
    # Allocations that fail are to return as they do without it.
    export ASAN_OPTIONS="detect_stack_use_after_return=1 allocator_may_return_null=1" LSAN_OPTIONS="print_suppressions=0 suppressions=$PWD/tests/soak/lsan.txt"
    local tests=(--release --features "$all_features" --lib --tests --examples --no-fail-fast)
    # Tests start the demo, which `cargo test --examples` does not build.
    RUSTFLAGS=-Zsanitizer=address CARGO_TARGET_DIR=$soak_target/address \
        cargo "+$nightly" build --locked --target "$linux" --release --features "$all_features" --examples
    # Its own memory ends a process under a limit, is measured with the host's, and names without end are kept.
    sanitized address "" "${tests[@]}" -- --skip fork:: --skip children_end --skip names:: \
        --skip no_thread_can_be_started --skip there_is_no_memory --skip and_no_memory --skip cannot_grow --skip when_nothing_is_left
    # The search for leaks starts a thread and stops all others, which it cannot under a limit of threads, or in a
    # child of `fork`.
    export ASAN_OPTIONS=$ASAN_OPTIONS:detect_leaks=0
    sanitized address "" "${tests[@]}" -- fork:: children_end no_thread_can_be_started
    log_has 'test stress::stress .*ok'
}

soak_valgrind() {
    command -v valgrind >/dev/null || need_packages valgrind || skip "needs valgrind"
    local test
    test=$(cargo test --locked --no-default-features --features enable --lib --no-run --message-format=json |
        sed -n 's/.*"executable":"\([^"]*\)".*/\1/p' | tail -n 1)
    # No leaks are looked for: nodes and records live as long as the program, on purpose.
    valgrind --error-exitcode=9 --track-origins=yes --leak-check=no "$test" gather:: process::tests::local --test-threads=2
}

# Programs of an installed library, each linked with either, by the ways that its guide tells: NAME and its sources. Those of
# the original's interface and those whose functions are zones are told by their names.
c_programs=("smoke smoke.c" "bad_input bad_input.c" "inline inline.c"
    "original original.c original.cpp" "bad_original bad_original.c" "directions directions.c" "hooked hooked.cpp" "bad_hooked bad_hooked.c")

soak_c() {
    local packages=(clang cmake pkg-config g++ gcc-multilib g++-multilib "${headless_packages[@]}")
    need_packages "${packages[@]}" || skip "needs ${packages[*]}"
    local prefix=$soak_target/c sources=$PWD/crates/iprof-c/tests/c out=$soak_target/c/programs compiler package program
    # The headers by each standard, compiler and size of pointers.
    IPROF_REQUIRE_COMPILERS=1 cargo test --locked --package iprof-c --test headers headers_compile
    ./dev c "$prefix"
    mkdir -p "$out"
    export PKG_CONFIG_PATH=$prefix/lib/pkgconfig
    for compiler in gcc clang; do
        for package in iprof-static iprof; do
            build_c_programs "$compiler" "$package" "$compiler-$package" -O1
            run_c_programs "$compiler-$package"
        done
    done
    note "$(grep -c '^ran ' "$soak_target/$soak_name.log") runs of programs"
    cat >"$out/CMakeLists.txt" <<CMAKE
cmake_minimum_required(VERSION 3.13)
project(consumer C)
find_package(iprof 0.3 REQUIRED)
add_executable(smoke-cmake-static $sources/smoke.c)
target_link_libraries(smoke-cmake-static iprof::static)
add_executable(smoke-cmake-shared $sources/smoke.c)
target_link_libraries(smoke-cmake-shared iprof::iprof pthread m dl)
CMAKE
    cmake -S "$out" -B "$out/build" -DCMAKE_PREFIX_PATH="$prefix"
    cmake --build "$out/build"
    "$out/build/smoke-cmake-static" "$out/a.folded"
    "$out/build/smoke-cmake-shared" "$out/a.folded"
}

# Tests that open code of C, or functions by which it is called.
opening_tests=(--test with_rust --test mixed)

# What `cargo test` builds and runs here is the tests of the package, which compile the programs by these variables, and check
# what each prints.
soak_c-asan() {
    local packages=(clang libclang-rt-dev g++ "${headless_packages[@]}") compiler library
    need_packages "${packages[@]}" || skip "needs ${packages[*]}"
    # As in the part asan. The search for leaks crashes where a library with thread-locals was closed, unless it leaves out what
    # thread-locals of libraries hold.
    export ASAN_OPTIONS="detect_stack_use_after_return=1:intercept_tls_get_addr=0"
    export LSAN_OPTIONS="print_suppressions=0 suppressions=$PWD/tests/soak/lsan.txt" IPROF_REQUIRE_GL=1
    for compiler in "gcc g++" "clang clang++"; do
        IPROF_TEST_CC=${compiler% *} IPROF_TEST_CXX=${compiler#* } \
            IPROF_TEST_CFLAGS="-fsanitize=address,undefined -fno-sanitize-recover=undefined" \
            sanitized address "" --package iprof-c --lib --test programs
    done
    # The program is Rust's, with the sanitizer in it: what it opens has none of its own, as clang builds it. The sanitizer looks for
    # the function that throws when the program starts, so the library of C++ has to be there then.
    CARGO_TARGET_X86_64_UNKNOWN_LINUX_GNU_RUNNER="env LD_PRELOAD=$(g++ -print-file-name=libstdc++.so.6)" \
        IPROF_TEST_CC=clang IPROF_TEST_CXX=clang++ IPROF_TEST_CFLAGS=-fsanitize=address \
        sanitized address "" --package iprof-c "${opening_tests[@]}" --test ends
    # Rust's code was watched, too.
    library=$soak_target/address/$linux/debug/deps/libiprof_c.a
    [ "$(nm "$library" 2>/dev/null | grep -c 'U __asan_report_')" -gt 100 ] || { printf '%s has no sanitizer in it\n' "$library"; return 1; }
}

soak_c-valgrind() {
    local packages=(valgrind g++ "${headless_packages[@]}")
    need_packages "${packages[@]}" || skip "needs ${packages[*]}"
    # No leaks are looked for, as in the part valgrind.
    local memcheck="valgrind --quiet --error-exitcode=9 --leak-check=no --suppressions=$PWD/tests/soak/valgrind.txt"
    IPROF_REQUIRE_GL=1 IPROF_TEST_RUNNER=$memcheck cargo test --locked --package iprof-c --test programs
    CARGO_TARGET_X86_64_UNKNOWN_LINUX_GNU_RUNNER=$memcheck cargo test --locked --package iprof-c --lib "${opening_tests[@]}"
}

# build_c_programs COMPILER PACKAGE KIND FLAGS...: those of c_programs, each source by the compiler of its language.
build_c_programs() {
    local compiler=$1 cxx=g++ package=$2 kind=$3 program name file by objects flags libraries
    [ "$compiler" = gcc ] || cxx=$compiler++
    shift 3
    for program in "${c_programs[@]}"; do
        name=${program%% *}
        objects=()
        flags=("$@" -g -Wall -Wextra -Werror)
        libraries=()
        case $name in
            *original | directions) flags+=(-DProf_ENABLED) ;;
            *hooked) flags+=(-finstrument-functions) libraries+=("-L$prefix/lib" -liprof-functions) ;;
        esac
        for file in ${program#* }; do
            by=("$compiler" -std=gnu99)
            [ "${file##*.}" = c ] || by=("$cxx" -std=c++11)
            objects+=("$out/$file-$kind.o")
            # shellcheck disable=SC2046  # flags are several words
            "${by[@]}" "${flags[@]}" $(pkg-config --cflags "$package") -c "$sources/$file" -o "$out/$file-$kind.o"
        done
        # What the library finds of OpenGL is the program's own.
        # shellcheck disable=SC2046
        "$cxx" "$@" "${objects[@]}" "${libraries[@]}" $(pkg-config --libs "$package") -rdynamic "-Wl,-rpath,$prefix/lib" -lpthread -ldl -lm -o "$out/$name-$kind"
    done
}

# run_c_program NAME KIND ARGUMENTS...
run_c_program() {
    local name=$1 kind=$2
    shift 2
    (cd "$out" && "./$name-$kind" "$@" >"$out/said") || { printf '%s of %s failed:\n' "$name" "$kind"; tail -n 20 "$out/said"; return 1; }
    printf 'ran %s of %s %s\n' "$name" "$kind" "$*"
}

# run_c_programs KIND: those of c_programs of that kind.
run_c_programs() {
    local program name seed
    for program in "${c_programs[@]}"; do
        name=${program%% *}
        case $name in
            smoke)
                run_c_program smoke "$1" "$out/a.folded" || return 1
                grep -qx drawn "$out/said" || { printf 'smoke of %s: ' "$1"; cat "$out/said"; return 1; }
                ;;
            inline) for seed in 1 2 3 4; do run_c_program inline "$1" inline $seed || return 1; done ;;
            directions)
                run_c_program "$name" "$1" || return 1
                grep -qx drawn "$out/said" || { printf '%s of %s: ' "$name" "$1"; cat "$out/said"; return 1; }
                ;;
            *) run_c_program "$name" "$1" ;;
        esac || return 1
    done
}

fuzz_package=tests/fuzz

# build_fuzz TARGET: the flags are those of cargo-fuzz, which need not be installed, and that of the targets: a host that is
# fuzzed itself is built with `fuzzing`, and has none of them.
build_fuzz() {
    local target=$1
    need_nightly
    local coverage="-Cpasses=sancov-module -Cllvm-args=-sanitizer-coverage-level=4 -Cllvm-args=-sanitizer-coverage-inline-8bit-counters \
-Cllvm-args=-sanitizer-coverage-pc-table -Cllvm-args=-sanitizer-coverage-trace-compares -Clink-dead-code"
    RUSTFLAGS="--cfg fuzzing --cfg iprof_fuzzing $coverage -Zsanitizer=address" CARGO_TARGET_DIR=$soak_target/fuzz \
        cargo "+$nightly" build --locked --release --target "$linux" --manifest-path "$fuzz_package/Cargo.toml" --bin "$target"
    mkdir -p "$soak_target/corpus/$target" "$soak_target/found"
}

# run_fuzz TARGET ARGUMENTS...
run_fuzz() {
    local target=$1
    shift
    "$soak_target/fuzz/$linux/release/$target" "$@" -timeout=120 -rss_limit_mb=4096 -print_final_stats=1 -artifact_prefix="$soak_target/found/$target-"
}

# fuzz TARGET MINUTES
fuzz() {
    build_fuzz "$1"
    # New inputs go into the first folder, which is kept from soak to soak.
    run_fuzz "$1" "$soak_target/corpus/$1" "$fuzz_package/corpus/$1" -max_total_time=$(($2 * 60))
}

# What was recorded stays with a process, and every report goes through it: so a process tries only some hundred
# inputs, beginning with others of those that are kept. An input may lie in both folders, by the same name.
soak_fuzz-calls() {
    local kept=$soak_target/corpus/calls round=$soak_target/round end
    build_fuzz calls
    end=$((SECONDS + $1 * 60))
    while [ $SECONDS -lt $end ]; do
        rm -rf "$round"
        mkdir "$round"
        find "$kept" "$fuzz_package/corpus/calls" -type f | shuf -n 60 | xargs -n 1 cp -t "$round"
        run_fuzz calls "$round" -runs=400
        cp "$round"/* "$kept"
    done
}
soak_fuzz-http() { fuzz http "$1"; }
soak_fuzz-environment() { fuzz environment "$1"; }
soak_fuzz-font() { fuzz font "$1"; }
soak_fuzz-draw() { fuzz draw "$1"; }

soak_deny() {
    command -v cargo-deny >/dev/null || cargo install --locked cargo-deny || skip "needs cargo-deny, which could not be installed"
    cargo deny --all-features check licenses bans sources
    # The database of advisories is a repository that has to be fetched.
    cargo deny --all-features check advisories || { cargo deny fetch db >/dev/null 2>&1 && return 1; note "advisories not checked: their database could not be fetched"; }
}
