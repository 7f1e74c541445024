import * as fs from 'node:fs';
import { hasLostBytes } from '../text/utf8.ts';
import { statEntry } from './entry-at.ts';
import { decodePath, encodePath } from './exact-paths.ts';

// `node:fs` calls that take and return exact paths: see `exact-paths.ts`.

/** An entry as listed in a directory. */
export type DirectoryEntry = { readonly name: string } & Readonly<
  Pick<
    fs.Dirent,
    | 'isDirectory'
    | 'isFile'
    | 'isSymbolicLink'
    | 'isFIFO'
    | 'isSocket'
    | 'isCharacterDevice'
    | 'isBlockDevice'
  >
>;

export function readdirSync(directory: string): string[] {
  const place = encodePath(directory);
  const names = fs.readdirSync(place);
  return names.some(hasLostBytes) ? fs.readdirSync(place, { encoding: 'buffer' }).map(decodePath) : names;
}

const withTypes = { withFileTypes: true } as const;

/** With the type of each. Listed a second time, as bytes, only where bytes were lost: that costs more. */
export function listEntries(directory: string): DirectoryEntry[] {
  const place = encodePath(directory);
  const entries = fs.readdirSync(place, withTypes);
  if (!entries.some(({ name }) => hasLostBytes(name))) return entries;
  const odd = fs
    .readdirSync(place, { encoding: 'buffer' })
    .filter((bytes) => hasLostBytes(bytes.toString('utf8')))
    .flatMap((bytes) => {
      const name = decodePath(bytes);
      const stat = statEntry(`${directory}/${name}`);
      return stat ? [Object.assign(stat, { name })] : [];
    });
  return [...entries.filter(({ name }) => !hasLostBytes(name)), ...odd];
}

/** Whether this user may list a directory and reach what is in it. */
export function isAccessible(directory: string): boolean {
  try {
    fs.accessSync(encodePath(directory), fs.constants.R_OK | fs.constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

export function readlinkSync(path: string): string {
  const place = encodePath(path);
  const target = fs.readlinkSync(place);
  return hasLostBytes(target) ? decodePath(fs.readlinkSync(place, { encoding: 'buffer' })) : target;
}

export function realpathSync(path: string): string {
  const place = encodePath(path);
  const real = fs.realpathSync.native(place);
  return hasLostBytes(real) ? decodePath(fs.realpathSync.native(place, { encoding: 'buffer' })) : real;
}

export function lstatSync(path: string): fs.Stats {
  return fs.lstatSync(encodePath(path));
}

export function statSync(path: string): fs.Stats {
  return fs.statSync(encodePath(path));
}

export function statfsSync(path: string): fs.StatsFs {
  return fs.statfsSync(encodePath(path));
}

export function accessSync(path: string, mode: number): void {
  fs.accessSync(encodePath(path), mode);
}

export function openSync(path: string, flags: string | number, mode?: number): number {
  return fs.openSync(encodePath(path), flags, mode);
}

export function chmodSync(path: string, mode: number): void {
  fs.chmodSync(encodePath(path), mode);
}

export function mkdirSync(path: string, options: { mode?: number; recursive?: boolean } = {}): void {
  fs.mkdirSync(encodePath(path), options);
}

export function rmdirSync(path: string): void {
  fs.rmdirSync(encodePath(path));
}

export function rmSync(path: string, options: fs.RmOptions = {}): void {
  fs.rmSync(encodePath(path), options);
}

export function unlinkSync(path: string): void {
  fs.unlinkSync(encodePath(path));
}

export function renameSync(from: string, to: string): void {
  fs.renameSync(encodePath(from), encodePath(to));
}

export function copyFileSync(from: string, to: string, mode = 0): void {
  fs.copyFileSync(encodePath(from), encodePath(to), mode);
}

export function symlinkSync(target: string, path: string): void {
  fs.symlinkSync(encodePath(target), encodePath(path));
}

export function writeFileSync(
  path: string,
  data: string | Uint8Array,
  options: { mode?: number; flag?: string } = {},
): void {
  fs.writeFileSync(encodePath(path), data, options);
}
