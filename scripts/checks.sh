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

# run_fuzzers SECONDS: each target of the fuzz preset, from seeds that the command itself writes. A finding is kept in
# build/fuzz/findings.
run_fuzzers() {
  local seconds=$1 folder="$top/build/fuzz" target name
  local sinew="$top/build/release/apps/cli/sinew" seeds="$folder/seeds" findings="$folder/findings"
  rm -rf "$seeds" "$folder/corpus"
  mkdir -p "$seeds" "$findings"
  logged seeds make_seeds "$sinew" "$seeds"

  local targets=()
  while IFS= read -r -d '' target; do
    targets+=("$target")
  done < <(find "$folder/tests/fuzz" -maxdepth 1 -type f -executable -name 'fuzz_*' -print0 | sort -z)
  [[ ${#targets[@]} -gt 0 ]] || die "the fuzz preset built no target"

  for target in "${targets[@]}"; do
    name=${target##*/fuzz_}
    say "fuzz ($name, $seconds s)"
    local corpus="$folder/corpus/$name" extensions=("$name")
    if [[ $name == gltf ]]; then
      extensions=(glb gltf)
    fi
    mkdir -p "$corpus"
    local extension
    for extension in "${extensions[@]}"; do
      find "$seeds" -name "*.$extension" -size -200k -exec cp --backup=numbered {} "$corpus" \;
    done
    logged "fuzz-$name" "$target" -max_total_time="$seconds" -timeout=10 -rss_limit_mb=4096 -print_final_stats=1 \
      -artifact_prefix="$findings/$name-" "$corpus"
  done
}

# make_seeds SINEW FOLDER: the small built-in characters, in every form that is read.
make_seeds() {
  local sinew=$1 folder=$2 name
  for name in arm limb quadruped; do
    "$sinew" sample "$name" --vertices 1000 -o "$folder/$name" || return
    "$sinew" convert "$folder/$name/$name.glb" -o "$folder/$name.gltf" || return
    "$sinew" convert "$folder/$name/$name.glb" -o "$folder/$name.obj" || return
    "$sinew" convert "$folder/$name/$name.glb" -o "$folder/$name.off" || return
  done
  if [[ -n ${SINEW_DATA_DIR:-} && -d $SINEW_DATA_DIR/gltf ]]; then
    cp "$SINEW_DATA_DIR"/gltf/*.glb "$folder" || return
  fi
}
