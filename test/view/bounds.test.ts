import { expect, test } from 'bun:test';
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { importsOf } from '../../scripts/source.ts';
import type { AgentEvent, AssistantBlock, UserBlock } from '../../src/protocol/index.ts';
import { noUsage } from '../../src/protocol/index.ts';
import {
  emptyView,
  loadConversation,
  reduce,
  reduceAll,
  releaseConversation,
  type View,
} from '../../src/view/index.ts';
import { lead, told, watch } from './support.ts';

const huge = `\u001b]52;c;AAAA\u0007${'x'.repeat(10_000_000)}`;

test('text from outside is kept as it came, and is bounded', () => {
  const view = watch([
    asked('Go'),
    answered([{ type: 'tool_use', id: 'c', name: 'Bash', input: { command: huge, more: { deep: huge } } }]),
    lead({ type: 'tool_started', toolUseId: 'c', toolName: 'Bash', input: { command: huge }, summary: 'x' }),
    lead({ type: 'tool_progressed', toolUseId: 'c', toolName: 'Bash', progress: { text: huge } }),
    resulted('c', huge),
    lead({ type: 'notice_given', level: 'warning', text: huge }),
    asked(huge),
  ]);
  const [, call, notice, prompt] = view.lead.entries;
  expect(JSON.stringify(view).length).toBeLessThan(60_000);
  expect(call).toMatchObject({ call: { state: 'done', result: { characters: huge.length, lines: 1 } } });
  expect(call?.kind === 'call' && call.call.result?.text.startsWith('\u001b]52;')).toBe(true);
  expect(notice).toMatchObject({ kind: 'notice' });
  expect(prompt).toMatchObject({ kind: 'prompt', text: { characters: huge.length } });
});

test('of an immense answer both ends are kept, with what is between them counted', () => {
  const text = `Begin. ${'x'.repeat(5_000_000)} The end.`;
  const [entry] = watch([answered([{ type: 'text', text }])]).lead.entries;
  if (entry?.kind !== 'text') throw new Error('a text is expected');
  expect(entry.text.length).toBeLessThanOrEqual(2_000_000);
  expect(entry.text).toMatch(
    /^Begin\..*… 3\d{6} characters omitted; the transcript has the full text ….*The end\.$/s,
  );
  expect(entry.characters).toBe(text.length);
});

test('an answer as long as models write is kept whole', () => {
  const text = 'x'.repeat(1_000_000);
  expect(watch([answered([{ type: 'text', text }])]).lead.entries).toMatchObject([{ kind: 'text', text }]);
});

test('an edit that waits shows what goes and what comes: parts of a file, which do not end as files do', () => {
  const shown = (old_string: string, new_string: string) => {
    const input = { file_path: '/f', old_string, new_string };
    const [call] = watch([answered([{ type: 'tool_use', id: 'c', name: 'Edit', input }])]).lead.live.calls;
    return call?.diff?.hunks.flatMap(({ lines }) => lines);
  };
  expect(shown('one\ntwo', 'one\n2')).toEqual([' one', '-two', '+2']);
  expect(shown('one\n', 'two\n')).toEqual(['-one', '+two']);
  expect(shown('', 'new')).toEqual(['+new']);
  expect(shown('gone', '')).toEqual(['-gone']);
});

test('a long conversation keeps its newest entries and counts the others', () => {
  const prompts = Array.from({ length: 6_000 }, (_, index) => asked(`${index}`));
  const { entries, left } = watch(prompts).lead;
  expect(entries.length).toBeLessThanOrEqual(2_500);
  expect(left + entries.length).toBe(6_000);
  expect(told({ entries }).at(-1)).toBe('person: 5999');
  expect(told({ entries })[0]).toBe(`person: ${left}`);
});

test('of many agents that have ended the newest conversations are at hand', () => {
  const events = Array.from({ length: 120 }, (_, index) => [
    agentChanged(`a${index}`, 'running', index),
    { ...asked('Look'), agentId: `a${index}` },
    agentChanged(`a${index}`, 'completed', index),
  ]).flat();
  const view = reduceAll(emptyView(), events, 1);
  expect(view.agents.size).toBe(120);
  const held = [...view.agents.values()].filter(({ conversation }) => conversation.entries.length > 0);
  expect(held.map(({ id }) => id)).toEqual(Array.from({ length: 50 }, (_, index) => `a${index + 70}`));
  expect(view.agents.get('a0')?.conversation).toMatchObject({ left: 1, entries: [] });
});

test('what was read to look into an agent is let go of, but for the newest', () => {
  const prompts = Array.from({ length: 200 }, (_, index) => ({ ...asked(`${index}`), agentId: 'a' }));
  const heard = reduceAll(emptyView(), [agentChanged('a', 'running'), ...prompts], 1);
  const records = prompts.flatMap((event) => (event.type === 'message_added' ? [event.record] : []));
  const chained = records.map((record, index) => ({
    ...record,
    parentUuid: records[index - 1]?.uuid ?? null,
  }));
  const looking = loadConversation(heard, 'a', chained);
  expect(looking.agents.get('a')?.conversation).toMatchObject({ left: 0, entries: { length: 200 } });
  const after = releaseConversation(looking, 'a').agents.get('a')?.conversation;
  expect(after).toMatchObject({ left: 188, entries: { length: 12 } });
  expect(told(after ?? looking.lead).at(-1)).toBe('person: 199');
});

test('agents at work have different colours for as long as there are enough, and keep them', () => {
  const names = Array.from({ length: 8 }, (_, index) => `a${index}`);
  let view = reduceAll(
    emptyView(),
    names.map((id) => agentChanged(id, 'running')),
    1,
  );
  expect(coloursOf(view)).toHaveLength(8);
  view = reduce(view, agentChanged('a3', 'completed'), 2);
  const before = view.agents.get('a3')?.colour;
  view = reduce(view, agentChanged('b', 'running'), 3);
  expect(view.agents.get('b')?.colour).toBe(before as number);
  expect(view.agents.get('a3')?.colour).toBe(before as number);
});

test('what changes nothing gives the same view', () => {
  const view = watch([asked('Go')]);
  const event: AgentEvent = lead({
    type: 'tool_progressed',
    toolUseId: 'none',
    toolName: 'x',
    progress: { text: '' },
  });
  expect(reduce(view, event, 99)).toBe(view);
});

test('what an event does not touch is shared', () => {
  const view = reduceAll(
    emptyView(),
    [agentChanged('a', 'running'), agentChanged('b', 'running'), asked('Go')],
    1,
  );
  const next = reduce(view, { ...asked('Look'), agentId: 'a' }, 2);
  expect(next.agents.get('b')).toBe(view.agents.get('b') as never);
  expect(next.lead).toBe(view.lead);
  expect(next.session).toBe(view.session);
  expect(view.agents.get('a')?.conversation.entries).toEqual([]);
});

/** Packages without anything of Node in them. */
const runsInBrowsers = ['diff'];

test('nothing of the view needs more than a browser has', () => {
  const seen = new Set<string>();
  const visit = (path: string): void => {
    if (seen.has(path)) return;
    seen.add(path);
    for (const { specifier, isType } of valueImports(path)) {
      if (isType || runsInBrowsers.includes(specifier)) continue;
      expect(`${path}: ${specifier}`).toMatch(/: \.{1,2}\//);
      visit(join(dirname(path), specifier));
    }
  };
  visit(join(import.meta.dirname, '../../src/view/index.ts'));
  expect(seen.size).toBeGreaterThan(20);
});

function valueImports(path: string): { specifier: string; isType: boolean }[] {
  const text = readFileSync(path, 'utf8');
  return importsOf(text).map((specifier) => ({
    specifier,
    isType: new RegExp(
      `(?:import|export) type [^;]*?from '${specifier.replace(/[.*+?^$()|[\]{}\\/]/g, '\\$&')}'`,
    ).test(text),
  }));
}

function coloursOf(view: View): number[] {
  return [...new Set([...view.agents.values()].map(({ colour }) => colour))];
}

let uuids = 0;
const base = () => ({
  ...{ uuid: `u${uuids++}`, parentUuid: null, sessionId: 's', isSidechain: false },
  timestamp: '2026-01-01T00:00:00.000Z',
});

function asked(text: string): AgentEvent & { type: 'message_added' } {
  const content: UserBlock[] = [{ type: 'text', text }];
  return lead({
    type: 'message_added',
    record: { type: 'user', ...base(), message: { role: 'user', content }, origin: { kind: 'human' } },
  });
}

function resulted(id: string, text: string): AgentEvent {
  const content: UserBlock[] = [{ type: 'tool_result', tool_use_id: id, content: [{ type: 'text', text }] }];
  return lead({
    type: 'message_added',
    record: { type: 'user', ...base(), message: { role: 'user', content }, origin: { kind: 'tool-results' } },
  });
}

function answered(content: AssistantBlock[]): AgentEvent {
  const message = {
    role: 'assistant',
    id: 'm',
    model: 'm',
    content,
    stop_reason: 'tool_use',
    usage: noUsage,
  } as const;
  return lead({ type: 'message_added', record: { type: 'assistant', ...base(), message } });
}

function agentChanged(id: string, status: 'running' | 'completed', second = 0): AgentEvent {
  const time = new Date(second * 1_000).toISOString();
  return lead({
    type: 'task_changed',
    task: {
      ...{
        id,
        runId: `${id}-run`,
        kind: 'local_agent',
        status,
        description: id,
        startedAt: time,
        owner: null,
      },
      ...{ outputFile: '', isBackgrounded: false, ...(status === 'completed' ? { endedAt: time } : {}) },
      agent: {
        ...{ type: 'scout', prompt: 'Look', model: 'm', depth: 1 },
        progress: { toolUses: 0, spentTokens: 0, runTokens: 0, activities: [] },
      },
    },
  });
}
