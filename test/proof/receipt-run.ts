import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { hashBytes } from '../../src/lib/hash.ts';
import type { Claim } from '../../src/protocol/index.ts';
import { openSession } from '../../src/session/open.ts';
import { call, say, scriptedModel, type Turn } from '../../src/testing/index.ts';
import type { Random } from './random.ts';

/** A run of a real session, and what is true and false about it: known from what was done, not from what was recorded. */
export interface ReceiptRun {
  directory: string;
  home: string;
  cwd: string;
  sessionId: string;
  truths: Claim[];
  lies: Claim[];
}

interface Deed {
  turn: Turn;
  truths: Claim[];
  lies: Claim[];
}

const claimTail = { command: 'command', file: 'file', output: 'output', check: 'check' } as const;

/** Commands with chosen exit codes and outputs, new, changed and deleted files, edits that fail: `count` deeds. */
export async function performRun(random: Random, count: number): Promise<ReceiptRun> {
  const directory = mkdtempSync(join(tmpdir(), 'cadre-receipts-'));
  const cwd = join(directory, 'work');
  const userHome = join(directory, 'user');
  const home = join(userHome, '.cadre');
  mkdirSync(cwd, { recursive: true });
  mkdirSync(userHome, { recursive: true });
  for (let number = 0; number < count; number++)
    for (const name of ['old', 'gone', 'kept'])
      writeFileSync(join(cwd, `${name}-${number}.txt`), `${name} ${number}\n`);
  writeFileSync(join(cwd, 'package.json'), '{"scripts":{"test":"sh check.sh"}}\n');
  writeFileSync(join(cwd, 'check.sh'), 'exit 0\n');
  mkdirSync(join(cwd, 'decoy'));
  writeFileSync(join(cwd, 'decoy', 'package.json'), '{"scripts":{"test":"true"}}\n');
  const deeds = Array.from({ length: count }, (_, number) => makeDeed(number, random));
  const opened = await openSession({
    ...{ cwd, sandbox: false, permissionMode: 'bypassPermissions' as const },
    model: scriptedModel([...deeds.map(({ turn }) => turn), ...checkDeed.turns, say('Done.')]),
    environment: { PATH: process.env.PATH ?? '', HOME: userHome, CADRE_HOME: home, SHELL: '/bin/sh' },
  });
  if (!opened.ok) throw new Error(opened.problem.message);
  const session = opened.value;
  await session.run('Do it all.');
  const { id } = session.info();
  await session.close();
  return {
    ...{ directory, home, cwd, sessionId: id },
    truths: [...deeds.flatMap(({ truths }) => truths), ...checkDeed.truths],
    lies: [...deeds.flatMap(({ lies }) => lies), ...checkDeed.lies],
  };
}

export function removeRun({ directory }: ReceiptRun): void {
  rmSync(directory, { recursive: true, force: true });
}

export function hashAt(path: string): string {
  return hashBytes(readFileSync(path));
}

function makeDeed(number: number, random: Random): Deed {
  return (
    [runCommand, writeNew, editOld, deleteOld, failEdit, maskExit][random.below(6)]?.(number, random) ??
    runCommand(number, random)
  );
}

function runCommand(number: number, random: Random): Deed {
  const code = random.below(4);
  const id = `toolu_c${number}`;
  const said = `word-${number}-${random.below(1_000_000)}`;
  const command = `echo ${said}; exit ${code}`;
  const of = (expect: string): Claim => ({ kind: claimTail.command, call: id, expect });
  const out = (text: string): Claim => ({
    kind: claimTail.output,
    call: id,
    expect: `contains ${JSON.stringify(text)}`,
  });
  return {
    turn: call('Bash', { command }, id),
    truths: [
      of(`exit ${code}`),
      of(code === 0 ? 'passed' : 'failed'),
      out(said),
      { kind: 'command', call: command, expect: `exit ${code}` },
      { kind: 'command', call: id, expect: `sha256:${hashBytes(`${said}\n`)}` },
    ],
    lies: [
      of(`exit ${code + 1}`),
      of(code === 0 ? 'failed' : 'passed'),
      out(`${said}x`),
      { kind: 'command', call: `${id}x`, expect: `exit ${code}` },
      { kind: 'command', call: id, expect: `sha256:${hashBytes(said)}` },
      { kind: 'check', call: id, expect: 'tests passed' },
    ],
  };
}

function writeNew(number: number, random: Random): Deed {
  const path = `new-${number}.txt`;
  const content = `new ${random.below(1_000_000)}\n`;
  return {
    turn: call('Write', { file_path: path, content }, `toolu_w${number}`),
    truths: [file(path, 'created'), file(path, 'changed'), file(path, `sha256:${hashBytes(content)}`)],
    lies: [file(path, 'deleted'), file(path, 'unchanged'), file(path, `sha256:${hashBytes(`${content} `)}`)],
  };
}

function editOld(number: number, random: Random): Deed {
  const path = `old-${number}.txt`;
  const content = `changed ${random.below(1_000_000)}\n`;
  return {
    turn: call('Bash', { command: `printf '%s\\n' '${content.trim()}' > ${path}` }, `toolu_e${number}`),
    truths: [file(path, 'changed'), file(path, 'modified'), file(path, `sha256:${hashBytes(content)}`)],
    lies: [file(path, 'created'), file(path, 'deleted'), file(path, 'unchanged')],
  };
}

function deleteOld(number: number): Deed {
  const path = `gone-${number}.txt`;
  return {
    turn: call('Bash', { command: `rm ${path}` }, `toolu_d${number}`),
    truths: [file(path, 'deleted')],
    lies: [file(path, 'changed'), file(path, 'created'), file(path, 'unchanged')],
  };
}

/** The file was not read before, so the edit is refused: nothing has changed. */
function failEdit(number: number): Deed {
  const path = `kept-${number}.txt`;
  const input = { file_path: path, old_string: 'kept', new_string: 'other' };
  return {
    turn: call('Edit', input, `toolu_f${number}`),
    truths: [],
    lies: [
      file(path, 'changed'),
      file(path, 'created'),
      { kind: 'command', call: `toolu_f${number}`, expect: 'exit 0' },
    ],
  };
}

/** The exit code of a line is not that of the check in it. */
function maskExit(number: number): Deed {
  const id = `toolu_m${number}`;
  return {
    turn: call('Bash', { command: 'npm test --silent || true' }, id),
    truths: [{ kind: 'command', call: id, expect: 'exit 0' }],
    lies: [{ kind: 'check', call: id, expect: 'tests passed' }],
  };
}

/** At the end, when nothing changes any more. */
const checkDeed = {
  turns: [
    call('Bash', { command: 'cd decoy && npm test && cd ..' }, 'toolu_decoy_line'),
    call('Bash', { command: 'cd decoy' }, 'toolu_enter'),
    call('Bash', { command: 'npm test' }, 'toolu_decoy'),
    call('Bash', { command: 'cd ..' }, 'toolu_leave'),
    call('Bash', { command: 'npm test' }, 'toolu_check'),
  ],
  truths: [
    { kind: 'check', expect: 'tests passed' },
    { kind: 'check', call: 'toolu_check', expect: 'tests passed' },
  ] satisfies Claim[],
  lies: [
    { kind: 'check', call: 'toolu_decoy_line', expect: 'tests passed' },
    { kind: 'check', call: 'toolu_decoy', expect: 'tests passed' },
    { kind: 'check', expect: 'tests failed' },
    { kind: 'check', expect: 'lint passed' },
  ] satisfies Claim[],
};

function file(path: string, expect: string): Claim {
  return { kind: 'file', path, expect };
}
