import { expect, test } from 'bun:test';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { buildRequest } from '../../src/commands/request.ts';
import { readFlags } from '../../src/commands/table/flag.ts';
import { type MainFlags, mainFlags } from '../../src/commands/table/main-flags.ts';
import type { HeadlessRequest } from '../../src/headless/run-prompt.ts';
import { serveHost } from '../../src/headless/serve-host.ts';
import { say } from '../../src/testing/index.ts';
import { control, noInterrupts, pipe, request, user } from './support.ts';

const stream = { inputFormat: 'stream-json', outputFormat: 'stream-json' } as const;
type Frame = Record<string, unknown>;
const isResult = ({ type }: Frame) => type === 'result';

function flags(given: Record<string, string | boolean | string[]>): MainFlags {
  const groups = Object.entries(mainFlags).map(([name, table]) => {
    const values = readFlags(table.flags, given);
    if (!values.ok) throw new Error(values.problem.message);
    return [name, values.value];
  });
  return Object.fromEntries(groups);
}

const answersHost = (given: Record<string, string>) => {
  const built = buildRequest(flags({ ...stream, ...given }), undefined, '/work');
  return built.ok && built.value.hostAnswers;
};

test('--permission-prompts none: the host is asked nothing, also where it offers to answer', () => {
  expect(answersHost({ permissionPromptTool: 'stdio' })).toBe(true);
  expect(answersHost({ permissionPrompts: 'host' })).toBe(true);
  expect(answersHost({ permissionPrompts: 'none' })).toBe(false);
  expect(answersHost({ permissionPromptTool: 'stdio', permissionPrompts: 'none' })).toBe(false);
});

/** The system prompt of the one request that a host's session makes. */
async function systemFor(initialize: object, session: HeadlessRequest['session']): Promise<string> {
  const { io, write, end, frame } = pipe();
  const wanted = request([say('Hello.')], { ...stream, session });
  const served = serveHost(wanted, io, noInterrupts);
  write(control('1', 'initialize', initialize));
  write(user('Hi'));
  await frame(isResult);
  end();
  expect(await served).toBe(0);
  return wanted.model.requests[0]?.system.join('\n') ?? '';
}

const agents = { poet: { description: 'Writes verse.', prompt: 'You are a poet.' } };

test('an agent keeps its prompt when the host sends an empty system prompt', async () => {
  const system = await systemFor({ systemPrompt: [''], agents }, { agent: 'poet' });
  expect(system).toContain('You are a poet.');
});

test('a coordinator keeps its prompt when the host sends an empty system prompt', async () => {
  const system = await systemFor({ systemPrompt: [''] }, { coordinator: true });
  expect(system).toContain("You are Cadre's coordinator.");
});

test("the host's own system prompt replaces that of the agent", async () => {
  const system = await systemFor({ systemPrompt: ['You are a lighthouse.'], agents }, { agent: 'poet' });
  expect(system).toContain('You are a lighthouse.');
  expect(system).not.toContain('You are a poet.');
});

test('settingSources also choose the memory files', async () => {
  const seen = async (settingSources: ('user' | 'project' | 'local')[] | undefined) => {
    const { io, write, end } = pipe();
    const wanted = request([say('Hello.')], stream);
    const { cwd = '', environment } = wanted.session;
    const home = environment?.HOME ?? '';
    for (const [file, text] of [
      [join(home, '.claude/CLAUDE.md'), 'note-of-user'],
      [join(home, '.claude/rules/one.md'), 'rule-of-user'],
      [join(cwd, 'CLAUDE.md'), 'note-of-project'],
      [join(cwd, '.claude/rules/two.md'), 'rule-of-project'],
      [join(cwd, 'CLAUDE.local.md'), 'note-of-local'],
    ] as const) {
      mkdirSync(join(file, '..'), { recursive: true });
      writeFileSync(file, text);
    }
    write(user('Hi'));
    end();
    const session = { ...wanted.session, ...(settingSources ? { settingSources } : {}) };
    await serveHost({ ...wanted, session }, io, noInterrupts);
    const text = wanted.model.requests[0]?.system.join('\n') ?? '';
    return [...text.matchAll(/(?:note|rule)-of-\w+/g)].map(([found]) => found).sort();
  };
  const all = ['note-of-local', 'note-of-project', 'note-of-user', 'rule-of-project', 'rule-of-user'];
  expect(await seen(undefined)).toEqual(all);
  expect(await seen([])).toEqual([]);
  expect(await seen(['user'])).toEqual(['note-of-user', 'rule-of-user']);
  expect(await seen(['project'])).toEqual(['note-of-project', 'rule-of-project']);
  expect(await seen(['local'])).toEqual(['note-of-local']);
});
