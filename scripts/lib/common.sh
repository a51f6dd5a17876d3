# shellcheck shell=bash
# What the scripts share. Sourced with `set -euo pipefail` on; everything it says goes to stderr.

# What the build needs: C libraries, and the headers and linker that the Swift toolchain calls.
# shellcheck disable=SC2034
BUILD_PACKAGES=(
    binutils git libc6-dev libgcc-12-dev libnghttp2-dev libsimdjson-dev libssl-dev libstdc++-12-dev
    nlohmann-json3-dev pkg-config tzdata zlib1g-dev
)
# What the toolchain's own programs link; installed only where they do not start without it.
TOOLCHAIN_PACKAGES=(libcurl4 libedit2 libncurses6 libsqlite3-0 libxml2)
# What the tests call besides: independent clients, servers and readers.
# shellcheck disable=SC2034
TEST_PACKAGES=(
    apache2-bin caddy curl h2o jq lighttpd lighttpd-mod-openssl nghttp2-client nghttp2-server nginx
    nodejs openssl python3 python3-venv shellcheck
)

WANTED_SWIFT=6.3

# What looks at the pages of `report`, checks the metrics and counts instructions.
# shellcheck disable=SC2034
TEST_PACKAGES+=(chromium libjs-d3 prometheus valgrind)

say() { printf '%s\n' "$*" >&2; }

step() { say "== $*"; }

fail() {
    say "error: $*"
    exit 1
}

# Runs a command as root: as it is, or through sudo, which may ask only where there is a terminal.
as_root() {
    if [[ $EUID -eq 0 ]]; then
        "$@"
    elif [[ -t 0 ]]; then
        sudo "$@"
    else
        sudo -n "$@"
    fi
}

is_installed() {
    [[ $(dpkg-query -W -f='${db:Status-Status}' "$1" 2>/dev/null) == installed ]]
}

# Installs those of the Debian packages that are missing; says nothing where none is.
need_packages() {
    [[ -z ${PUSHBENCH_SKIP_PACKAGES:-} ]] || return 0
    if ! command -v dpkg-query >/dev/null || ! command -v apt-get >/dev/null; then
        fail "this system has no apt-get: install the counterparts of the Debian packages $* \
and run this again with PUSHBENCH_SKIP_PACKAGES=1"
    fi
    local package missing=()
    for package in "$@"; do
        is_installed "$package" || missing+=("$package")
    done
    [[ ${#missing[@]} -gt 0 ]] || return 0
    if [[ $EUID -ne 0 ]] && ! command -v sudo >/dev/null; then
        fail "these Debian packages are missing, and neither root nor sudo is at hand: ${missing[*]}"
    fi
    as_root true ||
        fail "these Debian packages are missing, and sudo did not let us install them: ${missing[*]}"
    step "installing ${missing[*]}"
    local apt=(env DEBIAN_FRONTEND=noninteractive apt-get -qq -o DPkg::Lock::Timeout=300)
    as_root "${apt[@]}" update >&2 </dev/null || fail "apt-get update failed; see above"
    # The tests start servers themselves, on ports of their own: no package may start a daemon, now
    # or when the machine starts.
    local policy=/usr/sbin/policy-rc.d
    (
        if [[ ! -e $policy ]]; then
            trap 'as_root rm --force "$policy"' EXIT
            printf '#!/bin/sh\nexit 101\n' | as_root tee "$policy" >/dev/null
            as_root chmod 755 "$policy"
        fi
        as_root "${apt[@]}" install --yes --no-install-recommends "${missing[@]}" >&2 </dev/null
    ) || fail "apt-get could not install: ${missing[*]}"
    for package in caddy h2o lighttpd nginx prometheus; do
        if [[ " ${missing[*]} " == *" $package "* ]] && command -v systemctl >/dev/null; then
            as_root systemctl disable "$package" >/dev/null 2>&1 </dev/null || true
        fi
    done
}

# Finds a Swift toolchain that is new enough and puts it on the PATH.
need_swift() {
    local directory
    if ! command -v swift >/dev/null; then
        for directory in "${SWIFTLY_BIN_DIR:-}" "$HOME/.local/share/swiftly/bin" \
            "$HOME/.swiftly/bin" /opt/swift/usr/bin /usr/local/swift/usr/bin; do
            if [[ -n $directory && -x $directory/swift ]]; then
                PATH=$directory:$PATH
                break
            fi
        done
    fi
    local how="Swift $WANTED_SWIFT for Linux comes from https://www.swift.org/install/linux/, as a \
tarball to unpack or through swiftly; put its usr/bin on the PATH and run this again."
    command -v swift >/dev/null || fail "there is no Swift toolchain. $how"
    local text found
    if ! swift package --version >/dev/null 2>&1 </dev/null; then
        need_packages "${TOOLCHAIN_PACKAGES[@]}"
    fi
    text=$(swift --version 2>/dev/null) || fail "swift is there but does not start. $how"
    [[ $text =~ Swift\ version\ ([0-9]+\.[0-9]+) ]] || fail "swift tells no version. $how"
    found=${BASH_REMATCH[1]}
    [[ $(printf '%s\n' "$WANTED_SWIFT" "$found" | sort -V | head -n 1) == "$WANTED_SWIFT" ]] ||
        fail "Swift $found is too old. $how"
}

# Builds the release binary of the package at $1. All of it goes to stderr.
build_release() {
    step "building pushbench (release)"
    swift build --package-path "$1" -c release --product pushbench >&2 </dev/null
}
