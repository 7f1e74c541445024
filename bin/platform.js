/** Which package holds the program for which machine. Plain JavaScript: the launcher has no build step. */
import { existsSync } from 'node:fs';

/** One row per prepared package; `bun` is the compile target. */
export const platforms = [
  { name: 'cadre-linux-x64', os: 'linux', cpu: 'x64', libc: 'glibc', bun: 'bun-linux-x64' },
  { name: 'cadre-linux-arm64', os: 'linux', cpu: 'arm64', libc: 'glibc', bun: 'bun-linux-arm64' },
  { name: 'cadre-linux-x64-musl', os: 'linux', cpu: 'x64', libc: 'musl', bun: 'bun-linux-x64-musl' },
  { name: 'cadre-linux-arm64-musl', os: 'linux', cpu: 'arm64', libc: 'musl', bun: 'bun-linux-arm64-musl' },
  { name: 'cadre-darwin-x64', os: 'darwin', cpu: 'x64', libc: undefined, bun: 'bun-darwin-x64' },
  { name: 'cadre-darwin-arm64', os: 'darwin', cpu: 'arm64', libc: undefined, bun: 'bun-darwin-arm64' },
];

/** The row for a machine, or undefined where there is no program for it. */
export function platformFor(os, cpu, musl) {
  const libc = os === 'linux' ? (musl ? 'musl' : 'glibc') : undefined;
  return platforms.find((row) => row.os === os && row.cpu === cpu && row.libc === libc);
}

/** Asks for the C library's own loader: `process.report` would tell too, but takes longer than our start. */
export function usesMusl(exists = existsSync) {
  if (exists('/etc/alpine-release')) return true;
  const musl = ['/lib/ld-musl-x86_64.so.1', '/lib/ld-musl-aarch64.so.1'].some((path) => exists(path));
  const glibc = ['/lib64/ld-linux-x86-64.so.2', '/lib/ld-linux-aarch64.so.1'].some((path) => exists(path));
  return musl && !glibc;
}
