import { spawnSync } from 'node:child_process';
import type { Result } from '../../lib/result.ts';
import type { SandboxSettings } from '../../settings/sandbox.ts';
import { type Choice, chooseSandbox } from './choose.ts';
import { findSystemProgram } from './find-program.ts';

/** What protects the user on this machine, and what does not. */
export interface Protection {
  sandbox: string;
  version?: string;
  works: boolean;
  /** Why it does not. */
  problem?: string;
  text: string;
}

export async function describeProtection(choice: Choice): Promise<Protection> {
  const { settings } = choice;
  if (settings.enabled === false)
    return {
      sandbox: 'none',
      works: false,
      problem: 'sandbox.enabled is false',
      text: bare('you switched the sandbox off'),
    };
  const sandbox = await chooseSandbox(choice);
  const works = await sandbox.probe();
  sandbox.close?.();
  if (!works.ok) {
    const problem = explain(works);
    return { sandbox: sandbox.name, works: false, problem, text: bare(problem) };
  }
  const version = choice.platform === 'linux' ? versionOf(settings) : undefined;
  const text = `Shell commands are confined by ${[sandbox.name, version].filter(Boolean).join(' ')}: ${limits(settings)}.`;
  return {
    sandbox: sandbox.name,
    ...(version ? { version } : {}),
    works: true,
    text: `${text} ${notConfined(settings)}`,
  };
}

function limits({ network, filesystem }: SandboxSettings): string {
  const places = ['the workspace', ...filesystem.allowWrite, 'a /tmp of their own'].join(', ');
  const hosts =
    network.allowedDomains.length > 0 ? `only ${network.allowedDomains.join(', ')}` : 'no network';
  const sockets = network.allowAllUnixSockets ? 'any Unix socket' : 'no Unix sockets';
  return `they write ${places} and nothing else, reach ${hosts} and ${sockets}, and find keys and credentials closed`;
}

function notConfined({ allowUnsandboxedCommands, excludedCommands }: SandboxSettings): string {
  const outside = allowUnsandboxedCommands === false ? [] : ['what you let leave it when you are asked'];
  const excluded = excludedCommands.length > 0 ? [`excluded commands (${excludedCommands.join(', ')})`] : [];
  return `Not confined: ${[...outside, ...excluded, 'reading other files'].join(', ')}.`;
}

function bare(why: string): string {
  return `Nothing confines shell commands: ${why.replace(/\.$/, '')}. Only rules, modes and your answers protect you.`;
}

function explain(works: Exclude<Result<void>, { ok: true }>): string {
  const { message, hint } = works.problem;
  return hint ? `${message} ${hint}` : message;
}

function versionOf({ bwrapPath }: SandboxSettings): string | undefined {
  const program = findSystemProgram('bwrap', bwrapPath);
  if (program === undefined) return undefined;
  const { stdout } = spawnSync(program, ['--version'], { encoding: 'utf8', timeout: 2000, cwd: '/' });
  return /\d[\d.]*/.exec(stdout ?? '')?.[0];
}
