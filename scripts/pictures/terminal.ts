import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Background } from './cells.ts';
import type { Screen } from './draw.ts';

export interface Stage {
  /** Keys by their names in tmux; anything else is typed. */
  press(...keys: string[]): void;
  type(text: string): void;
  /** As a terminal pastes, between its marks. */
  paste(text: string): void;
  /** The screen with its colours, once it shows this. */
  shows(text: string | RegExp): Promise<Screen>;
  close(): void;
}

export interface Setting {
  readonly columns: number;
  readonly rows: number;
  readonly background: Background;
}

export const usual: Setting = { columns: 104, rows: 42, background: 'dark' };

const colours = { dark: 'bg=#16191f,fg=#d4d8de', light: 'bg=#ffffff,fg=#24292f' } as const;

/** A separate terminal with the program in it. It answers when it is asked for its background. */
export function openStage(
  command: string,
  cwd: string,
  environment: Record<string, string>,
  { columns, rows, background }: Setting = usual,
): Stage {
  const directory = mkdtempSync(join(tmpdir(), 'cadre-picture-'));
  const socket = join(directory, 'tmux');
  const tmux = (...args: string[]) => {
    const { status, stdout, stderr } = spawnSync('tmux', ['-S', socket, '-f', '/dev/null', ...args], {
      encoding: 'utf8',
      env: {
        PATH: process.env.PATH ?? '',
        HOME: process.env.HOME ?? '',
        LANG: 'C.UTF-8',
        TERM: 'xterm-256color',
        COLORTERM: 'truecolor',
        ...environment,
      },
    });
    if (status !== 0) throw new Error(`tmux ${args[0]}: ${stderr}`);
    return stdout;
  };
  const options = ['set', '-g', 'status', 'off', ';', 'set', '-g', 'window-style', colours[background], ';'];
  const size = ['-x', String(columns), '-y', String(rows)];
  tmux('start-server', ';', ...options, 'new-session', '-d', ...size, '-c', cwd, `${command}; sleep 600`);
  const plain = () => tmux('capture-pane', '-p');
  return {
    press: (...keys) => void tmux('send-keys', ...keys),
    type: (text) => void tmux('send-keys', '-l', text),
    paste(text) {
      const file = join(directory, 'pasted');
      writeFileSync(file, text);
      tmux('load-buffer', file, ';', 'paste-buffer', '-p');
    },
    async shows(text) {
      for (let tries = 0; tries < 1_200; tries++) {
        if (typeof text === 'string' ? plain().includes(text) : text.test(plain())) {
          // A frame is drawn in several steps.
          await Bun.sleep(400);
          const lines = tmux('capture-pane', '-p', '-e', '-N');
          return { text: lines.replace(/\n$/, ''), columns, rows, background };
        }
        await Bun.sleep(50);
      }
      throw new Error(`the screen never showed ${text}:\n${plain()}`);
    },
    close() {
      spawnSync('tmux', ['-S', socket, 'kill-server']);
      rmSync(directory, { recursive: true, force: true });
    },
  };
}
