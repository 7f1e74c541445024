import { closeSync, fsync, openSync } from 'node:fs';
import { promisify } from 'node:util';

const syncFile = promisify(fsync);

/** Twice as many, with their directories, are well below the limit of open files. */
const maxFiles = 100;

/**
 * Syncs many files that are written one after the other to disk together: the system combines concurrent requests, and a
 * directory is synced once for all of its files.
 */
export class SyncBatch {
  readonly #files: { path: string; descriptor: number }[] = [];
  readonly #directories = new Map<string, number>();

  get isFull(): boolean {
    return this.#files.length >= maxFiles || this.#directories.size >= maxFiles;
  }

  /** Takes over the descriptor. */
  addFile(path: string, descriptor: number): void {
    this.#files.push({ path, descriptor });
  }

  /** `way` leads to the directory. Not every file system can sync one; that is not an error. */
  addDirectory(path: string, way: string): void {
    if (this.#directories.has(path)) return;
    try {
      this.#directories.set(path, openSync(way, 'r'));
    } catch {}
  }

  /** Syncs all of them; returns the files for which the disk failed. */
  async flush(): Promise<{ path: string; error: unknown }[]> {
    const files = this.#files.splice(0);
    const directories = [...this.#directories.values()];
    this.#directories.clear();
    const failed: { path: string; error: unknown }[] = [];
    const sync = async (descriptor: number, fail: (error: unknown) => void) => {
      await syncFile(descriptor).catch(fail);
      closeSync(descriptor);
    };
    await Promise.all(
      files.map(({ path, descriptor }) => sync(descriptor, (error) => failed.push({ path, error }))),
    );
    await Promise.all(directories.map((descriptor) => sync(descriptor, () => {})));
    return failed;
  }
}
