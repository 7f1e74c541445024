import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ok } from '../../../src/lib/result.ts';
import { chooseSandbox } from '../../../src/sandbox/choose.ts';
import { openSandbox } from '../../../src/sandbox/open.ts';
import { noSettings } from '../../../src/settings/merge.ts';
import { type Room, roomIn, run } from './support.ts';

/**
 * A room in whose sandboxes the first process is as one that an attacker has taken over: it does not end with its parent,
 * and has neither the mark nor the group of its command.
 */
export function takenOverRoom(path: string): Room {
  const at = roomIn(path);
  const { home, userHome, directory, notices } = at;
  const settings = noSettings().sandbox;
  const sandbox = openSandbox({
    ...{ settings, home, userHome, directory, environment: {}, isRoot: process.getuid?.() === 0 },
    given: () => [],
    notify: (text) => notices.push(text),
    async choose() {
      const whole = await chooseSandbox({ settings, platform: 'linux', arch: process.arch, directory });
      return {
        ...whole,
        async confine(launch, policy) {
          const confined = await whole.confine(launch, policy);
          if (!confined.ok) return confined;
          const { file, args } = confined.value;
          const loose = ['--new-session', ...args.filter((word) => word !== '--die-with-parent')];
          return ok({
            ...confined.value,
            file: '/usr/bin/env',
            args: ['-i', 'PATH=/usr/bin:/bin', file, ...loose],
          });
        },
      };
    },
  });
  return { ...at, sandbox };
}

/** A process that goes on by itself and makes a protected file once it is told to. */
export const lingering = (token: string) =>
  `bash -c 'until [ -e go ]; do sleep 0.01; done; mkdir -p sub/.vscode; echo x > sub/.vscode/tasks.json; touch made; exec sleep 600' ${token} >/dev/null 2>&1 &`;

export function isAnyLeft(token: string): boolean {
  return readdirSync('/proc').some((pid) => {
    try {
      return /^\d+$/.test(pid) && readFileSync(`/proc/${pid}/cmdline`, 'latin1').split('\0').includes(token);
    } catch {
      return false;
    }
  });
}

/** Whether anything is left of a command that ended by itself, and of what is noted of it. */
export async function outliveCommand(
  directory: string,
): Promise<{ ran: string; left: boolean; notes: string[] }> {
  const at = takenOverRoom(directory);
  const token = `lingering-${directory.replaceAll('/', '-')}`;
  const { text } = await run(at, `${lingering(token)} echo ran`);
  const left = isAnyLeft(token);
  await at.sandbox.close();
  const notes = readdirSync(join(at.home, 'confined')).filter((name) => name.endsWith('.process'));
  return { ran: text, left, notes };
}
