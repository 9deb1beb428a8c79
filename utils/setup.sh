# Sourced by ./check and ./demo: installs what the build needs and configures it. Does nothing twice.
#
# Licensed under the Apache License, Version 2.0. See LICENSE.
#
#   relax_packages [tests]    Debian packages (needs root or sudo when one is missing), those for tests too; elsewhere nothing
#   relax_venv                the project's own Python environment, .venv
#   relax_configure [preset]  CMake; MLIR_DIR in the environment chooses another MLIR 22.1
#   relax_build [preset] [targets...]

relax_root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)

# name=version pattern. LLVM's packages carry the major version in their name.
relax_debian=(
  "libmlir-22-dev=1:22.1.*" "mlir-22-tools=1:22.1.*" "llvm-22-dev=1:22.1.*" "llvm-22-tools=1:22.1.*" "clang-22=1:22.1.*"
  "lld-22=1:22.1.*" "clang-format-22=1:22.1.*" "clang-tidy-22=1:22.1.*" "libclang-rt-22-dev=1:22.1.*"
  "cmake=3.*" "ninja-build=1.*" "ccache=4.*" "libgtest-dev=1.*" "protobuf-compiler=3.*" "libprotobuf-dev=3.*"
  "libvulkan1=1.3.*" "mesa-vulkan-drivers=22.*" "spirv-tools=2023.*" "zlib1g-dev=1:1.*" "python3-venv=3.*" "python3-dev=3.*"
)
# For tests only: artifacts for AArch64 run under qemu.
relax_debian_tests=("qemu-user=1:7.*" "libc6-dev-arm64-cross=2.*" "libstdc++-12-dev-arm64-cross=12.*")

relax_say() { printf '== %s\n' "$*"; }
relax_fail() {
  printf 'error: %s\n' "$*" >&2
  exit 1
}

# Runs a command quietly; shows its whole output only when it fails.
relax_quiet() {
  local what=$1 log
  shift
  log=$(mktemp)
  if ! "$@" >"$log" 2>&1; then
    cat "$log" >&2
    rm -f "$log"
    relax_fail "$what failed"
  fi
  rm -f "$log"
}

relax_packages() {
  local missing=() wanted=("${relax_debian[@]}") entry have
  [ "${1:-}" != tests ] || wanted+=("${relax_debian_tests[@]}")
  if ! command -v apt-get >/dev/null; then
    relax_say "no apt-get here: using the compilers and libraries that are installed"
    return 0
  fi
  for entry in "${wanted[@]}"; do
    have=$(dpkg-query -W -f '${db:Status-Abbrev}${Version}' "${entry%%=*}" 2>/dev/null) || have=
    # shellcheck disable=SC2254 — the version is a pattern
    case "$have" in
      "ii "${entry#*=}) ;;
      *) missing+=("$entry") ;;
    esac
  done
  [ ${#missing[@]} -eq 0 ] && return 0
  local sudo=()
  if [ "$(id -u)" -ne 0 ]; then
    command -v sudo >/dev/null || relax_fail "these Debian packages are missing, and there is no sudo: ${missing[*]}"
    sudo=(sudo)
  fi
  relax_say "installing ${#missing[@]} Debian packages: ${missing[*]%%=*}"
  relax_quiet "apt-get update" "${sudo[@]}" apt-get update
  relax_quiet "apt-get install" "${sudo[@]}" env DEBIAN_FRONTEND=noninteractive \
    apt-get install -y --no-install-recommends "${missing[@]}"
}

relax_venv() {
  local venv=$relax_root/.venv wanted=$relax_root/utils/requirements.txt
  if ! cmp -s "$wanted" "$venv/installed.txt"; then
    relax_say "installing the Python packages of utils/requirements.txt into .venv"
    [ -x "$venv/bin/python3" ] || relax_quiet "python3 -m venv" python3 -m venv "$venv"
    relax_quiet "pip install" "$venv/bin/python3" -m pip install --quiet --disable-pip-version-check -r "$wanted"
    cp "$wanted" "$venv/installed.txt"
  fi
}

relax_configure() {
  local preset=${1:-default} args=()
  [ -n "${MLIR_DIR:-}" ] && args+=("-DMLIR_DIR=$MLIR_DIR")
  relax_say "configuring (preset $preset)"
  relax_quiet "cmake" env -C "$relax_root" cmake --preset "$preset" "${args[@]}"
}

relax_build() {
  local preset=${1:-default} targets=()
  shift || true
  [ $# -gt 0 ] && targets=(--target "$@")
  relax_say "building ${*:-everything} (preset $preset)"
  # Progress is for people; a log gets the failures only.
  if [ -t 1 ]; then
    env -C "$relax_root" cmake --build --preset "$preset" "${targets[@]}" || relax_fail "the build failed"
  else
    relax_quiet "the build" env -C "$relax_root" cmake --build --preset "$preset" "${targets[@]}"
  fi
}
