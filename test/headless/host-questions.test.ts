import { expect, test } from 'bun:test';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { readUpdates } from '../../src/headless/host/permission-updates.ts';
import { serveHost } from '../../src/headless/host/serve-host.ts';
import { openSession } from '../../src/session/open.ts';
import type { SessionOptions } from '../../src/session/options.ts';
import { call, expecting, say, type Turn } from '../../src/testing/index.ts';
import { noInterrupts, pipe, request, user } from './support.ts';

const touch = call('Bash', { command: 'touch made' });

/** Runs with a host that gives every question this answer; returns the questions and the place. */
async function host(turns: Turn[], response: object, session: Partial<SessionOptions> = {}) {
  const { io, write, end, frame, frames } = pipe();
  const wanted = request(turns, {
    inputFormat: 'stream-json',
    outputFormat: 'stream-json',
    hostAnswers: true,
  });
  const served = serveHost({ ...wanted, session: { ...wanted.session, ...session } }, io, noInterrupts);
  const answered = new Set<unknown>();
  write(user('Go'));
  for (;;) {
    const next = await frame(
      (one) => one.type === 'result' || (isQuestion(one) && !answered.has(one.request_id)),
    );
    if (next.type === 'result') break;
    answered.add(next.request_id);
    write({
      type: 'control_response',
      response: { subtype: 'success', request_id: next.request_id, response },
    });
  }
  end();
  await served;
  const { cwd = '', environment = {} } = wanted.session;
  const asked = frames().filter(isQuestion);
  return {
    cwd,
    home: environment.CADRE_HOME ?? '',
    asked: asked.map((one) => one.request as Record<string, unknown>),
  };
}

function isQuestion(frame: Record<string, unknown>): boolean {
  return (frame.request as { subtype?: string } | undefined)?.subtype === 'can_use_tool';
}

test('can_use_tool carries reason, kind of reason, suggestions and how to treat them', async () => {
  const { asked } = await host(
    [
      touch,
      call('Read', { file_path: '/etc/hostname' }),
      call('Write', { file_path: '.git/config', content: 'x' }),
      call('Bash', { command: 'git push' }),
      say('Well.'),
    ],
    { behavior: 'deny', message: 'no' },
    { settings: '{"permissions": {"ask": ["Bash(git push:*)"]}}' },
  );
  expect(asked).toMatchObject([
    {
      decision_reason_type: 'mode',
      permission_suggestions: [
        {
          type: 'addRules',
          behavior: 'allow',
          destination: 'localSettings',
          rules: [{ toolName: 'Bash', ruleContent: 'touch made' }],
        },
      ],
    },
    { decision_reason_type: 'workingDir', permission_suggestions: [{ destination: 'session' }] },
    { decision_reason_type: 'safetyCheck', suppress_always_allow_rule: true, default_to_no: true },
    { decision_reason_type: 'rule', matched_ask_rule: 'Bash(git push:*)', permission_suggestions: [] },
  ]);
});

const rules = [{ toolName: 'Bash', ruleContent: 'touch made' }];
const update = (destination: string, type = 'addRules') => ({
  behavior: 'allow',
  updatedPermissions: [{ type, behavior: 'allow', rules, destination }],
});

test('a rule for the session is not asked about again, and nothing is written', async () => {
  const { asked, cwd } = await host([touch, touch, say('Done.')], update('session'));
  expect(asked).toHaveLength(1);
  expect(existsSync(join(cwd, '.cadre'))).toBe(false);
});

test.each([
  ['localSettings', 'settings.local.json'],
  ['projectSettings', 'settings.json'],
])('a rule for %s is written to .cadre/%s of the repository', async (destination, file) => {
  const { asked, cwd } = await host([touch, touch, say('Done.')], update(destination));
  expect(asked).toHaveLength(1);
  expect(JSON.parse(readFileSync(join(cwd, '.cadre', file), 'utf8'))).toEqual({
    permissions: { allow: ['Bash(touch made)'] },
  });
});

test('a rule for userSettings is written to the user’s own file', async () => {
  const { home } = await host([touch, say('Done.')], update('userSettings'));
  expect(JSON.parse(readFileSync(join(home, 'settings.json'), 'utf8')).permissions.allow).toEqual([
    'Bash(touch made)',
  ]);
});

test('an answer whose updates are wrong does not count, and the model reads which field', async () => {
  const { cwd } = await host(
    [touch, expecting({ toolResult: 'updatedPermissions[0].destination' }, say('Well.'))],
    update('everywhere'),
  );
  expect(existsSync(join(cwd, 'made'))).toBe(false);
});

test('an answer that is neither yes nor no is a no that names the field, and not the words of a user', async () => {
  const { cwd } = await host(
    [touch, expecting({ toolResult: 'behavior: expected allow or deny, found a string' }, say('Well.'))],
    { behavior: 'yes' },
  );
  expect(existsSync(join(cwd, 'made'))).toBe(false);
});

test('updates of every kind are read', () => {
  const read = readUpdates(
    [
      { type: 'replaceRules', behavior: 'deny', rules: [], destination: 'cliArg' },
      { type: 'removeRules', behavior: 'ask', rules: [{ toolName: 'Read' }], destination: 'session' },
      { type: 'setMode', mode: 'manual', destination: 'session' },
      { type: 'addDirectories', directories: ['/x'], destination: 'userSettings' },
      { type: 'removeDirectories', directories: ['/x'], destination: 'session' },
    ],
    '/w',
  );
  expect(read).toMatchObject({
    ok: true,
    value: [
      { type: 'replace_rules', behaviour: 'deny', destination: 'session' },
      { type: 'remove_rules', rules: [{ tool: 'Read', behaviour: 'ask' }] },
      { type: 'set_mode', mode: 'default' },
      { type: 'add_directories', destination: 'user' },
      { type: 'remove_directories' },
    ],
  });
});

test.each<[unknown, string]>([
  ['x', 'expected a list'],
  [[{ type: 'addRules', behavior: 'yes', rules: [] }], '[0].behavior'],
  [[{ type: 'addRules', behavior: 'allow', rules: [{}] }], '[0].rules[0].toolName'],
  [[{ type: 'addRules', behavior: 'allow', rules: [{ toolName: '*' }] }], '[0].rules[0]'],
  [[{ type: 'setMode', mode: 'god' }], '[0].mode'],
  [[{ type: 'addDirectories', directories: ['x'] }], '[0].directories'],
  [[{ type: 'constructor' }], '[0].type: expected one of addRules'],
  [[{ type: 'addRule', behavior: 'deny', rules: [{ toolName: 'Bash' }] }], '[0].type'],
  [[{ type: 'addRules', behavior: 'deny', rules: [{ toolName: 'Bsah' }] }], 'Did you mean Bash?'],
  [[{ type: 'replaceRules', behavior: 'ask', rules: [{ toolName: 'bash' }] }], 'unknown tool "bash"'],
  [
    [{ type: 'addRules', behavior: 'allow', rules: [{ toolName: 'Bash', ruleContent: 5 }] }],
    '[0].rules[0].ruleContent',
  ],
])('%j names the field that is wrong', (updates, field) => {
  expect(readUpdates(updates, '/w')).toMatchObject({ ok: false, problem: expect.stringContaining(field) });
});

test('TS6 a dream that came while the host was idle puts its diff to the host, and its yes makes the changes', async () => {
  const { io, write, end, frame } = pipe();
  const notes = { why: 'Tests.', add: ['- Tests: npm test.'], remove: ['- Old fact.'] };
  const wanted = request([say('First.'), say('Second.'), say(JSON.stringify(notes))], {
    inputFormat: 'stream-json',
    outputFormat: 'stream-json',
    hostAnswers: true,
  });
  const { cwd = '' } = wanted.session;
  const memory = join(cwd, 'AGENTS.md');
  writeFileSync(memory, '- Old fact.\n');
  const past = await openSession(wanted.session);
  if (!past.ok) throw new Error(past.problem.message);
  await past.value.run('Hello');
  await past.value.close();
  const settings = '{"dream":{"enabled":true,"idleMinutes":0.001}}';
  const session = { ...wanted.session, settings };
  const served = serveHost({ ...wanted, session }, io, noInterrupts);
  write(user('Go'));
  const asked = await frame(isQuestion);
  expect(asked.request).toMatchObject({
    tool_name: 'Dream',
    description: 'Change AGENTS.md? 1 line to add, 1 to remove',
    decision_reason: 'proposed after reviewing past sessions: Tests.',
    requires_user_interaction: true,
    input: { file_path: 'AGENTS.md', diff: '@@ -1,1 +1,1 @@\n-- Old fact.\n+- Tests: npm test.' },
  });
  const response = { behavior: 'allow', updatedInput: {} };
  write({
    type: 'control_response',
    response: { subtype: 'success', request_id: asked.request_id, response },
  });
  while (readFileSync(memory, 'utf8') !== '- Tests: npm test.\n') await new Promise(setImmediate);
  end();
  await served;
  expect(wanted.model.requests).toHaveLength(3);
});

test.each([[5], ['yes'], [[]], [true]])(
  'an updatedInput of %j is not a yes: the call does not run',
  async (updatedInput) => {
    const { cwd } = await host(
      [
        touch,
        expecting(
          (asked) => JSON.stringify(asked.messages).includes('updatedInput: expected an object'),
          say('Well.'),
        ),
      ],
      {
        behavior: 'allow',
        updatedInput,
      },
    );
    expect(existsSync(join(cwd, 'made'))).toBe(false);
  },
);
