import { spawnSync } from 'node:child_process';
import { existsSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { processIo } from '../../headless/process-io.ts';
import { formatJson } from '../../lib/fields/parse-json.ts';
import { nameByProcess } from '../../lib/files/temporary-names.ts';
import type { Result } from '../../lib/result.ts';
import { endSentence, visible } from '../../lib/text/text.ts';
import { version } from '../../lib/version.ts';
import { findLocalKind, prepareQuestion } from '../../models/list-models.ts';
import { askLocalFacts } from '../../models/local-servers.ts';
import { settleModel } from '../../models/resolve.ts';
import { describeProtection, type Protection } from '../../sandbox/describe.ts';
import { listIneffective } from '../../sandbox/ineffective.ts';
import { watchRunningCommands } from '../../sandbox/running-commands.ts';
import { createModelConfig } from '../../session/models.ts';
import {
  allowedVariables,
  checkWritableHome,
  lookAround,
  type Surroundings,
} from '../../session/surroundings.ts';
import type { LoadedSettings } from '../../settings/load.ts';
import { describeUnheeded } from '../../settings/unheeded.ts';
import { heldBack } from '../../tools/bash/pick-environment.ts';
import { locateRipgrep, type RipgrepSource } from '../../tools/search/ripgrep.ts';
import { findOwnProgram } from '../../workspace/search-path.ts';
import { readSettings } from '../read-settings.ts';
import type { FlagsOf } from '../table/commands.ts';
import type { DoctorCheck } from './check.ts';
import { leftoverCheck, limitCheck, runCheck, storageCheck, takenCheck } from './examine-home.ts';

export type DoctorFlags = FlagsOf<'doctor'>;

/**
 * `cadre doctor`: the protections here, and whether this machine is ready to run. No model is asked anything; a
 * local server only whether it has the model.
 */
export async function examine(flags: DoctorFlags, ripgrep: RipgrepSource): Promise<number> {
  const io = processIo();
  const around = lookAround({});
  // Until the process ends.
  watchRunningCommands(around.home);
  const settings = await readSettings(around);
  const checks: DoctorCheck[] = [
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
    ...(await limitCheck(around, flags.fix === true)),
    await worktreeCheck(around, flags.fix === true),
    await takenCheck(around.home),
    await runCheck(around, settings.ok ? settings.value : undefined),
    storageCheck(around.home, settings.ok ? settings.value : undefined),
  ];
  const protection = settings.ok
    ? await describeProtection(
        {
          settings: settings.value.sandbox,
          platform: process.platform,
          arch: process.arch,
          directory: join(around.home, `self-test-${nameByProcess()}`),
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
    ? formatJson({ version: 1, protection: protection ?? null, checks })
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

function row({ name, state, text }: DoctorCheck): string {
  return `  ${state.padEnd(7)}  ${name.padEnd(9)} ${text}`;
}

/** The files, and the keys in them that have no effect. */
function settingsChecks(settings: Result<LoadedSettings>): DoctorCheck[] {
  if (!settings.ok) return [{ name: 'settings', state: 'error', text: explain(settings) }];
  const { files, unheeded } = settings.value;
  return [
    { name: 'settings', state: 'ok', text: files.join(', ') || 'no files' },
    // Values that the sandbox does not act on are named with the sandbox.
    ...describeUnheeded(unheeded.filter(({ ignored }) => ignored === undefined)).map(
      (text): DoctorCheck => ({ name: 'settings', state: 'warning', text }),
    ),
  ];
}

/** The repository's settings that are not active yet. */
async function trustCheck(): Promise<DoctorCheck> {
  const { describeTrust } = await import('../trust/repository-trust.ts');
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
function environmentCheck({ environment }: Surroundings, settings: LoadedSettings): DoctorCheck {
  const names = heldBack({ ...environment, ...settings.env }, allowedVariables(settings));
  const shown = names.slice(0, 12).join(', ');
  const more = names.length > 12 ? ` and ${names.length - 12} more` : '';
  const text =
    names.length === 0
      ? 'commands get all variables'
      : `hidden from commands: ${shown}${more}; allow one with environment.allow`;
  return { name: 'variables', state: 'ok', text };
}

function sandboxChecks({ sandbox, unheeded }: LoadedSettings): DoctorCheck[] {
  const ineffective = listIneffective(sandbox).map(
    ({ path, why }) => `sandbox.filesystem.allowWrite: ${path} ${why}`,
  );
  const ignored = unheeded.flatMap((one) =>
    one.ignored === undefined ? [] : [`${one.key}: ${one.ignored}`],
  );
  return [...ineffective, ...ignored].map((text) => ({ name: 'sandbox', state: 'warning', text }));
}

/** Only we may enter our own directory, which may hold secrets. */
function homeChecks(around: Surroundings): DoctorCheck[] {
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

async function ripgrepCheck(source: RipgrepSource, home: string): Promise<DoctorCheck> {
  const found = await locateRipgrep(source, home)();
  return found.ok
    ? { name: 'ripgrep', state: 'ok', text: found.value }
    : { name: 'ripgrep', state: 'error', text: explain(found) };
}

function gitCheck({ environment, userHome, cwd }: Surroundings): DoctorCheck {
  const missing: DoctorCheck = {
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

async function modelCheck(around: Surroundings, settings: LoadedSettings): Promise<DoctorCheck> {
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

/** Worktrees whose process is gone, and mismatches between our records and git. */
async function worktreeCheck(around: Surroundings, fix: boolean): Promise<DoctorCheck> {
  const name = 'worktrees';
  const { examineWorktrees } = await import('./examine-worktrees.ts');
  const { sweepDeadWorktrees } = await import('../../session/worktrees/worktrees.ts');
  const found = await examineWorktrees(around);
  if (found.dead.length + found.odd.length + found.cutOff.length + found.locks.length === 0)
    return {
      name,
      state: 'ok',
      text: found.kept === 0 ? 'none' : `${found.kept}; cadre worktree list shows those here`,
    };
  const left = found.dead.map((path) => `${path} (no longer used by any process)`);
  const locks = found.locks.map((path) => `${path} (the lock of a process that has ended)`);
  const what = [...left, ...found.odd, ...found.cutOff, ...locks].join(', ');
  if (!fix)
    return {
      name,
      state: 'warning',
      text: `${what}; run cadre doctor --fix to clean up, or start a session`,
    };
  const notices = await sweepDeadWorktrees(around);
  const { odd, cutOff } = await examineWorktrees(around);
  const rest = [...odd, ...cutOff];
  return rest.length === 0
    ? { name, state: 'ok', text: ['cleaned up', ...notices].join('; ') }
    : { name, state: 'warning', text: [...rest, ...notices].join('; ') };
}

function explain({ problem }: Exclude<Result<unknown>, { ok: true }>): string {
  const hint = problem.hint?.split('\n')[0];
  if (!hint) return problem.message;
  return `${endSentence(problem.message)} ${hint}`;
}
