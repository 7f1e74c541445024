/** A program on a separate terminal; every byte is recorded with its time. Needs Bun. */
import { preciseNow } from './steps.ts';

export interface Pty {
  readonly pid: number;
  readonly startedAt: number;
  /** Everything that was written since the start, or since `forget`. */
  output(): string;
  forget(): void;
  /** When the output first fits; undefined when it does not in time. */
  shows(pattern: RegExp, ms?: number): Promise<number | undefined>;
  /** Hears what is written as it comes, until the returned function is called. */
  watch(heard: (text: string, at: number) => void): () => void;
  type(text: string): void;
  resize(columns: number, rows: number): void;
  /** Resolves when the program is gone. */
  kill(): Promise<void>;
}

export interface PtyOptions {
  command: readonly string[];
  cwd: string;
  environment: Record<string, string>;
  columns?: number;
  rows?: number;
  /** Whether it says at once what it is when it is asked, as a terminal on this machine would; a bare one is silent. */
  answers?: boolean;
}

export function openPty(options: PtyOptions): Pty {
  const { command, cwd, environment, columns = 100, rows = 30, answers = true } = options;
  const decoder = new TextDecoder();
  const watching = new Set<(text: string, at: number) => void>();
  let output = '';
  let wake = () => {};
  const startedAt = preciseNow();
  const child = Bun.spawn([...command], {
    cwd,
    env: environment,
    terminal: {
      cols: columns,
      rows,
      data(terminal: { write(text: string): void }, bytes: Uint8Array) {
        const at = preciseNow();
        const text = decoder.decode(bytes, { stream: true });
        if (answers) for (const answer of answersTo(text)) terminal.write(answer);
        output += text;
        for (const heard of watching) heard(text, at);
        wake();
      },
    },
  });
  const terminal = child.terminal;
  if (!terminal) throw new Error('this Bun has no terminals');
  return {
    pid: child.pid,
    startedAt,
    output: () => output,
    forget: () => {
      output = '';
    },
    async shows(pattern, ms = 20_000) {
      const end = preciseNow() + ms;
      for (;;) {
        if (pattern.test(output)) return preciseNow();
        const left = end - preciseNow();
        if (left <= 0) return undefined;
        await new Promise<void>((resolve) => {
          const timer = setTimeout(resolve, Math.min(left, 1_000));
          wake = () => {
            clearTimeout(timer);
            resolve();
          };
        });
      }
    },
    watch(heard) {
      watching.add(heard);
      return () => void watching.delete(heard);
    },
    type: (text) => void terminal.write(text),
    resize: (wide, high) => terminal.resize(wide, high),
    async kill() {
      child.kill('SIGKILL');
      await child.exited;
      terminal.close();
    },
  };
}

/** A terminal's reply about itself; some programs wait for it. */
function answersTo(text: string): string[] {
  return [
    ...(text.includes('\u001b[6n') ? ['\u001b[1;1R'] : []),
    ...(text.includes('\u001b[c') ? ['\u001b[?62;22c'] : []),
    ...(text.includes('\u001b]10;?') ? ['\u001b]10;rgb:ffff/ffff/ffff\u001b\\'] : []),
    ...(text.includes('\u001b]11;?') ? ['\u001b]11;rgb:0000/0000/0000\u001b\\'] : []),
  ];
}
