# Shared by ./run and ./test: packages, builds, logs. Sourced, not run directly.
# shellcheck shell=bash

top=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")/.." && pwd)
logs="$top/build/logs"

# For building and testing. Checked by name, so that nothing is installed twice.
build_packages=(
  g++ cmake ninja-build
  libeigen3-dev libtbb-dev libhwy-dev libassimp-dev libcli11-dev libfmt-dev nlohmann-json3-dev libpng-dev libboost-dev
  libgtest-dev libbenchmark-dev
)
# If node is not on the path. npm needs the certificates, which Debian's node only recommends.
node_packages=(nodejs npm ca-certificates)
# If there is no browser: the studio is tested in a real one.
browser_packages=(chromium fonts-liberation)
# For ./test --all.
check_packages=(clang clang-tidy clang-format libclang-rt-14-dev llvm)

say() { printf '== %s\n' "$*"; }

die() {
  printf '%s\n' "$*" >&2
  exit 1
}

# Shows Ninja's [3/120] on one line of a terminal; prints nothing otherwise.
progress_line() {
  if [[ ! -t 1 ]]; then
    cat >/dev/null
    return
  fi
  local line shown=
  while IFS= read -r line; do
    if [[ $line =~ ^\[[0-9]+/[0-9]+\] ]]; then
      shown=${BASH_REMATCH[0]}
      printf '\r   %s ' "$shown"
    fi
  done
  if [[ -n $shown ]]; then
    printf '\r%*s\r' $((${#shown} + 4)) ''
  fi
}

# logged NAME COMMAND...: runs quietly; the output goes to build/logs/NAME.log, and to the screen if it fails.
logged() {
  local name=$1 log="$logs/$1.log"
  shift
  mkdir -p "$logs"
  if ! "$@" 2>&1 | tee "$log" | progress_line; then
    tail -n 60 "$log" >&2
    die "$name failed: $(cut -c -200 <<<"$*") (full log: $log)"
  fi
}

# Under sudo, gives files written by root in this folder to the calling user.
return_ownership() {
  if [[ $EUID -eq 0 && -n ${SUDO_UID:-} && -n ${SUDO_GID:-} ]]; then
    local folder
    for folder in "$top/build" "$top/out" "$top/tests/javascript/node_modules" "$top/web/node_modules"; do
      if [[ -e $folder ]]; then
        find "$folder" -uid 0 -exec chown -h "$SUDO_UID:$SUDO_GID" {} +
      fi
    done
  fi
}
trap return_ownership EXIT

# Jobs for compilers: one per core, but no more than one per 1.5 GB of free memory.
build_jobs() {
  local cores kilobytes
  cores=$(nproc)
  kilobytes=$(awk '$1 == "MemAvailable:" { print $2 }' /proc/meminfo)
  awk -v cores="$cores" -v kilobytes="${kilobytes:-4000000}" 'BEGIN {
    fits = int(kilobytes / 1500000)
    print fits < 1 ? 1 : (fits < cores ? fits : cores)
  }'
}

# The packages of the arguments that are not installed, one per line.
missing_packages() {
  local package
  for package in "$@"; do
    if [[ $(dpkg-query -W -f='${db:Status-Status}' "$package" 2>/dev/null) != installed ]]; then
      printf '%s\n' "$package"
    fi
  done
}

apt_install() {
  local as_root=()
  if [[ $EUID -ne 0 ]]; then
    if ! command -v sudo >/dev/null; then
      die "packages are missing and there is no sudo here. As root, run: apt-get install --no-install-recommends $*"
    fi
    as_root=(sudo)
  fi
  local apt=("${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -y -o DPkg::Lock::Timeout=500)
  mkdir -p "$logs"
  # Package lists are fetched only if they are missing or old.
  if ! "${apt[@]}" install --no-install-recommends "$@" >"$logs/apt.log" 2>&1; then
    logged apt-update "${apt[@]}" update
    logged apt "${apt[@]}" install --no-install-recommends "$@"
  fi
}

# setup PACKAGE...: installs missing packages with apt.
setup() {
  if ! command -v dpkg-query >/dev/null; then
    say "setup: not a Debian system; assuming that these packages are installed: $*"
    return
  fi
  local missing
  mapfile -t missing < <(missing_packages "$@")
  if [[ ${#missing[@]} -gt 0 ]]; then
    say "setup: installing ${missing[*]}"
    apt_install "${missing[@]}"
  fi
}

# Any node of version 18 or newer.
setup_node() {
  local major
  if ! command -v node >/dev/null || ! command -v npm >/dev/null; then
    setup "${node_packages[@]}"
  fi
  major=$(node -p 'process.versions.node.split(".")[0]') || die "node does not start: $(command -v node)"
  if [[ $major -lt 18 ]]; then
    die "node $(node --version) is too old; install version 18 or newer"
  fi
}

# Any Chromium that the browser tests can find.
setup_browser() {
  if ! command -v chromium >/dev/null && ! command -v chromium-browser >/dev/null && ! command -v google-chrome >/dev/null; then
    setup "${browser_packages[@]}"
  fi
}

# setup_npm FOLDER: installs the packages of its lock file, unless they are installed.
setup_npm() {
  local folder="$top/$1"
  local stamp="$folder/node_modules/.installed-lock"
  if ! cmp -s "$folder/package-lock.json" "$stamp"; then
    say "setup: npm packages of $1"
    logged npm npm --prefix "$folder" ci --no-audit --no-fund
    cp "$folder/package-lock.json" "$stamp"
  fi
}

# build PRESET [TARGET...]
build() {
  local preset=$1 fresh=()
  shift
  say "build ($preset)"
  # A build folder that was moved with the project cannot be used.
  local cache="$top/build/$preset/CMakeCache.txt"
  if [[ -e $cache ]] && ! grep -qxF "CMAKE_HOME_DIRECTORY:INTERNAL=$top" "$cache"; then
    fresh=(--fresh)
  fi
  cd "$top" || exit 1
  logged "configure-$preset" cmake --preset "$preset" "${fresh[@]}"
  logged "build-$preset" cmake --build "$top/build/$preset" -j "$(build_jobs)" ${1+--target "$@"}
}
