/**
 * Programs whose version may be asked for with `--version`. Not those that let the directory they are started in choose
 * what runs: Rust's (a toolchain by path), Go's (fetches the one that a module asks for), Yarn and pnpm (plug-ins, a
 * version by package.json), Java (leaves a file for other programs to look at), pytest (plug-ins by its settings), Terraform (asks a server).
 */
export const versionTools: ReadonlySet<string> = new Set(
  (
    'node npm npx bun deno tsc python python3 pip pip3 ruby gem perl php gcc g++ clang clang++ cmake make ninja ' +
    'docker podman kubectl gh curl wget vim nvim bash zsh sqlite3 psql mysql redis-cli uv ruff black mypy git rg fd jq yq ' +
    'awk sed grep find tar openssl lua ghc'
  ).split(' '),
);

/** Other ways to ask, and who takes them for nothing else: to node, `version` would be a file to run. */
export const shortVersions: Readonly<Record<string, readonly string[]>> = {
  '-v': ['node', 'npm', 'npx', 'bun', 'tsc'],
  '-V': ['deno', 'pip', 'pip3', 'jq', 'yq', 'fd', 'python', 'python3'],
  version: ['git', 'openssl'],
};
