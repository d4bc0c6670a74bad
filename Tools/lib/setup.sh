# Sourced by Tools/test, Tools/demo, Tools/docs and Tools/livepage/test: changes to the project's folder, and defines how to install
# packages and build.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

# All of them treat warnings as errors and optimize the library, so that they share one build.
export MODELSTORE_WARNINGS_AS_ERRORS=1 MODELSTORE_OPTIMIZED=1

# Installs those of the Debian packages in the arguments that are missing.
install_packages() {
    local missing=()
    for package in "$@"; do
        dpkg-query -W -f '${Status}' "$package" 2>/dev/null | grep -q 'ok installed' || missing+=("$package")
    done
    [ ${#missing[@]} -eq 0 ] && return
    local as_root=()
    [ "$(id -u)" -eq 0 ] || as_root=(sudo)
    echo "installing: ${missing[*]}"
    "${as_root[@]}" apt-get update -qq
    DEBIAN_FRONTEND=noninteractive "${as_root[@]}" apt-get install -y -qq --no-install-recommends "${missing[@]}" >/dev/null
}

command -v swift >/dev/null || {
    echo "error: there is no swift on the PATH; install Swift 6.3 or later" >&2
    exit 1
}

# Builds with the given arguments and prints the progress every ten seconds. On failure, prints the end of the log.
build() {
    local log started=$SECONDS shown=$SECONDS line
    log=$(mktemp)
    if ! swift build "$@" 2>&1 | tee "$log" | while IFS= read -r line; do
        if [[ $line == \[* ]] && [ $((SECONDS - shown)) -ge 10 ]; then
            shown=$SECONDS
            echo "  ${line:0:80} ($((SECONDS - started)) s)"
        fi
    done; then
        echo "error: the build failed; the last lines of its log:" >&2
        tail -n 40 "$log" >&2
        rm -f "$log"
        exit 1
    fi
    rm -f "$log"
}
