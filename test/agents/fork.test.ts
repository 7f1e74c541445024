import { expect, test } from 'bun:test';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { forkMessages } from '../../src/agents/fork-messages.ts';
import type { MessageRecord, ModelRequest } from '../../src/protocol/index.ts';
import { call, calls, lastUserText, say, think, together } from '../../src/testing/index.ts';
import { openStory, quiet } from './support.ts';
import { cacheable, openWired, type Wired } from './wire.ts';

const forking = { agentLimits: { fork: true } };
const fork = (prompt: string, more = {}) => call('Agent', { description: 'x', prompt, ...more });
const directives = ['Look at the left side.', 'Look at the right side.'];

/** A parent of about 100 KB that forks twice, over the wire. */
async function siblings(): Promise<Wired> {
  let lead = 0;
  const readsBig = (name: string) => call('Read', { file_path: join(wired.cwd, name) });
  const wired = await openWired((request) => {
    const directive = directives.find((text) => lastUserText(request).endsWith(text));
    if (directive) return say(`Done: ${directive}`);
    lead++;
    if (lead === 1) return together(think('I read it first.'), readsBig('a.txt'), readsBig('b.txt'));
    if (lead === 2) return together(say('Two at once.'), ...directives.map((text) => fork(text)));
    return say('Ok.');
  }, forking);
  const line = `${'x'.repeat(98)}\n`;
  for (const name of ['a.txt', 'b.txt']) writeFileSync(join(wired.cwd, name), line.repeat(450));
  return wired;
}

async function forked() {
  const at = await siblings();
  await at.prompt('Please look at both sides of it.');
  await quiet(at);
  const bodies = at.bodies();
  expect(at.provider.complaints).toEqual([]);
  const forks = bodies.filter((body) => body.includes('<cadre-fork>'));
  const parent = bodies.filter((body) => !body.includes('<cadre-fork>'))[1] ?? '';
  return { at, forks, parent };
}

test('FK1 FK2 siblings send the same bytes up to the directive, and then nothing but it', async () => {
  const { at, forks } = await forked();
  await using _ = at;
  expect(forks).toHaveLength(2);
  const [left, right] = forks.map((body) => {
    const directive = directives.find((text) => body.includes(`${text}"}]}]}`)) ?? '';
    const at = body.lastIndexOf(directive);
    return { before: body.slice(0, at), directive, after: body.slice(at + directive.length) };
  });
  expect(left?.before).toBe(right?.before as string);
  expect(left?.after).toBe(right?.after as string);
  expect(new Set([left?.directive, right?.directive])).toEqual(new Set(directives));
});

test("FK1 FK3 a fork sends its parent's tools, system prompt, model and thinking, and all its messages", async () => {
  const { at, forks, parent } = await forked();
  await using _ = at;
  const [own, above] = [cacheable(forks[0] ?? ''), cacheable(parent)];
  expect(own.tools).toBe(above.tools);
  expect(own.system).toBe(above.system);
  expect(own.messages.slice(0, above.messages.length)).toEqual(above.messages);
  const options = (body: string) => {
    const { tools, system, messages, ...rest } = JSON.parse(body);
    return rest;
  };
  expect(options(forks[0] ?? '')).toEqual(options(parent));
});

test('P1 at least 99 % of a fork can come from the cache, with a parent of 100 KB', async () => {
  const { at, forks, parent } = await forked();
  await using _ = at;
  expect(parent.length).toBeGreaterThan(100_000);
  const own = cacheable(forks[0] ?? '');
  const whole = [own.tools, own.system, ...own.messages.map((message) => JSON.stringify(message))].join('');
  const above = cacheable(parent);
  const known = [above.tools, above.system, ...above.messages.map((message) => JSON.stringify(message))].join(
    '',
  );
  let shared = 0;
  while (shared < known.length && whole[shared] === known[shared]) shared++;
  expect(shared / whole.length).toBeGreaterThanOrEqual(0.99);
});

test('FK2 every call of the message that forked gets the same placeholder, and the directive comes last', async () => {
  const { at, forks } = await forked();
  await using _ = at;
  const { messages } = cacheable(forks[0] ?? '');
  const last = messages.at(-1) as { role: string; content: { type: string; content?: unknown }[] };
  expect(last.role).toBe('user');
  expect(last.content.map((block) => block.type)).toEqual(['tool_result', 'tool_result', 'text']);
  expect(last.content[0]?.content).toEqual(last.content[1]?.content);
});

test('FK3 calls that never got a result are not inherited', () => {
  const base = { parentUuid: null, sessionId: 's', timestamp: '', isSidechain: false };
  const usage = {
    input_tokens: 0,
    output_tokens: 0,
    cache_read_input_tokens: 0,
    cache_creation_input_tokens: 0,
  };
  const assistant = (uuid: string, ...ids: string[]): MessageRecord => ({
    ...base,
    ...{ type: 'assistant', uuid },
    message: {
      ...{ role: 'assistant', id: uuid, model: 'm', stop_reason: 'tool_use', usage },
      content: [
        { type: 'text', text: 'Hm.' },
        ...ids.map((id) => ({ type: 'tool_use' as const, id, name: 'Read', input: {} })),
      ],
    },
  });
  const answer: MessageRecord = {
    ...base,
    ...{ type: 'user', uuid: 'u', origin: { kind: 'tool-results' } },
    message: { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'answered', content: [] }] },
  };
  const start = forkMessages(
    [assistant('1', 'answered', 'never'), answer, assistant('2', 'forks')],
    'forks',
    'Go.',
  );
  const ids = start?.inherited.flatMap(({ message }) =>
    message.content.flatMap((block) => (block.type === 'tool_use' ? [block.id] : [])),
  );
  expect(ids).toEqual(['answered', 'forks']);
  expect(start?.content.map((block) => block.type)).toEqual(['tool_result', 'text']);
});

test('FK1 a fork whose parent no longer has the message is refused: nothing is rendered again', () => {
  expect(forkMessages([], 'toolu_gone', 'Go.')).toBeUndefined();
});

test('FK5 while forking is off, asking for a fork is an error that says so', async () => {
  const story = await openStory({ lead: [fork('x', { subagent_type: 'fork' }), say('Ok.')], agents: {} });
  await story.prompt('Go');
  expect(story.results()[0]).toContain('Forks are switched off here.');
  expect(story.leadRequests()[0]?.tools.find((tool) => tool.name === 'Agent')?.description).not.toContain(
    '- fork:',
  );
  await story.session.close();
});

test('FK5 EX1 while forking is on, every agent runs in the background, also one of a named type', async () => {
  const story = await openStory(
    {
      lead: [
        calls([fork('Fork', { run_in_background: false }), fork('Named', { subagent_type: 'Explore' })]),
        say('Ok.'),
        say('Heard.'),
        say('Heard.'),
      ],
      agents: { Fork: [say('f')], Named: [say('n')] },
    },
    forking,
  );
  await story.prompt('Go');
  expect(story.toolData()).toMatchObject([{ isAsync: true }, { isAsync: true }]);
  await story.session.close();
});

test('FK4 a fork cannot fork: refused by what it is', async () => {
  const story = await openStory(
    {
      lead: [fork('Fork on'), say('Ok.'), say('Heard.')],
      agents: { 'Fork on': [fork('Further'), say('I could not.')] },
    },
    forking,
  );
  await story.prompt('Go');
  await story.runs(2);
  const [, second] = story.requestsOf('Fork on');
  expect(JSON.stringify(second?.messages.at(-1))).toContain('A fork cannot start agents.');
  await story.session.close();
});

test('FK4 nor one of a named type, nor after its history was compacted, over which its directive stays as it was', async () => {
  const story = await openStory(
    {
      lead: [fork('Work long'), say('Ok.'), say('Heard.')],
      agents: {
        'Work long': [
          { ...call('Read', { file_path: 'big.txt' }), usage: { input_tokens: 190_000 } },
          // The summary, in place of all that was said.
          say('<summary>I am to work long.</summary>'),
          call('Glob', { pattern: '*' }),
          fork('Further', { subagent_type: 'Explore' }),
          say('I could not.'),
        ],
      },
    },
    forking,
  );
  writeFileSync(join(story.at.cwd, 'big.txt'), `${'x'.repeat(99)}\n`.repeat(590));
  await story.prompt('A task of the lead');
  await quiet(story);
  const isCompacted = story.events.some(
    (event) => event.type === 'conversation_compacted' && event.agentId !== null,
  );
  expect(isCompacted).toBe(true);
  const last = JSON.stringify(story.requestsOf('Work long').at(-1)?.messages);
  expect(last).toContain('A fork cannot start agents.');
  expect(last).toContain('</cadre-fork>\\n\\nWork long"');
  await story.session.close();
});

test('FK1 TM10 a fork goes on from its transcript, on top of what it inherited, with every call answered', async () => {
  const { resumed, first } = await goneOn({});
  expect(resumed?.messages.slice(0, 3)).toEqual([...(first?.messages ?? [])]);
  expect(resumed?.tools).toEqual(first?.tools as ModelRequest['tools']);
  expect(resumed?.system).toEqual(first?.system as string[]);
});

test('FK1 TM10 the same where nothing is kept on disk', async () => {
  const { resumed, first } = await goneOn({ persist: false });
  expect(resumed?.messages.slice(0, 3)).toEqual([...(first?.messages ?? [])]);
});

async function goneOn(options: { persist?: boolean }) {
  const story = await openStory(
    {
      lead: (request) => {
        const text = lastUserText(request);
        if (text === 'Look.') return calls([fork('One side', { name: 'one' }), fork('Other side')]);
        return text === 'Again.' ? call('SendMessage', { to: 'one', message: 'Once more.' }) : say('Ok.');
      },
      agents: { 'One side': [say('Seen.'), say('Seen again.')], 'Other side': [say('Seen too.')] },
    },
    { ...forking, ...options },
  );
  await story.prompt('Look.');
  await quiet(story);
  await story.prompt('Again.');
  await quiet(story);
  const [first, resumed] = story.requestsOf('One side');
  expect(resumed).toBeDefined();
  await story.session.close();
  return { first, resumed };
}
