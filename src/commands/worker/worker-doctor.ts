import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { processIo } from '../../headless/process-io.ts';
import { formatJson } from '../../lib/fields/parse-json.ts';
import type { Result } from '../../lib/result.ts';
import { sayProblem } from '../../lib/result.ts';
import { visible } from '../../lib/text/text.ts';
import { openKeyStore } from '../../models/keys.ts';
import { openJobKey, readKnownKeys } from '../../remote/keys.ts';
import { openEngine } from '../../remote/open-engine.ts';
import { checkNeeds } from '../../session/remote/setup/find-lacks.ts';
import { describeWorld, type SetupGround } from '../../session/remote/setup/open-setup.ts';
import { readSetup, setupFile } from '../../session/remote/setup/read-setup.ts';
import { checkWritableHome, lookAround, type Surroundings } from '../../session/surroundings.ts';
import { findRoot } from '../../workspace/workspace.ts';
import type { DoctorCheck } from '../doctor/check.ts';
import type { FlagsOf } from '../table/commands.ts';
import { findEngine, loadOwnSettings } from './engine-address.ts';
import { openGround } from './open-place.ts';

type DoctorFlags = FlagsOf<'worker doctor'>;

/** `cadre worker doctor`: whether this machine can be a worker, and can run jobs of a repository. Runs no setup. */
export async function examineWorker(flags: DoctorFlags): Promise<number | Result<never>> {
  const io = processIo();
  const around = lookAround({});
  const settings = await loadOwnSettings(around);
  if (!settings.ok) return settings;
  const scratch = mkdtempSync(join(tmpdir(), 'cadre-doctor-'));
  const say = (text: string) => io.writeErr(`${visible(text)}\n`);
  const options = { wantsSandbox: true, mayRunOpen: false, say };
  const ground = await openGround(around, settings.value, scratch, options);
  if (!ground.ok) return ground;
  try {
    const address = findEngine(flags.engine, around, settings.value);
    const checks = [
      ...homeChecks(around),
      ...modelChecks(around),
      await sandboxCheck(ground.value),
      await gitCheck(ground.value, scratch),
      await engineCheck(address),
      ...(await repositoryChecks(flags.repository, around, ground.value, scratch)),
    ];
    const text = flags.json
      ? formatJson({ version: 1, checks })
      : `${checks.map((check) => visible(row(check))).join('\n')}\n`;
    const written = await io.writeOut(text);
    return written && checks.every(({ state }) => state !== 'error') ? 0 : 1;
  } finally {
    await ground.value.close();
    rmSync(scratch, { recursive: true, force: true });
  }
}

function row({ name, state, text }: DoctorCheck): string {
  return `  ${state.padEnd(7)}  ${name.padEnd(10)} ${text}`;
}

function homeChecks(around: Surroundings): DoctorCheck[] {
  const usable = checkWritableHome(around);
  if (!usable.ok) return [{ name: 'home', state: 'error', text: explain(usable) }];
  const key = openJobKey(around.home);
  const known = readKnownKeys(around.home);
  if (!key.ok || !known.ok) return [{ name: 'keys', state: 'error', text: explain(key.ok ? known : key) }];
  const others = known.value.size - 1;
  return [
    { name: 'key', state: 'ok', text: key.value.name },
    others > 0
      ? { name: 'trusts', state: 'ok', text: `${others} other ${others === 1 ? 'key' : 'keys'}` }
      : {
          name: 'trusts',
          state: 'warning',
          text: 'only its own key; add others with cadre worker trust KEY',
        },
  ];
}

/** A job names its model; the worker has to have the key. */
function modelChecks({ home, environment }: Surroundings): DoctorCheck[] {
  const stored = openKeyStore(home).readKeys();
  if (!stored.ok) return [{ name: 'models', state: 'error', text: explain(stored) }];
  const inVariables = keyVariables.filter((name) => environment[name]);
  const names = [...Object.keys(stored.value), ...inVariables];
  return names.length > 0
    ? [{ name: 'models', state: 'ok', text: `keys: ${names.join(', ')}` }]
    : [{ name: 'models', state: 'warning', text: 'no key is stored: cadre key set PROVIDER' }];
}

const keyVariables = ['ANTHROPIC_API_KEY', 'ANTHROPIC_AUTH_TOKEN', 'OPENAI_API_KEY', 'GEMINI_API_KEY'];

async function sandboxCheck({ sandbox }: SetupGround): Promise<DoctorCheck> {
  return (await sandbox?.ready()) === undefined
    ? { name: 'sandbox', state: 'warning', text: 'none works here: commands of jobs are not confined' }
    : { name: 'sandbox', state: 'ok', text: 'commands of jobs are confined' };
}

async function gitCheck(ground: SetupGround, scratch: string): Promise<DoctorCheck> {
  const version = await describeWorld(ground, scratch).askVersion('git');
  return version === undefined
    ? { name: 'git', state: 'error', text: 'not found; jobs travel as git objects' }
    : { name: 'git', state: 'ok', text: version.trim().replace(/^git version /, '') };
}

async function engineCheck(address: Result<string>): Promise<DoctorCheck> {
  if (!address.ok) return { name: 'engine', state: 'warning', text: explain(address) };
  const engine = await openEngine(address.value);
  if (!engine.ok) return { name: 'engine', state: 'error', text: explain(engine) };
  await engine.value.close();
  return { name: 'engine', state: 'ok', text: engine.value.title };
}

async function repositoryChecks(
  given: string | undefined,
  { cwd }: Surroundings,
  ground: SetupGround,
  scratch: string,
): Promise<DoctorCheck[]> {
  const top = given === undefined ? findRoot(cwd) : resolve(cwd, given);
  if (top === undefined) return [];
  const setup = readSetup(top);
  if (!setup.ok) return [{ name: 'repository', state: 'error', text: explain(setup) }];
  if (!setup.value)
    return [{ name: 'repository', state: 'ok', text: `${top} asks for nothing (no ${setupFile})` }];
  const needs = await checkNeeds(setup.value, describeWorld(ground, scratch));
  const { setup: command } = setup.value;
  return [
    ...needs.map(({ name, text, isMet }): DoctorCheck => ({ name, state: isMet ? 'ok' : 'error', text })),
    ...(command === undefined ? [] : [{ name: 'setup', state: 'ok' as const, text: `runs: ${command}` }]),
  ];
}

function explain(result: Result<unknown>): string {
  return result.ok ? '' : sayProblem(result.problem);
}
