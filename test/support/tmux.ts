import { afterAll } from 'bun:test';
import { spawnSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

export interface Pane {
  /** What is on the screen and above it, as text. */
  screen(): string;
  /** What is on the screen alone. */
  visible(): string;
  /** The same with its colours, as escapes. */
  coloured(): string;
  resize(columns: number, rows: number): void;
  title(): string;
  /** The column that the cursor stands in, from 0. */
  column(): number;
  /** What programs in it have put there. */
  clipboard(): string;
  /** The processes that its shell has started. */
  children(): number[];
  /** Resolves when the screen shows it; a test that never gets there fails with the screen as it is. */
  shows(text: string | RegExp): Promise<string>;
  /** Keys as tmux names them: `y`, `Enter`, `C-c`. */
  press(...keys: string[]): void;
  type(text: string): void;
  /** Bytes as a terminal would send them, one for each character, in one piece. */
  bytes(text: string): void;
  /** As a terminal pastes it, marked where the program wants that. */
  paste(text: string): void;
  close(): void;
}

export interface PaneOptions {
  command: string[];
  cwd: string;
  env: Record<string, string>;
  columns?: number;
  rows?: number;
}

/** A real terminal with a program in it, on a tmux server of its own. What the program exits with is shown at its end. */
export function openPane({ command, cwd, env, columns = 90, rows = 40 }: PaneOptions): Pane {
  // The path of a socket must be short.
  const socket = join('/tmp', `cadre-tmux-${randomUUID().slice(0, 8)}`);
  const tmux = (...args: string[]) => {
    const { status, stdout, stderr } = spawnSync('tmux', ['-S', socket, '-f', '/dev/null', ...args], {
      encoding: 'utf8',
      env: { PATH: process.env.PATH ?? '', TERM: 'xterm-256color', LANG: 'C.UTF-8' },
    });
    if (status !== 0) throw new Error(`tmux ${args[0]}: ${stderr}`);
    return stdout;
  };
  const variables = Object.entries(env).map(([name, value]) => `${name}=${value}`);
  const line = ['env', '-i', 'TERM=xterm-256color', ...variables, ...command].map(quote).join(' ');
  const shell = `${line}; echo "exit code $?"; sleep 600`;
  tmux('new-session', '-d', '-x', String(columns), '-y', String(rows), '-c', cwd, shell);
  const screen = () => tmux('capture-pane', '-p', '-S', '-200').trimEnd();
  const close = () => {
    spawnSync('tmux', ['-S', socket, 'kill-server']);
    rmSync(socket, { force: true });
  };
  afterAll(close);
  return {
    screen,
    visible: () => tmux('capture-pane', '-p').trimEnd(),
    coloured: () => tmux('capture-pane', '-p', '-e').trimEnd(),
    resize: (width, height) => void tmux('resize-window', '-x', String(width), '-y', String(height)),
    async shows(text) {
      for (const end = Date.now() + patienceMs; ; ) {
        const now = screen();
        if (typeof text === 'string' ? now.includes(text) : text.test(now)) return now;
        if (Date.now() > end) throw new Error(`Not shown: ${text}\n${now}`);
        await new Promise((resolve) => setTimeout(resolve, betweenLooksMs));
      }
    },
    column: () => Number(tmux('display-message', '-p', '#{cursor_x}')),
    title: () => tmux('display-message', '-p', '#{pane_title}').trim(),
    clipboard: () => tmux('list-buffers').trim(),
    children: () =>
      spawnSync('pgrep', ['-P', tmux('display-message', '-p', '#{pane_pid}').trim()], { encoding: 'utf8' })
        .stdout.split('\n')
        .filter(Boolean)
        .map(Number),
    press: (...keys) => void tmux('send-keys', ...keys),
    type: (text) => void tmux('send-keys', '-l', text),
    paste: (text) => {
      const file = `${socket}-paste`;
      writeFileSync(file, text);
      tmux('load-buffer', file);
      tmux('paste-buffer', '-p', '-r', '-d');
      rmSync(file);
    },
    bytes: (text) =>
      void tmux('send-keys', '-H', ...Array.from(text, (one) => one.charCodeAt(0).toString(16))),
    close,
  };
}

/** Each look starts a process: more of them take time from the program that is waited for. */
export const betweenLooksMs = 40;

/** Short of the test's own limit, so that a failure can show the screen. */
const patienceMs = 50_000;

function quote(word: string): string {
  return `'${word.replaceAll("'", "'\\''")}'`;
}
