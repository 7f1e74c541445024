import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Contestant } from '../contestant.ts';

/** The native program is started directly: its Node launcher would only add to its figures. */
export const codex: Contestant = {
  name: 'codex',
  find({ peers }) {
    const main = join(peers, 'node_modules', '@openai', 'codex');
    const program = findProgram(
      join(peers, 'node_modules', '@openai', `codex-${process.platform}-${process.arch}`, 'vendor'),
    );
    if (!program || !existsSync(join(main, 'package.json'))) return undefined;
    const { version } = JSON.parse(readFileSync(join(main, 'package.json'), 'utf8')) as { version: string };
    return {
      version,
      prepare({ home, baseUrl }) {
        const settings = join(home, 'codex');
        mkdirSync(settings, { recursive: true });
        writeFileSync(join(settings, 'config.toml'), configuration(baseUrl));
        return {
          command: [program, 'exec', '--skip-git-repo-check', '--dangerously-bypass-approvals-and-sandbox'],
          screen: {
            command: [program, '--dangerously-bypass-approvals-and-sandbox'],
            prompt: /OpenAI Codex/,
          },
          environment: { CODEX_HOME: settings, BENCH_KEY: 'bench' },
        };
      },
      // It has no tool that reads a text file: it reads through the shell.
      read: (path) => ({ name: 'exec_command', input: { cmd: `cat ${path}` } }),
      shell: (command) => ({ name: 'exec_command', input: { cmd: command } }),
    };
  },
};

function findProgram(vendor: string): string | undefined {
  if (!existsSync(vendor)) return undefined;
  return readdirSync(vendor)
    .map((target) => join(vendor, target, 'bin', 'codex'))
    .find(existsSync);
}

function configuration(baseUrl: string): string {
  return `model = "gpt-bench"
model_provider = "bench"
check_for_update_on_startup = false

[features]
# It would ask a public git server for its plug-ins.
plugins = false

[analytics]
enabled = false

[model_providers.bench]
name = "bench"
base_url = "${baseUrl}/v1"
wire_api = "responses"
env_key = "BENCH_KEY"
`;
}
