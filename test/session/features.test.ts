import { expect, test } from 'bun:test';
import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { defineTool, type Feature, openSession, textResult } from '../../src/index.ts';
import { call, say, scriptedModel } from '../../src/testing/index.ts';
import { repository } from './repository.ts';
import { place as emptyPlace, open } from './support.ts';

function place() {
  const at = emptyPlace();
  mkdirSync(at.cwd, { recursive: true });
  return at;
}

function countingFeature(): Feature {
  let count = 0;
  const tool = defineTool({
    name: 'Count',
    description: 'Counts up.',
    schema: z.strictObject({}),
    access: () => [{ kind: 'none' }],
    concurrent: () => false,
    summary: () => '',
    // biome-ignore lint/correctness/useYield: it is over at once
    async *run() {
      return textResult(`This is call ${++count}.`);
    },
  });
  return {
    name: 'counting',
    open: ({ place: { cwd } }) => ({
      tools: [tool],
      promptParts: ['# Counting\n\nCount with Count, never in your head.'],
      notices: [`Calls are counted in ${cwd}.`],
    }),
  };
}

test('a feature that a program gives adds a tool, a part of the prompt and a notice', async () => {
  const at = place();
  const { session, model, events, prompt } = await open(at, [call('Count', {}), say('Once.')], {
    features: [countingFeature()],
  });
  await prompt('Count.');
  const [first, second] = model.requests;
  expect(first?.tools.at(-1)?.name).toBe('Count');
  expect(first?.system.at(-1)).toStartWith('# Counting');
  expect(JSON.stringify(second?.messages)).toContain('This is call 1.');
  const notices = events.flatMap((event) => (event.type === 'notice_given' ? [event.text] : []));
  expect(notices).toContain(`Calls are counted in ${at.cwd}.`);
  await session.close();
});

test('the tool of a feature stays where --tools names others', async () => {
  const { session, prompt, events } = await open(place(), [call('Count', {}), say('Once.')], {
    features: [countingFeature()],
    tools: ['Read'],
  });
  await prompt('Count.');
  expect(session.info().tools).toEqual(['Read', 'Count']);
  expect(JSON.stringify(events)).toContain('This is call 1.');
  await session.close();
});

test('features close in the reverse order of opening', async () => {
  const seen: string[] = [];
  const features = ['one', 'two'].map((name) => noting(name, seen));
  const { session } = await open(place(), [], { features });
  expect(seen).toEqual(['one open', 'two open', 'one ready', 'two ready']);
  await session.close();
  expect(seen.slice(4)).toEqual(['two closed', 'one closed']);
});

test('a feature that cannot be opened ends the start, and the ones before it are closed', async () => {
  const at = place();
  const seen: string[] = [];
  const broken: Feature = {
    name: 'broken',
    open: () => ({ ok: false, problem: { kind: 'usage', message: 'There is no such server.' } }),
  };
  const model = scriptedModel([]);
  const options = { cwd: at.cwd, environment: at.environment, model, sandbox: false };
  const sessionId = '00000000-0000-4000-8000-00000000000a';
  const features = [noting('one', seen), broken, noting('three', seen)];
  const opened = await openSession({ ...options, sessionId, features });
  expect(opened).toMatchObject({ ok: false, problem: { message: 'There is no such server.' } });
  expect(seen).toEqual(['one open', 'one closed']);
  // Its claim is given back.
  const again = await openSession({ ...options, sessionId });
  expect(again.ok).toBe(true);
  if (again.ok) await again.value.close();
});

test('a session that fails to open late leaves nothing behind: no claim, no worktree, no hook that ran', async () => {
  const at = repository();
  const ran = join(at.cwd, '..', 'ran');
  mkdirSync(at.home, { recursive: true });
  const hook = [{ hooks: [{ type: 'command', command: `touch ${ran}` }] }];
  writeFileSync(join(at.home, 'settings.json'), JSON.stringify({ hooks: { SessionEnd: hook } }));
  const seen: string[] = [];
  const model = scriptedModel([]);
  const options = { cwd: at.cwd, environment: at.environment, model, sandbox: false };
  const sessionId = '00000000-0000-4000-8000-00000000000b';
  const features = [noting('one', seen)];
  const opened = await openSession({ ...options, sessionId, features, worktree: 'mine', tools: ['Nope'] });
  expect(opened).toMatchObject({ ok: false, problem: { message: '--tools: no tool is named "Nope".' } });
  expect(seen).toEqual(['one open', 'one closed']);
  expect(existsSync(join(at.cwd, '.cadre', 'worktrees', 'mine'))).toBe(false);
  expect(existsSync(ran)).toBe(false);
  expect(readdirSync(join(at.home, 'running'))).toEqual([]);
});

test('a feature may close with the function that ends its listening, whatever that returns', async () => {
  const listening: Feature = {
    name: 'listening',
    open: ({ events }) => ({ close: events.listen(() => {}) }),
  };
  const { session } = await open(place(), [], { features: [listening] });
  expect(await session.close()).toEqual({ ok: true, value: undefined });
});

test('a feature whose closing throws keeps none of the others open', async () => {
  const seen: string[] = [];
  const throwing: Feature = {
    name: 'throwing',
    open: () => ({
      close() {
        throw new Error('no');
      },
    }),
  };
  const { session } = await open(place(), [], { features: [noting('one', seen), throwing] });
  await expect(session.close()).rejects.toThrow('no');
  expect(seen.at(-1)).toBe('one closed');
});

function noting(name: string, seen: string[]): Feature {
  return {
    name,
    open() {
      seen.push(`${name} open`);
      return {
        ready: () => void seen.push(`${name} ready`),
        close: () => void seen.push(`${name} closed`),
      };
    },
  };
}
