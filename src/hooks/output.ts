import { isRecord } from '../lib/fields/field-values.ts';
import { parseJson } from '../lib/fields/parse-json.ts';

/** The part of each stream that is kept; a sensible hook never says more. */
const maxKept = 1024 * 1024;
/** A hook that writes more than this will not stop, so it is ended. */
const maxWritten = 16 * 1024 * 1024;

/** Collects the output of a command, up to a reasonable size. */
export class HookOutput {
  readonly #kept = { stdout: [] as Uint8Array[], stderr: [] as Uint8Array[] };
  readonly #sizes = { stdout: 0, stderr: 0 };
  #looksAtFirstLine = true;
  isFlooded = false;

  constructor(private readonly listeners: { flooded(): void; detached(): void }) {}

  get size(): number {
    return this.#sizes.stdout + this.#sizes.stderr;
  }

  add(chunk: Uint8Array, stream: 'stdout' | 'stderr'): void {
    const room = maxKept - this.#sizes[stream];
    // A copy: the runtime may use its buffer again.
    if (room > 0) this.#kept[stream].push(chunk.slice(0, room));
    this.#sizes[stream] += chunk.length;
    if (this.size > maxWritten && !this.isFlooded) {
      this.isFlooded = true;
      this.listeners.flooded();
    }
    if (stream === 'stdout' && this.#looksAtFirstLine) this.#lookAtFirstLine();
  }

  text(): { stdout: string; stderr: string } {
    return { stdout: decode(this.#kept.stdout), stderr: decode(this.#kept.stderr) };
  }

  #lookAtFirstLine(): void {
    const text = decode(this.#kept.stdout);
    const end = text.indexOf('\n');
    if (end < 0 && text.length < 10_000) return;
    this.#looksAtFirstLine = false;
    if (end > 0 && saysAsync(text.slice(0, end))) this.listeners.detached();
  }
}

function saysAsync(line: string): boolean {
  const said = parseJson(line);
  return isRecord(said) && said.async === true;
}

function decode(chunks: readonly Uint8Array[]): string {
  return Buffer.concat(chunks).toString('utf8');
}
