import { spawnSync } from 'node:child_process';
import { existsSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { processIo } from '../headless/process-io.ts';
import { randomIds } from '../lib/ids.ts';
import type { Result } from '../lib/result.ts';
import { visible } from '../lib/text/text.ts';
import { version } from '../lib/version.ts';
import { prepareQuestion } from '../models/list-models.ts';
import { askLocalFacts, findLocalKind } from '../models/local-servers.ts';
import { settleModel } from '../models/resolve.ts';
import { describeProtection, type Protection } from '../sandbox/describe.ts';
import { listIneffective } from '../sandbox/ineffective.ts';
import { watchRunningCommands } from '../sandbox/running-commands.ts';
import { createModelConfig } from '../session/models.ts';
import { findLeftovers, sweepDead } from '../session/owner.ts';
import {
  allowedVariables,
  checkWritableHome,
  lookAround,
  type Surroundings,
} from '../session/surroundings.ts';
import { type LoadedSettings, loadSettings } from '../settings/load.ts';
import { describeUnheeded } from '../settings/unheeded.ts';
import { heldBack } from '../tools/bash/pick-environment.ts';
import { locateRipgrep, type RipgrepSource } from '../tools/search/ripgrep.ts';
import { findOwnProgram } from '../workspace/search-path.ts';
import type { FlagsOf } from './table/commands.ts';

export type DoctorFlags = FlagsOf<'doctor'>;

interface Check {
  name: string;
  /** `error`: something will not work. `warning`: it works, but the user should know. */
  state: 'ok' | 'warning' | 'error';
  text: string;
}

/**
 * `cadre doctor`: the protections here, and whether this machine is ready to run. No model is asked anything; a
 * local server only whether it has the model.
 */
export async function examine(flags: DoctorFlags, ripgrep: RipgrepSource): Promise<number> {
  const io = processIo();
  const around = lookAround({});
  // Until the process ends.
  watchRunningCommands(around.home);
  const settings = await loadSettings({
    home: around.home,
    userHome: around.userHome,
    cwd: around.cwd,
    root: around.root,
    sources: ['user', 'project', 'local'],
    trusted: false,
  });
  const checks: Check[] = [
    { name: 'cadre', state: 'ok', text: `${version} for ${process.platform}-${process.arch}` },
    ...settingsChecks(settings),
    ...homeChecks(around),
    await ripgrepCheck(ripgrep, around.home),
    gitCheck(around),
    ...(settings.ok ? [await modelCheck(around, settings.value)] : []),
    ...(settings.ok ? [environmentCheck(around, settings.value)] : []),
    ...(settings.ok ? sandboxChecks(settings.value) : []),
    await trustCheck(),
    await leftoverCheck(around, flags.fix === true),
    await worktreeCheck(around, flags.fix === true),
    await takenCheck(around.home),
  ];
  const protection = settings.ok
    ? await describeProtection(
        {
          settings: settings.value.sandbox,
          platform: process.platform,
          arch: process.arch,
          directory: join(around.home, `self-test-${randomIds.token(12)}`),
        },
        {
          settings: settings.value.sandbox,
          home: around.home,
          userHome: around.userHome,
          environment: around.environment,
          isRoot: process.getuid?.() === 0,
        },
      )
    : undefined;
  const text = flags.json
    ? `${JSON.stringify({ version: 1, protection: protection ?? null, checks }, null, 2)}\n`
    : visible(`${[...(protection ? protectionLines(protection) : []), ...checks.map(row)].join('\n')}\n`);
  const written = await io.writeOut(text);
  return written && checks.every(({ state }) => state !== 'error') ? 0 : 1;
}

function protectionLines({ text, missing, root }: Protection): string[] {
  return [
    text,
    ...missing.map((line) => row({ name: 'sandbox', state: 'error', text: line })),
    ...(root === undefined ? [] : [row({ name: 'root', state: 'warning', text: root })]),
  ];
}

function row({ name, state, text }: Check): string {
  return `  ${state.padEnd(7)}  ${name.padEnd(9)} ${text}`;
}

/** The files, and the keys in them that have no effect. */
function settingsChecks(settings: Result<LoadedSettings>): Check[] {
  if (!settings.ok) return [{ name: 'settings', state: 'error', text: explain(settings) }];
  const { files, unheeded } = settings.value;
  return [
    { name: 'settings', state: 'ok', text: files.join(', ') || 'no files' },
    // Values that the sandbox does not act on are named with the sandbox.
    ...describeUnheeded(unheeded.filter(({ ignored }) => ignored === undefined)).map(
      (text): Check => ({ name: 'settings', state: 'warning', text }),
    ),
  ];
}

/** The repository's settings that are not active yet. */
async function trustCheck(): Promise<Check> {
  const { describeTrust } = await import('./trust/repository-trust.ts');
  const found = await describeTrust();
  if (!found.ok) return { name: 'trust', state: 'warning', text: explain(found) };
  const held = found.value.pieces.filter(({ standing }) => standing === 'new' || standing === 'changed');
  if (held.length === 0)
    return { name: 'trust', state: 'ok', text: 'nothing in this repository needs trust' };
  const files = [...new Set(held.map(({ piece }) => piece.file))];
  const more = files.length > maxHeld ? ` and ${files.length - maxHeld} more` : '';
  const text = `${held.length === 1 ? '1 item has' : `${held.length} items have`} no effect until you trust this repository (cadre trust), in ${files.slice(0, maxHeld).join(', ')}${more}`;
  return { name: 'trust', state: 'warning', text };
}

const maxHeld = 5;

/** Names the variables that commands do not get, never their values. */
function environmentCheck({ environment }: Surroundings, settings: LoadedSettings): Check {
  const names = heldBack({ ...environment, ...settings.env }, allowedVariables(settings));
  const shown = names.slice(0, 12).join(', ');
  const more = names.length > 12 ? ` and ${names.length - 12} more` : '';
  const text =
    names.length === 0
      ? 'commands get all variables'
      : `hidden from commands: ${shown}${more}; allow one with environment.allow`;
  return { name: 'variables', state: 'ok', text };
}

function sandboxChecks({ sandbox, unheeded }: LoadedSettings): Check[] {
  const ineffective = listIneffective(sandbox).map(
    ({ path, why }) => `sandbox.filesystem.allowWrite: ${path} ${why}`,
  );
  const ignored = unheeded.flatMap((one) =>
    one.ignored === undefined ? [] : [`${one.key}: ${one.ignored}`],
  );
  return [...ineffective, ...ignored].map((text) => ({ name: 'sandbox', state: 'warning', text }));
}

/** Only we may enter our own directory, which may hold secrets. */
function homeChecks(around: Surroundings): Check[] {
  const usable = checkWritableHome(around);
  if (!usable.ok) return [{ name: 'home', state: 'error', text: explain(usable) }];
  const { home, layout } = around;
  if (!existsSync(home)) return [{ name: 'home', state: 'ok', text: `${home}, created when needed` }];
  const open = [home, layout.projects, layout.keys, layout.settings].filter(isOpen);
  return open.length === 0
    ? [{ name: 'home', state: 'ok', text: `${home}, private` }]
    : [
        {
          name: 'home',
          state: 'warning',
          text: `readable by other users; fix with chmod go= ${open.join(' ')}`,
        },
      ];
}

function isOpen(path: string): boolean {
  return existsSync(path) && (statSync(path).mode & 0o077) !== 0;
}

async function ripgrepCheck(source: RipgrepSource, home: string): Promise<Check> {
  const found = await locateRipgrep(source, home)();
  return found.ok
    ? { name: 'ripgrep', state: 'ok', text: found.value }
    : { name: 'ripgrep', state: 'error', text: explain(found) };
}

function gitCheck({ environment, userHome, cwd }: Surroundings): Check {
  const missing: Check = {
    name: 'git',
    state: 'warning',
    text: 'not found; install it to work in repositories',
  };
  const program = findOwnProgram('git', environment, cwd);
  if (!program) return missing;
  const { status, stdout } = spawnSync(program.file, ['--version'], {
    encoding: 'utf8',
    timeout: 5000,
    cwd: userHome,
    env: { PATH: program.path },
  });
  return status === 0
    ? { name: 'git', state: 'ok', text: stdout.trim().replace(/^git version /, '') }
    : missing;
}

async function modelCheck(around: Surroundings, settings: LoadedSettings): Promise<Check> {
  const config = createModelConfig(around, settings);
  const settled = settleModel(undefined, config);
  if (!settled.ok) return { name: 'model', state: 'error', text: explain(settled) };
  const { provider, id, endpoint } = settled.value;
  const kind = findLocalKind(endpoint);
  const usable = kind ? await askLocalFacts(kind, endpoint, id, prepareQuestion(config, 1_000)) : settled;
  return usable.ok
    ? { name: 'model', state: 'ok', text: `${provider}/${id}` }
    : { name: 'model', state: 'error', text: `${provider}/${id}: ${explain(usable)}` };
}

async function leftoverCheck({ home, layout }: Surroundings, fix: boolean): Promise<Check> {
  const name = 'leftovers';
  const found = findLeftovers(home);
  const { readJournals } = await import('../sandbox/guard/left-journals.ts');
  const { findLeft, removeLeft } = await import('../sandbox/guard/left-sandboxes.ts');
  const cutOff = readJournals(home).filter((one) => !one.isLive).length;
  const left = findLeft(home).length;
  const pids = found.flatMap((one) => one.pids);
  if (found.length + cutOff + left === 0)
    return { name, state: 'ok', text: 'nothing left behind by crashed sessions' };
  const commands = cutOff > 0 ? `, ${count(cutOff, 'interrupted command')}` : '';
  const files = left > 0 ? `, ${left} private /tmp directories` : '';
  const what = `${count(found.length, 'crashed session')}, ${count(pids.length, 'process', 'processes')}${pids.length > 0 ? `: ${pids.join(', ')}` : ''}${commands}${files}`;
  if (!fix)
    return {
      name,
      state: 'warning',
      text: `${what}; run cadre doctor --fix to clean up, or start a session`,
    };
  const { sweepConfined, sweepSandboxes } = await import('../session/sandbox.ts');
  sweepSandboxes(layout);
  sweepDead(home, randomIds);
  const said = await sweepConfined(home);
  const isGone = await removeLeft(home);
  const rest = isGone ? [] : [`some files that commands left in ${home} could not be removed`];
  return { name, state: isGone ? 'ok' : 'warning', text: [`${what}; ended`, ...said, ...rest].join('; ') };
}

/** Worktrees whose process is gone, and mismatches between our records and git. */
async function worktreeCheck(around: Surroundings, fix: boolean): Promise<Check> {
  const name = 'worktrees';
  const { examineWorktrees } = await import('./examine-worktrees.ts');
  const { sweepDeadWorktrees } = await import('../session/worktrees/worktrees.ts');
  const found = await examineWorktrees(around);
  if (found.dead.length + found.odd.length + found.cutOff.length === 0)
    return {
      name,
      state: 'ok',
      text: found.kept === 0 ? 'none' : `${found.kept}; cadre worktree list shows those here`,
    };
  const left = found.dead.map((path) => `${path} (no longer used by any process)`);
  const what = [...left, ...found.odd, ...found.cutOff].join(', ');
  if (!fix)
    return {
      name,
      state: 'warning',
      text: `${what}; run cadre doctor --fix to clean up, or start a session`,
    };
  const notices = await sweepDeadWorktrees(around);
  const { cutOff } = await examineWorktrees(around);
  return cutOff.length === 0
    ? { name, state: 'ok', text: ['cleaned up', ...notices].join('; ') }
    : { name, state: 'warning', text: [...cutOff, ...notices].join('; ') };
}

/** Files that commands made where they may not, and where they are now. */
async function takenCheck(home: string): Promise<Check> {
  const { listTaken, takenFolder, takenLimits } = await import('../sandbox/guard/taken.ts');
  const all = listTaken(home);
  const bytes = all.reduce((sum, one) => sum + one.bytes, 0);
  const kept = `kept for ${takenLimits.days} days and up to ${megabytes(takenLimits.bytes)}`;
  const text =
    all.length === 0
      ? 'no files were moved out of protected paths'
      : `files moved out of protected paths ${count(all.length, 'time')}, ${megabytes(bytes)} in ${join(home, takenFolder)}; ${kept}`;
  return { name: 'taken', state: 'ok', text };
}

function megabytes(bytes: number): string {
  return `${(bytes / 1024 / 1024).toFixed(bytes > 0 && bytes < 1024 * 1024 ? 1 : 0)} MB`;
}

function explain({ problem }: Exclude<Result<unknown>, { ok: true }>): string {
  const hint = problem.hint?.split('\n')[0];
  if (!hint) return problem.message;
  return `${problem.message}${/[.!?]$/.test(problem.message) ? '' : '.'} ${hint}`;
}

function count(number: number, one: string, many = `${one}s`): string {
  return `${number === 0 ? 'no' : number} ${number === 1 ? one : many}`;
}
