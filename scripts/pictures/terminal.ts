import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export interface Stage {
  press(...keys: string[]): void;
  /** The screen with its colours, once it shows this. */
  shows(text: string | RegExp): Promise<string>;
  close(): void;
}

const columns = 104;
const rows = 42;

/** A separate terminal with the program in it. */
export function openStage(command: string, cwd: string, environment: Record<string, string>): Stage {
  const directory = mkdtempSync(join(tmpdir(), 'cadre-picture-'));
  const socket = join(directory, 'tmux');
  const tmux = (...args: string[]) => {
    const { status, stdout, stderr } = spawnSync('tmux', ['-S', socket, '-f', '/dev/null', ...args], {
      encoding: 'utf8',
      env: {
        PATH: process.env.PATH ?? '',
        HOME: process.env.HOME ?? '',
        TERM: 'xterm-256color',
        ...environment,
      },
    });
    if (status !== 0) throw new Error(`tmux ${args[0]}: ${stderr}`);
    return stdout;
  };
  tmux('new-session', '-d', '-x', String(columns), '-y', String(rows), '-c', cwd, `${command}; sleep 600`);
  const plain = () => tmux('capture-pane', '-p');
  return {
    press: (...keys) => void tmux('send-keys', ...keys),
    async shows(text) {
      for (let tries = 0; tries < 600; tries++) {
        if (typeof text === 'string' ? plain().includes(text) : text.test(plain())) {
          // A frame is drawn in several steps.
          await Bun.sleep(150);
          return tmux('capture-pane', '-p', '-e');
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
