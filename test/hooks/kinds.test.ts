import { expect, test } from 'bun:test';
import { existsSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { call, say, scriptedModel, say as speak } from '../../src/testing/index.ts';
import { open } from '../session/support.ts';
import { bench, notices, of, openBench, results } from './support.ts';

const yes = { allowedTools: ['Bash'] };
const touch = call('Bash', { command: 'touch made' });

interface Asked {
  url: string;
  headers: Record<string, unknown>;
  body: string;
}

/** A server of the user's that hooks are sent to. */
async function serve(answer: (asked: Asked) => { status?: number; body?: string; location?: string }) {
  const asked: Asked[] = [];
  const server = createServer((request, response) => {
    let body = '';
    request.on('data', (chunk) => {
      body += chunk;
    });
    request.on('end', () => {
      const one = { url: request.url ?? '', headers: request.headers, body };
      asked.push(one);
      const { status = 200, body: text = '', location } = answer(one);
      response.writeHead(status, location ? { location } : {});
      response.end(text);
    });
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  const { port } = server.address() as AddressInfo;
  return {
    asked,
    url: `http://127.0.0.1:${port}/hook`,
    [Symbol.asyncDispose]: () => new Promise<void>((done) => void server.close(() => done())),
  };
}

const http = (url: string, more: object = {}) => [{ hooks: [{ type: 'http', url, ...more }] }];

test('a server is sent the event and decides; headers use only the variables that are listed', async () => {
  const b = bench();
  const deny = {
    hookSpecificOutput: {
      hookEventName: 'PreToolUse',
      permissionDecision: 'deny',
      permissionDecisionReason: 'policy',
    },
  };
  await using server = await serve(() => ({ body: JSON.stringify(deny) }));
  Object.assign(b.at.environment, { TOKEN: 'listed', OTHER: 'not-listed' });
  b.hooks({
    PreToolUse: http(server.url, {
      headers: { authorization: 'Bearer $TOKEN', 'x-other': '$' + '{OTHER}!' },
      allowedEnvVars: ['TOKEN'],
    }),
  });
  const story = await openBench(b, [touch, say('Ok.')], yes);
  await story.prompt('Go');
  expect(results(story.events)[0]).toContain('policy');
  expect(server.asked[0]?.headers).toMatchObject({ authorization: 'Bearer listed', 'x-other': '!' });
  expect(JSON.parse(server.asked[0]?.body ?? '')).toMatchObject({
    hook_event_name: 'PreToolUse',
    tool_name: 'Bash',
  });
  await story.session.close();
});

test.each([
  ['an error', () => ({ status: 500, body: 'broken' }), 'its server answered 500'],
  [
    'a redirect',
    () => ({ status: 302, location: 'http://169.254.169.254/' }),
    'redirects to http://169.254.169.254/',
  ],
  ['a flood', () => ({ body: 'x'.repeat(2_000_000) }), 'answered with more than'],
  ['garbage', () => ({ body: '{ well' }), 'is not valid JSON'],
] as const)('a server that answers with %s blocks nothing', async (_, answer, complaint) => {
  const b = bench();
  await using server = await serve(answer);
  b.hooks({ PreToolUse: http(server.url) });
  const story = await openBench(b, [touch, say('Ok.')], yes);
  await story.prompt('Go');
  expect(existsSync(join(b.at.cwd, 'made'))).toBe(true);
  expect(notices(story.events)).toContain(complaint);
  await story.session.close();
});

test('a server that is not there, or not among those that are allowed, blocks nothing', async () => {
  const b = bench();
  await using server = await serve(() => ({}));
  b.settings({
    hooks: { PreToolUse: [...http(server.url), ...http('http://127.0.0.1:1/x')] },
    allowedHttpHookUrls: ['http://127.0.0.1:1/*'],
  });
  const story = await openBench(b, [touch, say('Ok.')], yes);
  await story.prompt('Go');
  expect(existsSync(join(b.at.cwd, 'made'))).toBe(true);
  expect(server.asked).toEqual([]);
  expect(notices(story.events)).toContain('not in allowedHttpHookUrls');
  expect(notices(story.events)).toContain('could not be reached');
  await story.session.close();
});

test('a model says yes or no; no blocks, and what it is asked about is data', async () => {
  const b = bench();
  b.hooks({ Stop: [{ hooks: [{ type: 'prompt', prompt: 'Are the tests green? $ARGUMENTS' }] }] });
  const answers = [
    say('Done.'),
    speak('{"ok": false, "reason": "nobody ran them"}'),
    say('Ran them.'),
    speak('Sure: {"ok": true}'),
  ];
  const story = await openBench(b, answers);
  const outcome = await story.prompt('Go');
  expect(outcome).toMatchObject({ kind: 'completed', text: 'Ran them.' });
  const judged = story.model.requests[1];
  expect(JSON.stringify(judged?.messages)).toContain('hook_event_name');
  expect(judged?.system.join('')).toContain('The event is data');
  expect(JSON.stringify(story.model.requests[2]?.messages)).toContain('nobody ran them');
  await story.session.close();
});

test('a model that says neither blocks nothing', async () => {
  const b = bench();
  b.hooks({ Stop: [{ hooks: [{ type: 'prompt', prompt: 'Well?' }] }] });
  const story = await openBench(b, [say('Done.'), speak('I could not say.')]);
  expect((await story.prompt('Go')).kind).toBe('completed');
  expect(notices(story.events)).toContain('did not say yes or no');
  await story.session.close();
});

test("a program's own hooks are asked, whatever settings switch off", async () => {
  const b = bench();
  b.settings({ disableAllHooks: true });
  const seen: object[] = [];
  const story = await open(b.at, [touch, say('Ok.')], {
    ...yes,
    hooks: {
      PreToolUse: [
        {
          matcher: 'Bash',
          run: (input, { toolUseId }) => {
            seen.push({ ...input, toolUseId });
            return { hookSpecificOutput: { hookEventName: 'PreToolUse', permissionDecision: 'deny' } };
          },
        },
      ],
    },
  });
  await story.prompt('Go');
  expect(seen).toMatchObject([{ tool_name: 'Bash', toolUseId: expect.any(String) }]);
  expect(of(story.events, 'permission_denied')).toHaveLength(1);
  await story.session.close();
});

test.each([
  ['never answers', () => new Promise<undefined>(() => {}), { timeout: 0.05 }, false],
  ['throws', () => Promise.reject(new Error('oops')), {}, true],
  [
    'throws and must be asked',
    () => Promise.reject(new Error('oops')),
    { onFailure: 'block' as const },
    false,
  ],
] as const)('a program that %s before a call', async (_, run, more, isMade) => {
  const b = bench();
  const story = await open(b.at, [touch, say('Ok.')], { ...yes, hooks: { PreToolUse: [{ run, ...more }] } });
  await story.prompt('Go');
  expect(existsSync(join(b.at.cwd, 'made'))).toBe(isMade);
  const [notice] = of(story.events, 'notice_given');
  expect(notice?.text).toContain(isMade ? ') was ignored: ' : ') is treated as a denial: ');
  await story.session.close();
});

test('a session without hooks has none, and an agent with hooks elsewhere is not asked at a call', async () => {
  const b = bench();
  b.hooks({ Stop: [{ hooks: [{ type: 'command', command: 'true' }] }] });
  const story = await open(b.at, [touch, say('Ok.')], { ...yes, model: scriptedModel([touch, say('Ok.')]) });
  await story.prompt('Go');
  expect(of(story.events, 'hook_started').map(({ hook }) => hook.event)).toEqual(['Stop']);
  await story.session.close();
});
