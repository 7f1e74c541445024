#!/usr/bin/env bash
# Lets foreign programs drive ours. They are large and have their own licences, so they are not dependencies: they
# are fetched here, on demand, into a cache that git ignores.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

sdk=@anthropic-ai/claude-agent-sdk
version=0.3.327
# The compiler reads its type definitions; the one that checks our own has no such interface.
compiler=5.9.3
place=node_modules/.cache/cadre-compat

installed() {
  node -p "require('./$place/node_modules/$1/package.json').version" 2>/dev/null || true
}

if [ "$(installed "$sdk")" != "$version" ] || [ "$(installed typescript)" != "$compiler" ]; then
  echo "test:compat: fetching $sdk $version from npm"
  mkdir -p "$place"
  echo '{ "private": true }' >"$place/package.json"
  # Without its optional packages: those are another program in place of ours.
  npm install --silent --no-audit --no-fund --omit=optional --prefix "$place" "$sdk@$version" "typescript@$compiler" </dev/null
fi

npm run --silent build
CADRE_AGENT_SDK="$PWD/$place/node_modules/$sdk/sdk.mjs" exec npx bun test --timeout 60000 ./test/compat/*.compat.ts
