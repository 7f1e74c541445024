import { basename, dirname, join } from 'node:path';
import type { Clock } from '../lib/clock.ts';
import { ensurePrivateDirectory } from '../lib/files/files.ts';
import { listQuietly, readSmallText } from '../lib/files/small-files.ts';
import type { WatchDirectory } from '../lib/files/watch-directory.ts';
import { hashBytes } from '../lib/hash.ts';
import { claimLease } from '../lib/leases/claim-lease.ts';
import type { Machine } from '../lib/machine.ts';
import { failure, ok, type Result, usage } from '../lib/result.ts';
import { findTokens } from '../lib/secrets/find-tokens.ts';
import { Secrets } from '../lib/secrets/secrets.ts';
import { visibleLine } from '../lib/text/text.ts';
import { isWithin } from '../workspace/paths.ts';
import { resolveRealPath } from '../workspace/real-path.ts';
import { watchFiles } from './watch-files.ts';

/** Bounds of a team's memory: it is for notes that all members read. */
export const maxMemoryFileBytes = 64 * 1024;
export const maxMemoryFiles = 200;

const fileName = /^[A-Za-z0-9][\w.-]{0,99}$/;

export interface TeamMemoryOptions {
  /** The shared directory; files directly in it, none deeper. */
  directory: string;
  /** Where the team's leases are. */
  leases: string;
  machine: Machine;
  clock: Clock;
  /** The values that must not be written; tokens are also found by their format. */
  secrets?: Secrets | undefined;
  /** Files that had to be put away, in a sentence. */
  told?: ((problem: string) => void) | undefined;
  watch?: WatchDirectory | undefined;
}

/** The notes that the members of a team share, as files that any of its processes may change. */
export class TeamMemory {
  constructor(private readonly options: TeamMemoryOptions) {}

  get directory(): string {
    return this.options.directory;
  }

  /** The right to write a file until the returned function is called. It ends with the process. */
  hold(name: string): Result<() => void> {
    const { leases, machine } = this.options;
    const lease = `memory-${hashBytes(name).slice(0, 24)}`;
    const claimed = claimLease({ directory: leases, machine }, lease);
    if (!claimed.ok) return claimed;
    if (claimed.value.state === 'held')
      return failure(
        `${this.#locate(name)} is being written by another member.`,
        'Read it again, then try again.',
      );
    const { lease: held } = claimed.value;
    return ok(() => held.release());
  }

  /** Whether text may be written under this name. */
  check(name: string, text: string): Result<void> {
    if (!isNoteName(name))
      return usage(
        `"${visibleLine(name, 100)}" cannot be a file of the team's memory.`,
        'Use a plain name of letters, digits, ".", "-" and "_", without a directory.',
      );
    if (!this.#listNames().includes(name) && this.#listNames().length >= maxMemoryFiles)
      return failure(
        `The team's memory has ${maxMemoryFiles} files, which is the limit.`,
        'Merge or remove some.',
      );
    if (Buffer.byteLength(text) > maxMemoryFileBytes)
      return usage(
        `${name} would be larger than ${maxMemoryFileBytes} bytes.`,
        'Shorten it, or use a second file.',
      );
    const secret = this.#findSecret(text);
    if (secret === undefined) return ok(undefined);
    return usage(
      `${name} was not written: it contains a secret (${secret}).`,
      'Say where the secret is kept instead of what it is.',
    );
  }

  /**
   * Looks at what other programs have written: a file with a secret, or one that is too large, is put beside the directory and
   * told. Returns the name of each.
   */
  inspect(names: readonly string[] = this.#listNames()): string[] {
    return names.filter((name) => {
      const found = this.#stat(name);
      if (!found?.isFile()) return false;
      const text = this.#readText(name);
      const reason =
        text === undefined ? `it is larger than ${maxMemoryFileBytes} bytes` : this.#describeSecret(text);
      return reason !== undefined && this.#putAway(name, reason);
    });
  }

  /** Inspects what is there, and from now on what other programs write. Calls back when files were changed, by whatever process. */
  watch(listener?: (changed: readonly string[]) => void): () => void {
    const { clock, machine, watch } = this.options;
    ensurePrivateDirectory(this.directory, machine.disk);
    this.inspect();
    let known = this.#fingerprint();
    return watchFiles(
      this.directory,
      clock,
      () => {
        const now = this.#fingerprint();
        const changed = [...new Set([...now.keys(), ...known.keys()])].filter(
          (name) => now.get(name) !== known.get(name),
        );
        if (changed.length === 0) return;
        this.inspect(changed);
        known = this.#fingerprint();
        listener?.(changed);
      },
      { watch },
    );
  }

  /** Whether a path leads into the directory, by any of its names. */
  contains(path: string): boolean {
    return this.#names().some((directory) => isWithin(path, directory));
  }

  /** The name of a file directly in the directory; undefined for any other path. */
  nameFile(path: string): string | undefined {
    return this.#names().includes(dirname(path)) ? basename(path) : undefined;
  }

  #names(): string[] {
    return [this.directory, resolveRealPath(this.directory)];
  }

  #describeSecret(text: string): string | undefined {
    const secret = this.#findSecret(text);
    return secret === undefined ? undefined : `it contains a secret (${secret})`;
  }

  #findSecret(text: string): string | undefined {
    const [token] = findTokens(text);
    if (token) return token.name;
    return (this.options.secrets ?? new Secrets()).hide(text) === text
      ? undefined
      : 'a value of this session';
  }

  #putAway(name: string, reason: string): boolean {
    const { machine, told } = this.options;
    const away = join(dirname(this.directory), 'memory-quarantine');
    const target = join(away, `${name}.${machine.ids.token(6)}`);
    if (!ensurePrivateDirectory(away, machine.disk).ok) return false;
    try {
      machine.disk.rename(this.#locate(name), target);
    } catch {
      return false;
    }
    told?.(`${this.#locate(name)} was moved to ${target}: ${reason}.`);
    return true;
  }

  #fingerprint(): Map<string, string> {
    return new Map(
      this.#listNames().map((name) => {
        const found = this.#stat(name);
        return [name, `${found?.mtimeMs} ${found?.size} ${found?.ino}`];
      }),
    );
  }

  #listNames(): string[] {
    return listQuietly(this.directory, this.options.machine.disk).filter(isNoteName).sort();
  }

  #stat(name: string) {
    try {
      return this.options.machine.disk.stat(this.#locate(name));
    } catch {
      return undefined;
    }
  }

  #readText(name: string): string | undefined {
    return readSmallText(this.#locate(name), maxMemoryFileBytes, this.options.machine.disk);
  }

  #locate(name: string): string {
    return join(this.directory, name);
  }
}

/** Names with a dot in front are files that are being written. */
function isNoteName(name: string): boolean {
  return fileName.test(name);
}
