#!/bin/sh
# Prints the Node that runs this checkout: HERMES_NODE, else the one that the dependencies bring, else the system's when it is
# 24 or newer. Exit status 2 and one line when there is none.
set -eu
root=$(CDPATH='' cd "$(dirname "$0")/.." && pwd -P)

is_new_enough() {
  version=$("$1" --version 2>/dev/null) || return 1
  major=${version#v}
  [ "${major%%.*}" -ge 24 ] 2>/dev/null
}

system=$(command -v node || true)
if [ -n "${HERMES_NODE:-}" ]; then
  if is_new_enough "$HERMES_NODE"; then
    printf '%s\n' "$HERMES_NODE"
    exit 0
  fi
  problem="HERMES_NODE=$HERMES_NODE is not a Node 24 or newer."
elif is_new_enough "$root/node_modules/.bin/node"; then
  printf '%s\n' "$root/node_modules/.bin/node"
  exit 0
elif [ -n "$system" ] && is_new_enough "$system"; then
  printf '%s\n' "$system"
  exit 0
else
  problem='no Node 24 or newer was found.'
fi
case ${LC_ALL:-${LC_MESSAGES:-${LANG:-}}} in
  zh*) echo "hermes：找不到 Node 24 或更新的版本（$problem）请从 https://nodejs.org 安装，或用 HERMES_NODE 指定它的路径。" >&2 ;;
  *) echo "hermes: $problem Install Node 24 from https://nodejs.org, or set HERMES_NODE to its path." >&2 ;;
esac
exit 2
