# What ./test runs: ctest, the formatter, the fuzzers. Sourced after common.sh.
# shellcheck shell=bash

# Over all runs of ctest.
passed=0
failed=0
skipped=0

# What ctest says of a test that passes, and before and between tests.
routine_lines='^(Internal ctest|Test project|$)|^ +Start +[0-9]+:|  Passed +[0-9.]+ sec$'

# run_tests PRESET [CTEST OPTION...]: shows what fails and what is skipped, ctest's closing lines, and adds up.
run_tests() {
  local preset=$1 results="$logs/test-$1.xml" log="$logs/test-$1.log"
  shift
  say "tests ($preset)"
  mkdir -p "$logs"
  rm -f "$results"
  local status=0 failed_before=$failed
  {
    ctest --test-dir "$top/build/$preset" -j "$(nproc)" --output-on-failure --output-junit "$results" "$@" 2>&1 |
      tee "$log" | { grep --line-buffered -vE "$routine_lines" || true; }
  } || status=$?
  count_results "$log"
  show_skipped "$results"
  if [[ $status -ne 0 && $failed -eq $failed_before ]]; then
    die "ctest failed (the whole log: $log)"
  fi
}

# count_results LOG: from ctest's closing line "97% tests passed, 2 tests failed out of 75". The results file will not
# do: it counts a test whose program is missing as skipped, ctest's line as failed.
count_results() {
  local closing=' tests failed out of ' failures tests skips
  failures=$(sed -n "s/.*passed, \([0-9]*\)$closing[0-9]*\$/\1/p" "$1")
  tests=$(sed -n "s/.*$closing\([0-9]*\)\$/\1/p" "$1")
  [[ -n $tests ]] || die "no test ran (the whole log: $1)"
  skips=$(grep -cE '^ *[0-9]+/[0-9]+ Test +#[0-9]+: .*\*\*\*Skipped ' "$1" || true)
  passed=$((passed + tests - failures - skips))
  failed=$((failed + failures))
  skipped=$((skipped + skips))
}

# A line per skipped test: its name, and the reason that it gave (the line after GoogleTest's "Skipped", or the
# script's own "skipped: ...").
show_skipped() {
  awk '
    /<testcase / {
      name = $0
      sub(/.*<testcase name="/, "", name)
      sub(/".*/, "", name)
      is_skipped = 0; reason = ""; next_line = 0
    }
    /<skipped message="SKIP_/ { is_skipped = 1 }
    next_line { reason = $0; next_line = 0 }
    /: Skipped$/ { next_line = 1 }
    /(^|>)skipped: / && reason == "" { reason = $0; sub(/.*skipped: /, "", reason) }
    /<\/testcase>/ && is_skipped {
      gsub(/&quot;/, "\"", reason); gsub(/&apos;/, "\047", reason); gsub(/&lt;/, "<", reason)
      gsub(/&gt;/, ">", reason); gsub(/&amp;/, "\\&", reason)
      printf "skipped: %s: %s\n", name, reason == "" ? "no reason given" : reason
    }
  ' "$1"
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

# Only the fuzzers and what they link.
build_fuzzers() {
  local targets
  mapfile -t targets < <(fuzzers | sed 's/^/fuzz_/')
  build fuzz "${targets[@]}"
}

# run_fuzzers SECONDS: each fuzzer, from seeds that the command itself writes. A finding is kept in build/fuzz/findings.
run_fuzzers() {
  local seconds=$1 folder="$top/build/fuzz" name extension
  local sinew="$top/build/release/apps/cli/sinew" seeds="$folder/seeds" findings="$folder/findings"
  rm -rf "$seeds" "$folder/corpus"
  mkdir -p "$seeds" "$findings"
  logged seeds make_seeds "$sinew" "$seeds"
  for name in $(fuzzers); do
    say "fuzz ($name, $seconds s)"
    local corpus="$folder/corpus/$name" extensions=("$name")
    if [[ $name == gltf ]]; then
      extensions=(glb gltf)
    fi
    mkdir -p "$corpus"
    # A few small ones: large seeds make each try slow.
    for extension in "${extensions[@]}"; do
      find "$seeds" -name "*.$extension" -size -200k -print0 | sort -z | head -zn 8 |
        xargs -0 -r cp --backup=numbered -t "$corpus"
    done
    logged "fuzz-$name" "$folder/tests/fuzz/fuzz_$name" -max_total_time="$seconds" -timeout=10 -rss_limit_mb=4096 \
      -print_final_stats=1 -artifact_prefix="$findings/$name-" "$corpus"
  done
}

# make_seeds SINEW FOLDER: small files of every kind that is read.
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
  # A learned pose space, as small as it gets.
  "$sinew" psd "$folder/arm/arm.glb" --examples "$folder/arm/examples.json" --max-morphs 1 --least-delta 0.03 \
    --no-examples-clip --no-morph-normals -o "$folder/00-pose-space.glb" || return
  # Helper joints with their rules, and weights as whole numbers.
  "$sinew" fit "$folder/arm/arm.glb" --examples "$folder/arm/examples.json" --helpers all --quantize u8 \
    --no-examples-clip -o "$folder/00-helper-joints.glb" || return
  # A reduced model of two meshes.
  "$sinew" reduce "$folder/quadruped/walk1.obj" "$folder/quadruped/sit.obj" --controls 4 \
    -o "$folder/00-reduced-model.glb" || return
}
