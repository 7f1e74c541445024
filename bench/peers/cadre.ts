import { copyFileSync, existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Contestant, Installed, Launch, Stage } from '../contestant.ts';

export const cadre: Contestant = {
  name: 'cadre',
  find({ repository }) {
    const program = join(repository, 'dist', 'cadre');
    const { version } = JSON.parse(readFileSync(join(repository, 'package.json'), 'utf8')) as {
      version: string;
    };
    return existsSync(program) ? installed(program, version) : undefined;
  },
};

/** Another build of Cadre beside this one: whether a change has a price shows only in one run with its predecessor. */
export function earlierCadre(program: string): Contestant {
  return {
    name: 'before',
    find: () => (existsSync(program) ? installed(program, program) : undefined),
  };
}

function installed(program: string, version: string): Installed {
  return {
    version,
    prepare: (stage) => launch(copyProgram(program, stage), stage),
    read: (path) => ({ name: 'Read', input: { file_path: path } }),
    shell: (command) => ({ name: 'Bash', input: { command } }),
  };
}

/**
 * Each build in a fresh copy: how much of a program's file is mapped around each page, and so counted as its memory, depends
 * on how and when the file was written. That was a tenth of the peak.
 */
function copyProgram(program: string, { home }: Stage): string {
  const copy = join(home, 'cadre-program');
  copyFileSync(program, copy);
  return copy;
}

/** As with the peers. The cost of the sandbox is measured separately: bench/sandbox.ts. */
const unconfined = ['--settings', '{"sandbox":{"enabled":false}}'];
const model = ['--model', 'anthropic/claude-bench'];

function launch(program: string, { home, baseUrl }: Stage): Launch {
  const bypass = ['--permission-mode', 'bypassPermissions', '--dangerously-skip-permissions'];
  return {
    command: [program, ...model, ...bypass, ...unconfined, '-p'],
    screen: { command: [program, ...model, ...unconfined], prompt: /Ask for something/ },
    environment: {
      CADRE_HOME: join(home, 'cadre'),
      ANTHROPIC_BASE_URL: baseUrl,
      ANTHROPIC_API_KEY: 'bench',
      // Root is refused the bypass mode unless it says that it runs in a sandbox.
      IS_SANDBOX: '1',
    },
  };
}
