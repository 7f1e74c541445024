#!/usr/bin/env bash
# Installs the system programs that the tests use. Does nothing when all of them are there.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

# program:package (Debian and Ubuntu)
needed=(git:git bash:bash dash:dash ps:procps setpriv:util-linux unshare:util-linux mount:mount ip:iproute2 strace:strace groff:groff-base tmux:tmux bwrap:bubblewrap socat:socat zsh:zsh fish:fish git-lfs:git-lfs git-crypt:git-crypt openssl:openssl redis-server:redis-server initdb:postgresql)

# Debian keeps PostgreSQL's server programs out of the search path.
for place in /usr/lib/postgresql/*/bin; do PATH="$PATH:$place"; done

programs=()
packages=()
for entry in "${needed[@]}"; do
  if ! command -v "${entry%%:*}" >/dev/null 2>&1; then
    programs+=("${entry%%:*}")
    packages+=("${entry##*:}")
  fi
done

# The library is tested on the oldest Node that it promises to run on, or a later one.
node_place=node_modules/.cache/cadre-node
if [ "$(node -p 'parseInt(process.versions.node)')" -lt 22 ] && [ ! -x "$node_place/node_modules/node/bin/node" ]; then
  echo 'setup:test: fetching Node 24 from npm for the tests of the library'
  mkdir -p "$node_place"
  echo '{ "private": true }' >"$node_place/package.json"
  npm install --silent --no-audit --no-fund --prefix "$node_place" node@24.21.0 </dev/null
fi

# Real MCP servers for the tests, and the protocol's own conformance scenarios. Not dependencies: nothing of ours needs them.
mcp_place=node_modules/.cache/cadre-mcp
mcp_version=2026.8.31
if [ ! -x "$mcp_place/node_modules/.bin/conformance" ]; then
  echo 'setup:test: fetching MCP servers from npm for the tests'
  mkdir -p "$mcp_place"
  echo '{ "private": true }' >"$mcp_place/package.json"
  npm install --silent --no-audit --no-fund --prefix "$mcp_place" \
    "@modelcontextprotocol/server-everything@$mcp_version" "@modelcontextprotocol/server-filesystem@$mcp_version" \
    "@modelcontextprotocol/server-memory@$mcp_version" @modelcontextprotocol/conformance@0.1.16 </dev/null
fi

if [ "${#programs[@]}" -eq 0 ]; then
  echo 'setup:test: every program that the tests need is there'
  exit 0
fi

if [ "$(uname -s)" != Linux ]; then
  # Tests of Linux's own means are skipped elsewhere; these two are wanted everywhere.
  echo "setup:test: missing: ${programs[*]}. On macOS: brew install git tmux"
  exit 0
fi

as_root=()
if [ "$(id -u)" -ne 0 ]; then as_root=(sudo -n); fi
if ! command -v apt-get >/dev/null 2>&1 || { [ "${#as_root[@]}" -gt 0 ] && ! sudo -n true 2>/dev/null; }; then
  echo "setup:test: please install by hand (needs root): ${packages[*]}" >&2
  exit 1
fi

echo "setup:test: installing ${packages[*]}"
export DEBIAN_FRONTEND=noninteractive
# A stale list may still do, so a failing update is not the end.
"${as_root[@]}" apt-get update -qq || echo 'setup:test: the package lists could not be renewed' >&2
"${as_root[@]}" apt-get install -y -qq --no-install-recommends "${packages[@]}" </dev/null
