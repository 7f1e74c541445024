/**
 * Programs that may be asked for their version with `--version`. Not those that let the current directory choose what runs:
 * Rust's (a toolchain by path), Go's (downloads the one that a module asks for), Yarn and pnpm (plug-ins, a version by
 * package.json), Java (leaves a file that other programs can read), pytest (plug-ins by its settings), Terraform and kubectl
 * (ask a server).
 */
export const versionTools: ReadonlySet<string> = new Set(
  (
    'node npm npx bun deno tsc python python3 pip pip3 ruby gem perl php gcc g++ clang clang++ cmake make ninja ' +
    'docker podman gh curl wget vim nvim bash zsh sqlite3 psql mysql redis-cli uv ruff black mypy git rg fd jq yq ' +
    'awk sed grep find tar openssl lua ghc ld as systemctl'
  ).split(' '),
);

/** Files of the working directory that a program reads whatever it is asked: curl by its library for LDAP. */
export const alwaysRead: Readonly<Record<string, readonly string[]>> = { curl: ['ldaprc'] };

/** Tools of the system that only print their own help, or version, when that is all they are asked for. */
export const helpTools: ReadonlySet<string> = new Set(
  (
    'git ls cat tac head tail wc nl grep egrep fgrep rg fd fdfind find tree stat du df basename dirname realpath readlink sort uniq ' +
    'cut tr paste join comm diff diff3 sdiff cmp column fold expand unexpand fmt pr numfmt factor od hexdump strings md5sum sha1sum ' +
    'sha256sum sha512sum b2sum cksum base64 base32 jq sed tar gzip xz shuf split csplit tee touch mkdir rmdir cp mv rm ln chmod chown ' +
    'install truncate dd date seq sleep timeout nice nohup env printenv xargs uname id whoami nproc ps pgrep free uptime less patch ' +
    'readelf nm objdump size node python python3'
  ).split(' '),
);

/** Other ways to ask, and the programs that accept them for nothing else: to node, `version` would be a file to run. */
export const shortVersions: Readonly<Record<string, readonly string[]>> = {
  '-v': [
    ...['node', 'npm', 'npx', 'bun', 'tsc', 'git', 'docker', 'podman'],
    ...['ruby', 'perl', 'php', 'make', 'gcc', 'g++'],
  ],
  '-V': ['deno', 'pip', 'pip3', 'jq', 'yq', 'fd', 'python', 'python3', 'ssh', 'tmux'],
  '-dumpversion': ['gcc', 'g++'],
  '-dumpmachine': ['gcc', 'g++'],
  version: ['git', 'openssl'],
  help: ['git'],
};
