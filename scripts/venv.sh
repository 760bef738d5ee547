# Sourced by scripts/test and scripts/demo from the repository's root: virtual environments, made on first use.
# It must never touch an environment that is up to date, so that both scripts work without a network.

# find_python: an interpreter that is new enough, or a sentence and status 1.
find_python() {
  for name in python3 python3.13 python3.12 python3.11; do
    if command -v "$name" >/dev/null 2>&1 && "$name" -c 'import sys; sys.exit(sys.version_info < (3, 11))'; then
      command -v "$name"
      return
    fi
  done
  echo "Python 3.11 or newer is needed, and none is on PATH" >&2
  return 1
}

# stamp_of: changes with the list of what is to be installed.
stamp_of() { cksum <pyproject.toml; }

# fresh_venv DIR EXTRA: whether DIR was installed from this pyproject.toml, with that extra ('' for any).
fresh_venv() {
  [ -x "$1/bin/python" ] && grep -qxF "$(stamp_of)$2" "$1/bellek-stamp$2" 2>/dev/null
}

# make_venv DIR EXTRA WORDS…: makes DIR where it is missing and installs the words there; the stamp comes last.
make_venv() {
  dir=$1 extra=$2
  shift 2
  python=$(find_python) || return 1
  echo "installing into $dir; this is done once and may take a minute" >&2
  if command -v uv >/dev/null 2>&1; then
    [ -x "$dir/bin/python" ] || uv venv --quiet --python "$python" "$dir" || return 1
  else
    [ -x "$dir/bin/python" ] || "$python" -m venv "$dir" || return 1
  fi
  install_into "$dir" "$@" || return 1
  echo "$(stamp_of)$extra" >"$dir/bellek-stamp$extra"
}

# install_into DIR WORDS…: the words as pip takes them.
install_into() {
  dir=$1
  shift
  if command -v uv >/dev/null 2>&1; then
    uv pip install --quiet --python "$dir/bin/python" "$@"
  else
    "$dir/bin/python" -m pip install --quiet --disable-pip-version-check "$@"
  fi
}
