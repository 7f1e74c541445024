import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import type { Runner } from './measure.ts';
import { cadre, earlierCadre } from './peers/cadre.ts';
import { codex } from './peers/codex.ts';
import { pi } from './peers/pi.ts';

export const repository = join(import.meta.dirname, '..');
export const turnsPerRun = 20;

const cache = join(homedir(), '.cache', 'cadre-bench');
const places = { repository, peers: process.env.CADRE_BENCH_PEERS ?? cache };

/** Beside the user's cache, since Codex does less work when its home is a temporary directory. */
export function openGround(): string {
  mkdirSync(cache, { recursive: true });
  return mkdtempSync(join(cache, 'run-'));
}

/** Cadre, every installed peer and an earlier build if one is named, each with its own home and workspace. */
export function prepareRunners(
  baseUrl: string,
  ground: string,
  only?: readonly string[],
  before?: string,
): Runner[] {
  const chosen = [cadre, codex, pi].filter(({ name }) => !only || only.includes(name));
  const contestants = before === undefined ? chosen : [...chosen, earlierCadre(before)];
  const runners = contestants.flatMap((contestant): Runner[] => {
    const installed = contestant.find(places);
    if (!installed) {
      console.error(`${contestant.name}: not installed, left out (see bench/README.md)`);
      return [];
    }
    const home = join(ground, contestant.name, 'home');
    const workspace = join(ground, contestant.name, 'workspace');
    for (const directory of [home, workspace]) mkdirSync(directory, { recursive: true });
    furnish(workspace);
    const launch = installed.prepare({ home, baseUrl });
    return [{ name: contestant.name, installed, launch, workspace }];
  });
  console.error(`measuring ${runners.map((r) => `${r.name} ${r.installed.version}`).join(', ')}`);
  return runners;
}

/** Codex leaves a server running behind its screen; it is removed with its directory. */
export function closeGround(ground: string): void {
  spawnSync('pkill', ['-KILL', '-f', ground]);
  rmSync(ground, { recursive: true, force: true });
}

export function versions(runners: readonly Runner[]): Record<string, string> {
  return Object.fromEntries(runners.map((runner) => [runner.name, runner.installed.version]));
}

/** A small git repository, as a user would have one. */
function furnish(workspace: string): void {
  for (let turn = 0; turn < turnsPerRun; turn++)
    writeFileSync(join(workspace, `file-${turn}.txt`), `line of file ${turn}\n`.repeat(20));
  execFileSync('git', ['init', '--quiet', workspace]);
}
