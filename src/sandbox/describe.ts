import { spawnSync } from 'node:child_process';
import { removeTree } from '../lib/files/remove-tree.ts';
import { ok, type Result } from '../lib/result.ts';
import type { Sandbox } from '../protocol/sandbox.ts';
import type { SandboxSettings } from '../settings/loaded.ts';
import { findSystemProgram } from './bwrap/find-program.ts';
import { explainWalls } from './bwrap/prove.ts';
import type { SelfTestOptions } from './bwrap/self-test.ts';
import { chooseSandbox, type SandboxChoice } from './choose.ts';
import { explainUnusable, findDenials } from './denials.ts';
import { explainRoot } from './root-notice.ts';

/** Protections of the user on this machine, and their gaps. */
export interface Protection {
  sandbox: string;
  version?: string;
  works: boolean;
  /** Why it does not. */
  problem?: string;
  text: string;
  /** Limits that were tested from inside and failed. */
  missing: string[];
  /** The consequences of running as root here. */
  root?: string;
}

/**
 * `user`: the user to describe it for. `directory` of the choice is for this alone, and removed afterwards. The limits are
 * tested from inside, whatever was found before.
 */
export async function describeProtection(choice: SandboxChoice, user: SelfTestOptions): Promise<Protection> {
  const { settings } = choice;
  if (settings.enabled === false)
    return {
      ...{ sandbox: 'none', works: false, problem: 'sandbox.enabled is false', missing: [] },
      ...rootWords(user, false),
      text: bare('you switched the sandbox off'),
    };
  const sandbox = await chooseSandbox(choice);
  const found = await tryOut(sandbox, user);
  sandbox.close?.();
  removeTree(choice.directory);
  if (!found.ok || found.value.length > 0) {
    const problem = found.ok ? explainWalls(found.value) : explain(found);
    const missing = found.ok ? found.value : [];
    return {
      ...{ sandbox: sandbox.name, works: false, problem, missing, text: bare(problem) },
      ...rootWords(user, false),
    };
  }
  const unusable = findUnusable(settings, user);
  if (unusable !== undefined)
    return {
      ...{ sandbox: sandbox.name, works: false, problem: unusable, missing: [] },
      ...{ text: `Every shell command is refused. ${unusable}`, ...rootWords(user, true) },
    };
  const version = choice.platform === 'linux' ? readVersion(settings) : undefined;
  const text = `Shell commands are confined by ${[sandbox.name, version].filter(Boolean).join(' ')}: ${limits(settings)}.`;
  return {
    sandbox: sandbox.name,
    ...(version ? { version } : {}),
    ...{ works: true, missing: [] },
    text: `${text} ${notConfined(settings)}`,
    ...rootWords(user, true),
  };
}

async function tryOut(sandbox: Sandbox, user: SelfTestOptions): Promise<Result<string[]>> {
  const works = await sandbox.probe();
  if (!works.ok) return works;
  if (sandbox.program === undefined) return ok([]);
  const { testWalls } = await import('./bwrap/self-test.ts');
  return testWalls(sandbox, user);
}

function findUnusable(settings: SandboxSettings, user: SelfTestOptions): string | undefined {
  const launch = { file: '/bin/bash', args: [], cwd: '/', env: {} };
  const denials = findDenials(launch, { writes: 'none', directories: [], rules: [] }, user, []);
  return explainUnusable(denials, settings.filesystem, { shell: launch.file, roots: [], workspace: [] });
}

function rootWords({ isRoot }: SelfTestOptions, isConfined: boolean): { root?: string } {
  const root = explainRoot(isRoot, isConfined);
  return root === undefined ? {} : { root };
}

function limits({ network, filesystem }: SandboxSettings): string {
  const places = ['the workspace', ...filesystem.allowWrite, 'their own /tmp'].join(', ');
  const hosts =
    network.allowedDomains.length > 0 ? `only ${network.allowedDomains.join(', ')}` : 'no network';
  const sockets = network.allowAllUnixSockets ? 'any Unix socket' : 'no Unix sockets';
  return `they can write only to ${places}, reach ${hosts} and ${sockets}, and see only toolchains among the dotfiles in your home directory`;
}

function notConfined({ allowUnsandboxedCommands, excludedCommands }: SandboxSettings): string {
  const outside = allowUnsandboxedCommands === false ? [] : ['commands you allow to run outside it'];
  const excluded = excludedCommands.length > 0 ? [`excluded commands (${excludedCommands.join(', ')})`] : [];
  return `Not confined: ${[...outside, ...excluded, 'reading your other files'].join(', ')}.`;
}

function bare(why: string): string {
  return `Nothing confines shell commands: ${why.replace(/\.$/, '')}. Only rules, modes and your answers protect you.`;
}

function explain(works: Exclude<Result<unknown>, { ok: true }>): string {
  const { message, hint } = works.problem;
  return hint ? `${message} ${hint}` : message;
}

function readVersion({ bwrapPath }: SandboxSettings): string | undefined {
  const program = findSystemProgram('bwrap', bwrapPath);
  if (program === undefined) return undefined;
  const { stdout } = spawnSync(program, ['--version'], { encoding: 'utf8', timeout: 2000, cwd: '/' });
  return /\d[\d.]*/.exec(stdout ?? '')?.[0];
}
