import { StringDecoder } from 'node:string_decoder';
import type { Clock } from '../lib/clock.ts';
import { isTerminal } from '../lib/is-terminal.ts';
import { isForeground } from '../lib/processes/job-control.ts';
import { visible } from '../lib/text/text.ts';
import type { LineTerminal, Typed, TypedKeys } from './io.ts';

/** True when a person can see stderr and type at stdin, and we are in the foreground there. */
export function isAtTerminal(): boolean {
  return isTerminal(0) && isTerminal(2) && isForeground();
}

/**
 * After this long without typing, the person is assumed to be looking; but a question does not wait forever to be
 * shown.
 */
const quietMs = 250;
const maxDrainMs = 2_000;

/** The process's own terminal. Raw while a line is read, so that half a line can be discarded too. */
export function processTerminal(clock: Clock): LineTerminal {
  const show = (text: string) => void process.stderr.write(text);
  return {
    columns: () => process.stderr.columns || 80,
    rows: () => process.stderr.rows || 24,
    show,
    openKeys,
    async readLine(prompt, { fresh, signal, hidden = false }) {
      const keys = openKeys(signal);
      try {
        if (fresh && (await drain(keys, clock)) === 'interrupt') return { kind: 'interrupt' };
        if (signal.aborted) return { kind: 'gone' };
        show(prompt);
        return await edit(keys, show, hidden ? (text) => show(hide(text)) : show);
      } finally {
        keys.close();
      }
    },
  };
}

interface Keys extends TypedKeys {
  /** Calls back at every chunk instead. */
  watch(listener: ((chunk: string) => void) | undefined): void;
}

/** A dot for each character; what takes one back stays. */
function hide(text: string): string {
  return text.startsWith('\b') ? text : '•'.repeat([...text].length);
}

function openKeys(signal: AbortSignal): Keys {
  const decoder = new StringDecoder('utf8');
  const chunks: string[] = [];
  let watcher: ((chunk: string) => void) | undefined;
  let wake: (() => void) | undefined;
  let isOver = signal.aborted;
  const onData = (data: Uint8Array) => {
    const text = decoder.write(Buffer.from(data));
    if (watcher) return watcher(text);
    chunks.push(text);
    wake?.();
  };
  const onEnd = () => {
    isOver = true;
    wake?.();
  };
  process.stdin.setRawMode(true);
  process.stdin.on('data', onData);
  process.stdin.once('end', onEnd);
  signal.addEventListener('abort', onEnd, { once: true });
  process.stdin.resume();
  return {
    async next() {
      while (chunks.length === 0 && !isOver)
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      return isOver ? undefined : chunks.shift();
    },
    watch(listener) {
      watcher = listener;
    },
    close() {
      signal.removeEventListener('abort', onEnd);
      process.stdin.off('data', onData);
      process.stdin.off('end', onEnd);
      process.stdin.setRawMode(false);
      process.stdin.pause();
    },
  };
}

/** Discards input until nothing was typed for a moment. An interrupt is still handled. */
function drain(keys: Keys, clock: Clock): Promise<'quiet' | 'interrupt'> {
  return new Promise((resolve) => {
    const end = (how: 'quiet' | 'interrupt') => {
      cancelQuiet();
      cancelAll();
      keys.watch(undefined);
      resolve(how);
    };
    let cancelQuiet = clock.after(quietMs, () => end('quiet'));
    const cancelAll = clock.after(maxDrainMs, () => end('quiet'));
    keys.watch((chunk) => {
      if (chunk.includes('\u0003')) return end('interrupt');
      cancelQuiet();
      cancelQuiet = clock.after(quietMs, () => end('quiet'));
    });
  });
}

async function edit(keys: Keys, show: (text: string) => void, echo: (text: string) => void): Promise<Typed> {
  let line = '';
  for (;;) {
    const chunk = await keys.next();
    if (chunk === undefined) return { kind: 'gone' };
    // A named key (an arrow, a paste mark) is not text.
    if (chunk.startsWith('\u001b')) continue;
    for (const character of chunk) {
      if (character === '\u0003') return { kind: 'interrupt' };
      if (character === '\u0004' && line === '') return { kind: 'end' };
      if (character === '\r' || character === '\n') {
        show('\n');
        return { kind: 'line', text: line };
      }
      line = applyKey(line, character, echo);
    }
  }
}

const maxLineLength = 2_000;

function applyKey(line: string, character: string, show: (text: string) => void): string {
  if (character === '\u007f' || character === '\b') {
    if (line !== '') show('\b \b');
    return [...line].slice(0, -1).join('');
  }
  if (character === '\u0015') {
    show('\b \b'.repeat([...line].length));
    return '';
  }
  if (visible(character) !== character || character < ' ' || line.length >= maxLineLength) return line;
  show(character);
  return line + character;
}
