# Shared by ./run and ./test: installs what is missing, configures and builds. Sourced, with the repository's root as the
# current folder. Everything it says goes to stderr.

say() { printf '%s\n' "$*" >&2; }

# The packages of cmake/packages.txt, all of them or without those marked `test`.
wanted_packages() {
  awk -v tests="$1" '/^[^#]/ && NF && ($2 != "test" || tests == "with-tests") { print $1 }' cmake/packages.txt
}

# apt is asked only for what dpkg does not have, so that a second run costs nothing and needs no network.
install_missing_packages() {
  if ! command -v dpkg-query > /dev/null || ! command -v apt-get > /dev/null; then
    say "No apt here. Convlens needs what Debian calls:" $(wanted_packages "$1") "- going on with what is installed."
    return 0
  fi
  local missing=() package
  for package in $(wanted_packages "$1"); do
    [ "$(dpkg-query -W -f '${db:Status-Status}' "$package" 2> /dev/null)" = installed ] || missing+=("$package")
  done
  [ ${#missing[@]} -eq 0 ] && return 0

  local as_root=()
  if [ "$(id -u)" -ne 0 ]; then
    if ! command -v sudo > /dev/null; then
      say "Not root and no sudo here: install ${missing[*]} as root. Going on with what is installed."
      return 0
    fi
    as_root=(sudo)
  fi
  say "Installing ${missing[*]}"
  local apt=("${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -qq -o Dpkg::Use-Pty=0)
  if ! { "${apt[@]}" update && "${apt[@]}" install -y --no-install-recommends "${missing[@]}"; } >&2; then
    say "apt could not install all of them. Going on with what is installed."
  fi
}

# Ninja (tried: 1.11 and 1.12) cuts the names of headers that the compiler lists at any of these characters, takes the
# pieces for files that are missing, and compiles everything again each time.
warn_of_path() {
  local cut=${PWD//[^\'\"\&\;\<\>\*\?\`^|]/}
  [ -z "$cut" ] || say "$PWD: ninja misreads the ${cut:0:1} in it and builds everything anew each time."
}

# Configures, so that what was installed since is found, and builds what has changed of a target. A log is shown when it
# fails; the summary of what was found or left out, when it is not that of the last time.
configure_and_build() { # TARGET
  local log=build/setup.log summary=build/summary.txt tool
  for tool in cmake g++ ninja; do
    if ! command -v "$tool" > /dev/null; then
      say "$tool: not found, and nothing can be built without it."
      return 1
    fi
  done
  if ! mkdir -p build 2> /dev/null || ! [ -w build ]; then
    say "$PWD/build: cannot be written; Convlens builds in its own folder, so copy it to one of yours."
    return 1
  fi
  warn_of_path
  if ! cmake --preset default > "$log" 2>&1; then
    cat "$log" >&2
    return 1
  fi
  sed -n '/^-- Convlens /,/^-- Configuring done/p' "$log" | sed -e '/Configuring done/d' -e 's/^-- //' > "$summary.new"
  cmp -s "$summary.new" "$summary" || cat "$summary.new" >&2
  mv "$summary.new" "$summary"
  if ! cmake --build build --target "$1" > "$log" 2>&1; then
    grep -vE '^\[[0-9]+/[0-9]+\] ' "$log" | tail -n 60 >&2
    return 1
  fi
}

# ctest names the tests that it skipped, and keeps to itself why.
say_why_skipped() { # LOG of ctest; none where it ran no test
  [ -e "$1" ] || return 0
  # A reason that Catch2 has broken at the width of a line counts with the whole one.
  sed -n 's/^ *SKIP: //p' "$1" | awk '
    { times[$0]++ }
    END {
      for (part in times) for (whole in times)
        if (part != whole && index(whole, part) == 1) { times[whole] += times[part]; delete times[part]; break }
      for (reason in times) print "Skipped " times[reason] ": " reason
    }' >&2
}
