# What ./test runs: ctest, the formatter, the fuzzers. Sourced after common.sh.
# shellcheck shell=bash

# Over all runs of ctest.
passed=0
failed=0
skipped=0

# stage NAME COMMAND...: runs a step of ./test --all in a subshell and prints how long it took. A step that fails does not
# stop the others; finish_stages names it.
failed_stages="$logs/failed-stages"
stage() {
  local name=$1 began=$SECONDS
  shift
  if ("$@"); then
    printf '   %s: %s\n' "$name" "$(minutes $((SECONDS - began)))"
  else
    printf '%s\n' "$name" >>"$failed_stages"
  fi
}

start_stages() {
  mkdir -p "$logs"
  : >"$failed_stages"
}

# has_failed NAME...: whether one of these steps did.
has_failed() {
  local name
  for name in "$@"; do
    grep -qxF "$name" "$failed_stages" && return 0
  done
  return 1
}

# Fails if a step did, and names all that did.
finish_stages() {
  if [[ -s $failed_stages ]]; then
    printf 'failed: %s\n' "$(sort "$failed_stages" | paste -sd , | sed 's/,/, /g')"
    return 1
  fi
}

# minutes SECONDS: "3 min 20 s"
minutes() {
  printf '%d min %d s' $(($1 / 60)) $(($1 % 60))
}

# Lines that ctest prints for passing tests, and before and between tests.
routine_lines='^(Internal ctest|Test project|$)|^ +Start +[0-9]+:|  Passed +[0-9.]+ sec$'

# run_tests PRESET [CTEST OPTION...]: shows failed and skipped tests and ctest's summary, and adds to the counts. Runs one
# test per core, or test_jobs.
run_tests() {
  local preset=$1 log="$logs/test-$1.log"
  shift
  say "tests ($preset)"
  mkdir -p "$logs"
  local status=0 failed_before=$failed
  {
    ctest --test-dir "$top/build/$preset" -j "${test_jobs:-$(nproc)}" --output-on-failure "$@" 2>&1 |
      tee "$log" | { grep --line-buffered -vE "$routine_lines" || true; }
  } || status=$?
  grep -q ' tests failed out of ' "$log" || die "no test ran (full log: $log)"
  read_results "$top/build/$preset/Testing/Temporary/LastTest.log"
  if [[ $status -ne 0 && $failed -eq $failed_before ]]; then
    die "ctest failed (full log: $log)"
  fi
}

# read_results LOG: counts the results in ctest's log: each test of a GoogleTest suite, other programs as one
# test each, a crashed program as one failure. Prints a line per skipped test with its reason (the line after
# GoogleTest's "Skipped", or the program's own "skipped: ..."), and per browser test that passed only on the second try.
read_results() {
  local counts
  counts=$(awk '
    function number(line) { gsub(/[^0-9]/, "", line); return line + 0 }
    /^[0-9]+\/[0-9]+ Test: / {
      name = $0
      sub(/^[0-9]+\/[0-9]+ Test: /, "", name)
      p = f = s = 0; suite = 0; own = ""
    }
    /^\[ RUN      \] / { one = $4; suite = 1 }
    reason { printf "skipped: %s: %s\n", one, $0 > "/dev/stderr"; reason = 0 }
    /: Skipped$/ { reason = 1 }
    /^skipped: / && own == "" { own = $0; sub(/^skipped: /, "", own) }
    /^AGAIN +[0-9]+ s  / { sub(/^AGAIN +[0-9]+ s  /, ""); print "passed on the second try: " $0 > "/dev/stderr" }
    /^\[  PASSED  \] [0-9]+ test/ { p += number($0) }
    /^\[  FAILED  \] [0-9]+ test/ { f += number($0) }
    /^\[  SKIPPED \] [0-9]+ test/ { s += number($0) }
    /^Test (Passed|Failed|Pass Reason|Fail Reason|not run|timed out)/ {
      good = /^Test Pass/
      if (!suite) {
        if (good && own != "") { s = 1; printf "skipped: %s: %s\n", name, own > "/dev/stderr" }
        else if (good) p = 1
      }
      if (!good && f == 0) f = 1
      passed += p; failed += f; skipped += s
      p = f = s = 0
    }
    END { print passed + 0, failed + 0, skipped + 0 }
  ' "$1")
  local p f s
  read -r p f s <<<"$counts"
  passed=$((passed + p))
  failed=$((failed + f))
  skipped=$((skipped + s))
}

# Every C++ file of the project.
check_format() {
  say "format"
  local files=()
  while IFS= read -r -d '' file; do
    files+=("$file")
  done < <(find "$top/src" "$top/apps" "$top/tests" "$top/bench" "$top/examples" "$top/cmake" -name node_modules -prune \
    -o \( -name '*.h' -o -name '*.cpp' \) -print0)
  logged format clang-format --dry-run -Werror "${files[@]}"
}

# The names of the fuzz targets: gltf for tests/fuzz/gltf_fuzz.cpp.
fuzzers() {
  local source
  for source in "$top"/tests/fuzz/*_fuzz.cpp; do
    basename "$source" _fuzz.cpp
  done
}

# clang-tidy on every source, in the units of the build, so that headers are parsed once per unit. Sources of the command
# that a fuzzer also compiles are read in the command's unit.
check_tidy() {
  say "clang-tidy"
  cd "$top" || exit 1
  logged configure-tidy cmake --preset tidy
  logged tidy tidy_units
}

tidy_units() {
  sed -n 's/^ *"file": "\(.*\)",\{0,1\}$/\1/p' "$top/build/tidy/compile_commands.json" | grep -vE '/tests/layering/headers/|/apps/cli/[a-z_]+\.cpp$' | sort -u |
    tr '\n' '\0' | xargs -0 -P "$(nproc)" -n 1 clang-tidy --quiet -p "$top/build/tidy"
}

# Everything of ./test --all that is compiled or read, but not run.
build_checks() {
  stage "build of asan" build asan
  stage "build of tsan" build tsan test_studio
  stage clang-tidy check_tidy
  stage "headers alone" build tidy layering_headers
}

# in_idle_time FUNCTION: starts it in the background at the lowest priority. finish_idle waits for it and shows what it
# printed.
in_idle_time() {
  mkdir -p "$logs"
  # A process group of its own, so that its compilers end with it.
  set -m
  (
    set -euo pipefail
    renice -n 19 "$BASHPID" >/dev/null
    "$1"
  ) >"$logs/idle.log" 2>&1 &
  idle=$!
  set +m
  trap 'kill -- "-$idle" 2>/dev/null; return_ownership' EXIT
}

finish_idle() {
  wait "$idle" || printf 'checks beside the tests\n' >>"$failed_stages"
  trap return_ownership EXIT
  cat "$logs/idle.log"
}

# run_fuzzers SECONDS: runs each fuzzer of the preset asan, one per core at a time, with seeds written by the command.
# Findings are kept in build/fuzz/findings.
run_fuzzers() {
  local seconds=$1 folder="$top/build/fuzz" names
  rm -rf "$folder/seeds" "$folder/corpus"
  mkdir -p "$folder/seeds" "$folder/findings" "$logs"
  logged seeds make_seeds "$top/build/release/apps/cli/sinew" "$folder/seeds"
  mapfile -t names < <(fuzzers)
  say "fuzz (${names[*]}; $seconds s each)"
  export -f run_fuzzer
  export top logs
  printf '%s\0' "${names[@]}" | xargs -0 -P "$(nproc)" -I NAME bash -c 'run_fuzzer NAME "$1"' - "$seconds" ||
    die "a fuzzer found an error: the input is in build/fuzz/findings, the trace in build/logs/fuzz-NAME.log"
  local name
  for name in "${names[@]}"; do
    printf '   %s: %s executions\n' "$name" "$(sed -n 's/^stat::number_of_executed_units: *//p' "$logs/fuzz-$name.log")"
  done
}

# run_fuzzer NAME SECONDS
run_fuzzer() {
  local name=$1 seconds=$2 folder="$top/build/fuzz" extension
  local corpus="$folder/corpus/$name" extensions=("$name")
  if [[ $name == gltf ]]; then
    extensions=(glb gltf)
  fi
  mkdir -p "$corpus"
  # A few small seeds: large ones make each run slow.
  for extension in "${extensions[@]}"; do
    find "$folder/seeds" -name "*.$extension" -size -200k -print0 | sort -z | head -zn 8 |
      xargs -0 -r cp --backup=numbered -t "$corpus"
  done
  if ! "$top/build/asan/tests/fuzz/fuzz_$name" -max_total_time="$seconds" -timeout=10 -rss_limit_mb=4096 \
    -print_final_stats=1 -artifact_prefix="$folder/findings/$name-" "$corpus" >"$logs/fuzz-$name.log" 2>&1; then
    printf '   %s failed:\n' "$name" >&2
    tail -n 40 "$logs/fuzz-$name.log" >&2
    return 1
  fi
}

# Sources that read files and messages, for the coverage report.
reader_sources() {
  find "$top/src/sinew/io" -name '*.cpp' ! -path '*/gltf/write/*' ! -name write.cpp ! -name pack.cpp ! -name store.cpp ! -name no_assimp.cpp
  printf '%s\n' "$top"/apps/studio/{net/codec,net/http_rules,document/edit_json,document/file_state,document/journal,document/record_file,untrusted_json}.cpp
}

# Line coverage of the readers by the tests and fuzzers of the preset asan; the table goes to build/logs/coverage.log.
report_coverage() {
  local folder="$top/build/asan/coverage" program objects=() sources
  for program in "$top"/build/asan/tests/{test_studio,test_mutation} "$top"/build/asan/apps/cli/sinew "$top"/build/asan/tests/fuzz/fuzz_*; do
    [[ -f $program && -x $program ]] && objects+=(-object "$program")
  done
  mkdir -p "$logs"
  mapfile -t sources < <(reader_sources)
  llvm-profdata merge -sparse "$folder"/*.profraw -o "$folder/all.profdata"
  llvm-cov report "$top/build/asan/tests/test_io" "${objects[@]}" -instr-profile="$folder/all.profdata" "${sources[@]}" >"$logs/coverage.log"
  printf '   line coverage of readers: %s (build/logs/coverage.log)\n' "$(awk '$1 == "TOTAL" { print $10 }' "$logs/coverage.log")"
}

# make_seeds SINEW FOLDER: small files of every readable kind.
make_seeds() {
  local sinew=$1 folder=$2 name
  # Every kind of line: relative and absolute corners, a quad, a five-gon, groups, a comment, a broken line.
  printf '%s\n' '# a comment' 'o one' 'v 0 0 0' 'v 1 0 0' 'v 1 1 0' 'v 0 1 0' 'v 0.5 1.5 1e-3' 'vt 0 0' 'vt 1 1' \
    'vn 0 0 1' 'g part' 'usemtl skin' 's 1' 'f 1/1/1 2/2/1 3/1/1 4/2/1' 'f -5//1 -4//1 -3//1 -1//1 -2//1' 'f 1 2 \' '3' \
    'l 1 2' >"$folder/00-kinds.obj" || return
  node "$top/tests/javascript/made.mjs" "$folder/00-made-4.glb" 4 || return
  node "$top/tests/javascript/made.mjs" "$folder/00-made-8.glb" 8 || return
  for name in arm limb quadruped; do
    "$sinew" sample "$name" --vertices 1000 -o "$folder/$name" || return
    "$sinew" convert "$folder/$name/$name.glb" -o "$folder/$name.gltf" || return
    "$sinew" convert "$folder/$name/$name.glb" -o "$folder/$name.obj" || return
  done
  # A minimal learned pose space.
  "$sinew" psd "$folder/arm/arm.glb" --examples "$folder/arm/examples.json" --max-morphs 1 --least-delta 0.03 \
    --no-examples-clip --no-morph-normals -o "$folder/00-pose-space.glb" || return
  # Helper joints with their rules, and integer weights.
  "$sinew" fit "$folder/arm/arm.glb" --examples "$folder/arm/examples.json" --helpers all --quantize u8 \
    --no-examples-clip -o "$folder/00-helper-joints.glb" || return
  # A reduced model learned from two meshes.
  "$sinew" reduce "$folder/quadruped/walk1.obj" "$folder/quadruped/sit.obj" --controls 4 \
    -o "$folder/00-reduced-model.glb" || return
}
