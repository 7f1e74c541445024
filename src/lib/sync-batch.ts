import { closeSync, openSync } from 'node:fs';
import { type DiskFile, syncDescriptor } from './files/disk.ts';

/** Twice as many, with their directories, are well below the limit of open files. */
const maxFiles = 100;

/**
 * Syncs many files that are written one after the other to disk together: the system combines concurrent requests, and a
 * directory is synced once for all of its files.
 */
export class SyncBatch {
  readonly #files: { path: string; file: DiskFile }[] = [];
  readonly #directories = new Map<string, number>();

  get isFull(): boolean {
    return this.#files.length >= maxFiles || this.#directories.size >= maxFiles;
  }

  /** Closes the file when it is synced. */
  addFile(path: string, file: DiskFile): void {
    this.#files.push({ path, file });
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
    const syncOne = async ({ path, file }: { path: string; file: DiskFile }) => {
      await file.syncSoon().catch((error) => failed.push({ path, error }));
      file.close();
    };
    await Promise.all(files.map(syncOne));
    await Promise.all(directories.map(syncAndClose));
    return failed;
  }
}

async function syncAndClose(directory: number): Promise<void> {
  await syncDescriptor(directory).catch(() => {});
  closeSync(directory);
}
