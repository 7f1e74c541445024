import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Contestant } from '../contestant.ts';

/** It needs Node 22.19 or later: the `node` package beside it, else the one on the path. */
export const pi: Contestant = {
  name: 'pi',
  find({ peers }) {
    const main = join(peers, 'node_modules', '@earendil-works', 'pi-coding-agent');
    if (!existsSync(join(main, 'package.json'))) return undefined;
    const { version, bin } = JSON.parse(readFileSync(join(main, 'package.json'), 'utf8')) as {
      version: string;
      bin: { pi: string };
    };
    const ownNode = join(peers, 'node_modules', 'node', 'bin', 'node');
    return {
      version,
      prepare({ home, baseUrl }) {
        const settings = join(home, 'pi');
        mkdirSync(settings, { recursive: true });
        writeFileSync(join(settings, 'models.json'), models(baseUrl));
        const program = existsSync(ownNode) ? ownNode : 'node';
        const start = [join(main, bin.pi), '--provider', 'bench', '--model', 'claude-bench'];
        return {
          command: [program, ...start, '-p'],
          screen: { command: [program, ...start], prompt: /\/.{0,30}commands/ },
          environment: { PI_CODING_AGENT_DIR: settings, PI_OFFLINE: '1', PI_TELEMETRY: '0' },
        };
      },
      read: (path) => ({ name: 'read', input: { path } }),
      shell: (command) => ({ name: 'bash', input: { command } }),
    };
  },
};

function models(baseUrl: string): string {
  const bench = { baseUrl, api: 'anthropic-messages', apiKey: 'bench', models: [{ id: 'claude-bench' }] };
  return JSON.stringify({ providers: { bench } });
}
