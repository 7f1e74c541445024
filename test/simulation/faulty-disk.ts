import type { Disk, DiskFile, OpenHow } from '../../src/lib/files/disk.ts';

/** What happens to one operation of one process. */
export type DiskFate =
  | 'done'
  /** The process is stopped right before it, for so long that another takes its work over. Then it is done. */
  | 'late'
  /** The process ends before it. */
  | 'crash before'
  /** A write is cut off in the middle, and the process ends. Anything else is done first. */
  | 'crash within'
  | 'crash after'
  /** The disk is full: part of the bytes is written. */
  | 'ENOSPC'
  | 'EIO';

export interface DiskWatch {
  /** Asked before every operation; the process may have been stopped and others may have run when it answers. */
  decide(operation: string, path: string, isWrite: boolean): DiskFate;
  crash(): void;
  /** How many of so many bytes a cut write leaves. */
  cut(length: number): number;
  wrote(path: string, bytes: Uint8Array): void;
}

/** One process's way to a disk that it shares with others. Once the process is dead nothing reaches the disk. */
export function faultyDisk(shared: Disk, watch: DiskWatch): Disk {
  const run = <T>(operation: string, path: string, work: () => T, isWrite = false): T => {
    const fate = watch.decide(operation, path, isWrite);
    if (fate === 'crash before') return die(watch);
    if (fate === 'EIO' || fate === 'ENOSPC') throw new DiskFault(fate, path);
    const result = work();
    return fate === 'done' || fate === 'late' ? result : die(watch);
  };
  return {
    open(path, how) {
      const file = run('open', path, () => shared.open(path, how), how.create !== undefined);
      return new FaultyFile(file, path, how, watch, run);
    },
    stat: (path) => run('stat', path, () => shared.stat(path)),
    list: (path) => run('list', path, () => shared.list(path)),
    link: (path, second) => run('link', second, () => shared.link(path, second), true),
    rename: (path, target) => run('rename', target, () => shared.rename(path, target), true),
    unlink: (path) => run('unlink', path, () => shared.unlink(path)),
    makeDirectory: (path) => run('makeDirectory', path, () => shared.makeDirectory(path), true),
    chmod: (path, mode) => run('chmod', path, () => shared.chmod(path, mode)),
    syncDirectory: (path) => run('syncDirectory', path, () => shared.syncDirectory(path)),
  };
}

export class DiskFault extends Error {
  constructor(
    readonly code: string,
    path: string,
  ) {
    super(`${code}: ${path}`);
  }
}

function die(watch: DiskWatch): never {
  watch.crash();
  throw new DiskFault('EIO', 'the process is dead');
}

type Run = <T>(operation: string, path: string, work: () => T, isWrite?: boolean) => T;

class FaultyFile implements DiskFile {
  constructor(
    private readonly file: DiskFile,
    private readonly path: string,
    readonly how: OpenHow,
    private readonly watch: DiskWatch,
    private readonly run: Run,
  ) {}

  write(bytes: Uint8Array, start: number): number {
    const { watch, path } = this;
    const fate = watch.decide('write', path, true);
    if (fate === 'crash before') return die(watch);
    if (fate === 'EIO') throw new DiskFault(fate, path);
    const length = bytes.length - start;
    if (fate === 'ENOSPC' || fate === 'crash within') {
      const part = bytes.subarray(0, start + watch.cut(length));
      if (part.length > start) this.#put(part, start);
      if (fate === 'ENOSPC') throw new DiskFault(fate, path);
      return die(watch);
    }
    const done = this.#put(bytes, start);
    return fate === 'done' || fate === 'late' ? done : die(watch);
  }

  #put(bytes: Uint8Array, start: number): number {
    const done = this.file.write(bytes, start);
    this.watch.wrote(this.path, bytes.subarray(start));
    return done;
  }

  read(buffer: Uint8Array, position: number): number {
    return this.run('read', this.path, () => this.file.read(buffer, position));
  }

  async readSoon(buffer: Uint8Array, position: number): Promise<number> {
    return this.read(buffer, position);
  }

  stat() {
    return this.run('fstat', this.path, () => this.file.stat());
  }

  truncate(size: number): void {
    // Needs no room, so a full disk does not keep it from being done.
    this.run('truncate', this.path, () => this.file.truncate(size));
  }

  chmod(mode: number): void {
    this.run('fchmod', this.path, () => this.file.chmod(mode));
  }

  chown(uid: number, gid: number): void {
    this.run('fchown', this.path, () => this.file.chown(uid, gid));
  }

  sync(): void {
    this.run('sync', this.path, () => this.file.sync());
  }

  async syncSoon(): Promise<void> {
    this.sync();
  }

  close(): void {
    this.file.close();
  }
}
