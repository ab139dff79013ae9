#!/bin/sh
# Installs the locked dependencies when they are missing or not those of package-lock.json; else does nothing, in a few
# milliseconds. All it says goes to standard error. Two at once: the second waits for the first. With `tests` it also brings what
# the tests need of the system, where it may; else it names the command, and the tests that need it are skipped.
set -eu
root=$(CDPATH='' cd "$(dirname "$0")/.." && pwd -P)
cd "$root"
installed=node_modules/.package-lock.json # npm writes it last: without it an install was cut short
stamp=node_modules/.installed-lock        # a copy of the lock that was installed, for when only the file times differ
lock=.setup-lock                          # holds the process id of the one that installs
export npm_config_update_notifier=false

say() { # say ENGLISH CHINESE
  case ${LC_ALL:-${LC_MESSAGES:-${LANG:-}}} in
    zh*) echo "hermes：$2" >&2 ;;
    *) echo "hermes: $1" >&2 ;;
  esac
}

is_fresh() {
  [ -f "$installed" ] || return 1
  [ package-lock.json -nt "$installed" ] || return 0
  cmp -s package-lock.json "$stamp"
}

is_alive() {
  kill -0 "$1" 2>/dev/null || [ -d "/proc/$1" ]
}

# Succeeds when the lock is ours. A lock left behind by a killed process is taken away first; the rename makes sure that of
# two that see it, one does so, and the second look that it was still the dead one's.
take_lock() {
  (set -C; echo $$ >"$lock") 2>/dev/null && return 0
  owner=$(cat "$lock" 2>/dev/null || true)
  if [ -n "$owner" ] && ! is_alive "$owner" && mv "$lock" "$lock.$$" 2>/dev/null; then
    [ "$(cat "$lock.$$")" = "$owner" ] || mv "$lock.$$" "$lock"
    rm -f "$lock.$$"
  fi
  return 1
}

# npm must not run under the Node that it is about to replace.
without_own_bin() {
  rest=$PATH:
  kept=
  while [ -n "$rest" ]; do
    entry=${rest%%:*}
    rest=${rest#*:}
    [ "$entry" = "$root/node_modules/.bin" ] || kept=$kept${kept:+:}$entry
  done
  printf '%s' "$kept"
}

# What is not here of: the sandbox of the shell tool, ripgrep for searches, a PostgreSQL server, a browser.
missing_parts() {
  for pair in bwrap:bubblewrap socat:socat rg:ripgrep chromium:chromium; do
    command -v "${pair%%:*}" >/dev/null 2>&1 || printf ' %s' "${pair##*:}"
  done
  ls /usr/lib/postgresql/*/bin/initdb >/dev/null 2>&1 || printf ' postgresql'
}

system_parts() {
  [ "${1:-}" = tests ] && [ "$(uname -s)" = Linux ] || return 0
  missing=$(missing_parts)
  [ -n "$missing" ] || return 0
  if [ "$(id -u)" -eq 0 ] && command -v apt-get >/dev/null 2>&1; then
    say "installing$missing, which the tests need (once; up to a minute) ..." "正在安装测试所需的$missing（只需一次，约一分钟）……"
    export DEBIAN_FRONTEND=noninteractive
    # shellcheck disable=SC2086 # a list of words
    install_parts() { apt-get install -y -qq --no-install-recommends $missing </dev/null >&2; }
    install_parts || { apt-get update -qq >&2 && install_parts; } || true
    missing=$(missing_parts)
    [ -n "$missing" ] || return 0
  fi
  say "the tests of sandbox, searches, databases and browser are skipped without$missing. Install them: sudo apt-get install -y$missing" \
    "缺少$missing，沙箱、搜索、数据库和浏览器的部分测试将被跳过。安装：sudo apt-get install -y$missing"
}

# The tests also talk to real MCP servers from PyPI, where there is a Python; without one, or without the network, those tests
# are skipped and say so.
python_servers='mcp-server-time==2026.10.19 mcp-server-git==2026.10.19'
python_folder=node_modules/.mcp-servers
python_parts() {
  [ "${1:-}" = tests ] && [ -w . ] || return 0
  [ "$(cat "$python_folder/installed" 2>/dev/null)" != "$python_servers" ] || return 0
  command -v python3 >/dev/null 2>&1 || return 0
  say 'installing two servers for the tests (once; about half a minute) ...' '正在为测试安装两个服务器（只需一次，约半分钟）……'
  rm -rf "$python_folder"
  # shellcheck disable=SC2086 # two words
  if python3 -m venv "$python_folder" >/dev/null 2>&1 &&
    "$python_folder/bin/pip" install -q --disable-pip-version-check --timeout 15 --retries 1 $python_servers >/dev/null 2>&1; then
    printf '%s' "$python_servers" >"$python_folder/installed"
  else
    rm -rf "$python_folder"
    say 'they could not be installed; their tests are skipped.' '未能安装，相关测试将跳过。'
  fi
}

if is_fresh; then
  system_parts "${1:-}"
  python_parts "${1:-}"
  exit 0
fi
PATH=$(without_own_bin)
if ! command -v npm >/dev/null 2>&1 || ! command -v node >/dev/null 2>&1; then
  say 'Node and npm are needed to install the dependencies and were not found. Install Node 24 (it brings npm) from https://nodejs.org, then start again.' \
    '安装依赖需要 Node 和 npm，但没有找到。请从 https://nodejs.org 安装 Node 24（自带 npm），然后重试。'
  exit 2
fi
if [ ! -w . ]; then
  say "The dependencies are missing or older than package-lock.json, and $root is not yours to write. Ask its owner to run: npm ci" \
    "依赖缺失或比 package-lock.json 旧，而你没有 $root 的写权限。请让它的所有者运行：npm ci"
  exit 2
fi

waited=0
until take_lock; do
  [ "$waited" -ne 2 ] || say 'waiting for another set-up to end ...' '正在等待另一个安装进程结束……'
  if [ "$waited" -ge 600 ]; then
    say "another set-up (process $(cat "$lock" 2>/dev/null)) has not ended in 10 minutes. If none is running, remove $root/$lock" \
      "另一个安装进程（$(cat "$lock" 2>/dev/null)）10 分钟内没有结束。如果它已不在运行，请删除 $root/$lock"
    exit 2
  fi
  sleep 1
  waited=$((waited + 1))
done
trap 'rm -f "$lock"' EXIT
trap 'exit 130' INT
trap 'exit 143' TERM HUP

if ! is_fresh; then
  say 'installing the dependencies (once; about half a minute) ...' '正在安装依赖（只需一次，约半分钟）……'
  if ! npm ci --include=dev --include=optional >&2; then
    say "the dependencies could not be installed (see above). Can the npm registry be reached? Then try: cd \"$root\" && npm ci" \
      "依赖安装失败（见上文）。能连上 npm 源吗？可重试：cd \"$root\" && npm ci"
    exit 2
  fi
  cp package-lock.json "$stamp"
  say 'the dependencies are installed.' '依赖安装完成。'
fi
system_parts "${1:-}"
python_parts "${1:-}"
