import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Contestant } from '../contestant.ts';

export const cadre: Contestant = {
  name: 'cadre',
  find({ repository }) {
    const program = join(repository, 'dist', 'cadre');
    if (!existsSync(program)) return undefined;
    const { version } = JSON.parse(readFileSync(join(repository, 'package.json'), 'utf8')) as {
      version: string;
    };
    return {
      version,
      prepare: ({ home, baseUrl }) => ({
        command: [
          program,
          '--model',
          'anthropic/claude-bench',
          '--permission-mode',
          'bypassPermissions',
          '--dangerously-skip-permissions',
          // As with the peers. What the sandbox costs is measured by itself: bench/sandbox.ts.
          '--settings',
          '{"sandbox":{"enabled":false}}',
          '-p',
        ],
        screen: {
          command: [
            program,
            '--model',
            'anthropic/claude-bench',
            '--settings',
            '{"sandbox":{"enabled":false}}',
          ],
          prompt: /Ask for something/,
        },
        environment: {
          CADRE_HOME: join(home, 'cadre'),
          ANTHROPIC_BASE_URL: baseUrl,
          ANTHROPIC_API_KEY: 'bench',
          // Root is refused the bypass mode unless it says that it stands in a sandbox.
          IS_SANDBOX: '1',
        },
      }),
      read: (path) => ({ name: 'Read', input: { file_path: path } }),
      shell: (command) => ({ name: 'Bash', input: { command } }),
    };
  },
};
