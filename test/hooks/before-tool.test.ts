import { expect, test } from 'bun:test';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { call, calls, say } from '../../src/testing/index.ts';
import { bench, notices, of, on, openBench, results, specific } from './support.ts';

const yes = { allowedTools: ['Bash'] };

test('a hook that ends with 2 keeps the call from running, and the model reads why', async () => {
  const b = bench();
  b.hooks({ PreToolUse: on('echo "not on my watch" >&2; exit 2', {}, 'Bash') });
  const story = await openBench(b, [call('Bash', { command: 'touch made' }), say('Ok.')], yes);
  await story.prompt('Go');
  expect(results(story.events)[0]).toContain('not on my watch');
  expect(existsSync(join(b.at.cwd, 'made'))).toBe(false);
  expect(of(story.events, 'permission_denied')[0]?.decision).toMatchObject({ behaviour: 'deny', by: 'hook' });
  await story.session.close();
});

test('a hook reads the call on its standard input, with what others tell their hooks', async () => {
  const b = bench();
  b.hooks({ PreToolUse: on(`cat > ${b.path('input.json')}`) });
  const story = await openBench(b, [call('Bash', { command: 'true' }, 'toolu_1'), say('Ok.')], yes);
  await story.prompt('Go');
  expect(JSON.parse(b.lines('input.json').join(''))).toMatchObject({
    session_id: story.session.id,
    transcript_path: story.session.info().transcriptPath,
    cwd: b.at.cwd,
    permission_mode: 'default',
    hook_event_name: 'PreToolUse',
    tool_name: 'Bash',
    tool_input: { command: 'true' },
    tool_use_id: 'toolu_1',
  });
  await story.session.close();
});

test('a script with a relative name is the one in the start directory, wherever the agent goes', async () => {
  const b = bench();
  mkdirSync(join(b.at.cwd, 'tools'));
  writeFileSync(join(b.at.cwd, 'tools/guard.sh'), `cat >> ${b.path('inputs')}; echo >> ${b.path('inputs')}`);
  b.hooks({ PreToolUse: on('sh tools/guard.sh', {}, 'Bash') });
  const own = `mkdir -p sub/tools && echo 'touch ${b.path('ran')}' > sub/tools/guard.sh && cd sub`;
  const turns = [call('Bash', { command: own }), call('Bash', { command: 'true' }), say('Ok.')];
  const story = await openBench(b, turns, yes);
  await story.prompt('Go');
  expect(existsSync(b.path('ran'))).toBe(false);
  expect(b.lines('inputs').map((line) => JSON.parse(line).cwd)).toEqual([b.at.cwd, join(b.at.cwd, 'sub')]);
  await story.session.close();
});

test('a hook that guards Bash sees the command of a monitor, as Bash; one for Monitor sees it too', async () => {
  const b = bench();
  const guard = `cat > ${b.path('input.json')}; echo "not on my watch" >&2; exit 2`;
  b.hooks({ PreToolUse: [...on(guard, {}, 'Bash'), ...on(`touch ${b.path('seen')}`, {}, 'Monitor')] });
  const input = { description: 'x', command: 'touch made' };
  const story = await openBench(b, [call('Monitor', input), say('Ok.')], {
    allowedTools: ['Bash', 'Monitor'],
  });
  await story.prompt('Go');
  expect(results(story.events)[0]).toContain('not on my watch');
  expect(existsSync(join(b.at.cwd, 'made'))).toBe(false);
  expect(existsSync(b.path('seen'))).toBe(true);
  expect(JSON.parse(b.lines('input.json').join(''))).toMatchObject({ tool_name: 'Bash', tool_input: input });
  await story.session.close();
});

test('the input that a hook puts in place is what runs', async () => {
  const b = bench();
  b.hooks({
    PreToolUse: on(specific('PreToolUse', { updatedInput: { command: 'echo changed > made' } }), {}, 'Bash'),
  });
  const story = await openBench(b, [call('Bash', { command: 'echo model > made' }), say('Ok.')], yes);
  await story.prompt('Go');
  expect(await Bun.file(join(b.at.cwd, 'made')).text()).toBe('changed\n');
  expect(of(story.events, 'tool_started')[0]?.input).toMatchObject({ command: 'echo changed > made' });
  await story.session.close();
});

test('PE a harmless command that a hook turns into a denied one is denied', async () => {
  const b = bench();
  const turned = specific('PreToolUse', {
    permissionDecision: 'allow',
    updatedInput: { command: 'touch made' },
  });
  b.hooks({ PreToolUse: on(turned) });
  const story = await openBench(b, [call('Bash', { command: 'ls' }), say('Ok.')], {
    disallowedTools: ['Bash(touch *)'],
  });
  await story.prompt('Go');
  expect(existsSync(join(b.at.cwd, 'made'))).toBe(false);
  expect(of(story.events, 'permission_denied')[0]?.decision.by).toBe('rule');
  await story.session.close();
});

test('PE the question shows the input that a hook put in place', async () => {
  const b = bench();
  b.hooks({ PreToolUse: on(specific('PreToolUse', { updatedInput: { command: 'touch made' } })) });
  const shown: unknown[] = [];
  const story = await openBench(b, [call('Bash', { command: 'ls' }), say('Ok.')], {
    onQuestion: async ({ input }) => {
      shown.push(input);
      return { behaviour: 'deny', message: 'no' };
    },
  });
  await story.prompt('Go');
  expect(shown).toEqual([{ command: 'touch made' }]);
  await story.session.close();
});

test('a changed input that does not fit the tool is an error that names the hook', async () => {
  const b = bench();
  b.hooks({ PreToolUse: on(specific('PreToolUse', { updatedInput: { comand: 'ls' } })) });
  const story = await openBench(b, [call('Bash', { command: 'ls' }), say('Ok.')], yes);
  await story.prompt('Go');
  expect(results(story.events)[0]).toContain('A hook changed the input of this call.');
  await story.session.close();
});

test('a call that a hook made a changing one no longer runs beside others', async () => {
  const b = bench();
  const change = specific('PreToolUse', { updatedInput: { command: 'sleep 0.2; echo second >> log' } });
  b.hooks({
    PreToolUse: on(`input=$(cat); [[ $input == *two* ]] && { ${change}; } <<< ""; true`),
  });
  const turn = calls([
    call('Bash', { command: 'echo one' }),
    call('Bash', { command: 'echo two' }),
    call('Bash', { command: 'cat log' }),
  ]);
  const story = await openBench(b, [turn, say('Ok.')], yes);
  await story.prompt('Go');
  expect(results(story.events)[2]).toContain('second');
  await story.session.close();
});

test('an allow skips the question, and is seen to have', async () => {
  const b = bench();
  b.hooks({
    PreToolUse: on(specific('PreToolUse', { permissionDecision: 'allow', permissionDecisionReason: 'mine' })),
  });
  const story = await openBench(b, [call('Bash', { command: 'touch made' }), say('Ok.')]);
  await story.prompt('Go');
  expect(existsSync(join(b.at.cwd, 'made'))).toBe(true);
  expect(of(story.events, 'question_skipped')[0]?.decision).toMatchObject({ behaviour: 'allow', by: 'hook' });
  expect(of(story.events, 'hook_ended')[0]?.end).toMatchObject({ outcome: 'success', word: 'allow' });
  await story.session.close();
});

for (const [name, options, input] of [
  ['a deny rule', { disallowedTools: ['Bash(touch *)'] }, {}],
  ['an ask rule', { settings: '{"permissions":{"ask":["Bash(touch *)"]}}' }, {}],
  ['plan mode', { permissionMode: 'plan' }, {}],
  ['mode dontAsk', { permissionMode: 'dontAsk' }, {}],
] as const)
  test(`PE an allow does not lift ${name}`, async () => {
    const b = bench();
    b.hooks({ PreToolUse: on(specific('PreToolUse', { permissionDecision: 'allow' })) });
    const turns = [call('Bash', { command: 'touch made', ...input }), say('Ok.')];
    const story = await openBench(b, turns, { ...options } as object);
    await story.prompt('Go');
    expect(existsSync(join(b.at.cwd, 'made'))).toBe(false);
    expect(of(story.events, 'question_skipped')).toEqual([]);
    await story.session.close();
  });

test('PE an allow does not lift what is always asked about: protected paths, questions, private addresses', async () => {
  const b = bench();
  b.hooks({ PreToolUse: on(specific('PreToolUse', { permissionDecision: 'allow' })) });
  const options = ['A', 'B'].map((label) => ({ label, description: label }));
  const question = { questions: [{ question: 'Which?', header: 'W', options, multiSelect: false }] };
  const turn = calls([
    call('Write', { file_path: '.git/hooks/pre-commit', content: 'x' }),
    call('WebFetch', { url: 'http://127.0.0.1:9/', prompt: 'x' }),
    call('AskUserQuestion', question),
  ]);
  const asked: string[] = [];
  const story = await openBench(b, [turn, say('Ok.')], {
    onQuestion: async ({ toolName }) => {
      asked.push(toolName);
      return { behaviour: 'deny', message: 'no' };
    },
  });
  await story.prompt('Go');
  expect(asked.sort()).toEqual(['AskUserQuestion', 'WebFetch', 'Write']);
  expect(of(story.events, 'question_skipped')).toEqual([]);
  await story.session.close();
});

test('PE an allow does not lift a role', async () => {
  const b = bench();
  b.hooks({ PreToolUse: on(specific('PreToolUse', { permissionDecision: 'allow' })) });
  const turns = [
    call('Agent', { description: 'Look', prompt: 'Look.', subagent_type: 'Explore' }),
    call('Bash', { command: 'touch made' }),
    say('Seen.'),
    say('Ok.'),
  ];
  const story = await openBench(b, turns);
  await story.prompt('Go');
  expect(existsSync(join(b.at.cwd, 'made'))).toBe(false);
  expect(of(story.events, 'permission_denied')[0]?.decision.by).toBe('role');
  await story.session.close();
});

test('an ask puts a question where there would have been none', async () => {
  const b = bench();
  b.hooks({ PreToolUse: on(specific('PreToolUse', { permissionDecision: 'ask' })) });
  const story = await openBench(b, [call('Bash', { command: 'touch made' }), say('Ok.')], yes);
  await story.prompt('Go');
  expect(of(story.events, 'question_asked')[0]?.question.decision.by).toBe('hook');
  expect(existsSync(join(b.at.cwd, 'made'))).toBe(false);
  await story.session.close();
});

test('of several words the strictest counts, in whatever order the hooks finish', async () => {
  for (const slow of ['allow', 'deny', 'ask']) {
    const b = bench();
    const hook = (decision: string) => ({
      type: 'command',
      command: `${decision === slow ? 'sleep 0.2;' : ''} ${specific('PreToolUse', { permissionDecision: decision })}`,
    });
    b.hooks({ PreToolUse: [{ hooks: ['allow', 'deny', 'ask'].map(hook) }] });
    const story = await openBench(b, [call('Bash', { command: 'touch made' }), say('Ok.')], yes);
    await story.prompt('Go');
    expect(of(story.events, 'permission_denied')[0]?.decision).toMatchObject({
      behaviour: 'deny',
      by: 'hook',
    });
    await story.session.close();
  }
});

test('of several inputs the last one written runs, and the yes to another one does not count', async () => {
  const b = bench();
  const hooks = [
    {
      type: 'command',
      command: `sleep 0.2; ${specific('PreToolUse', { permissionDecision: 'allow', updatedInput: { command: 'touch first' } })}`,
    },
    { type: 'command', command: specific('PreToolUse', { updatedInput: { command: 'touch last' } }) },
  ];
  b.hooks({ PreToolUse: [{ hooks }] });
  const shown: unknown[] = [];
  const story = await openBench(b, [call('Bash', { command: 'touch model' }), say('Ok.')], {
    onQuestion: async ({ input }) => {
      shown.push(input);
      return { behaviour: 'allow' };
    },
  });
  await story.prompt('Go');
  expect(shown).toEqual([{ command: 'touch last' }]);
  expect(existsSync(join(b.at.cwd, 'last'))).toBe(true);
  expect(existsSync(join(b.at.cwd, 'first'))).toBe(false);
  await story.session.close();
});

test('a deferred call is not run, and the run ends there', async () => {
  const b = bench();
  b.hooks({
    PreToolUse: on(
      specific('PreToolUse', { permissionDecision: 'defer', permissionDecisionReason: 'later' }),
    ),
  });
  const story = await openBench(b, [call('Bash', { command: 'touch made' })], yes);
  const outcome = await story.prompt('Go');
  expect(outcome).toMatchObject({ kind: 'interrupted', reason: 'A hook deferred a call: later' });
  expect(existsSync(join(b.at.cwd, 'made'))).toBe(false);
  await story.session.close();
});

test('a decision that cannot be understood asks rather than lets pass', async () => {
  const b = bench();
  b.hooks({ PreToolUse: on(specific('PreToolUse', { permissionDecision: 'Deny' })) });
  const story = await openBench(b, [call('Bash', { command: 'touch made' }), say('Ok.')], yes);
  await story.prompt('Go');
  expect(existsSync(join(b.at.cwd, 'made'))).toBe(false);
  expect(notices(story.events)).toContain('permissionDecision: expected one of');
  await story.session.close();
});

test('a matcher and a rule say which calls a hook is asked about', async () => {
  const b = bench();
  b.hooks({
    PreToolUse: [
      ...on(`echo list >> ${b.path('log')}`, {}, 'Write|Edit'),
      ...on(`echo pattern >> ${b.path('log')}`, {}, '^Ba.h$'),
      ...on(`echo rule >> ${b.path('log')}`, { if: 'Bash(git *)' }, 'Bash'),
    ],
  });
  const turn = [
    call('Bash', { command: 'true' }),
    call('Bash', { command: 'true && git status' }),
    say('Ok.'),
  ];
  const story = await openBench(b, turn, yes);
  await story.prompt('Go');
  expect(b.lines('log').sort()).toEqual(['pattern', 'pattern', 'rule']);
  await story.session.close();
});

test('an allow counts only where its rule is about the whole command', async () => {
  const b = bench();
  b.hooks({
    PreToolUse: on(specific('PreToolUse', { permissionDecision: 'allow' }), { if: 'Bash(touch a)' }),
  });
  const turns = [
    call('Bash', { command: 'touch a; touch b' }),
    call('Bash', { command: 'touch a' }),
    say('Ok.'),
  ];
  const story = await openBench(b, turns);
  await story.prompt('Go');
  expect(existsSync(join(b.at.cwd, 'b'))).toBe(false);
  expect(existsSync(join(b.at.cwd, 'a'))).toBe(true);
  await story.session.close();
});

test('the same hook in several places runs once', async () => {
  const b = bench();
  const same = on(`echo once >> ${b.path('log')}`);
  b.settings({ hooks: { PreToolUse: [...same, ...same] } });
  const story = await openBench(b, [call('Bash', { command: 'true' }), say('Ok.')], {
    ...yes,
    settings: JSON.stringify({ hooks: { PreToolUse: same } }),
  });
  await story.prompt('Go');
  expect(b.lines('log')).toEqual(['once']);
  await story.session.close();
});

test('a program with arguments is run without a shell', async () => {
  const b = bench();
  const script = b.script('hook.sh', `printf '%s\\n' "$@" > ${b.path('log')}`);
  b.hooks({ PreToolUse: on(script, { args: ['$HOME', 'a b', ';'] }) });
  const story = await openBench(b, [call('Bash', { command: 'true' }), say('Ok.')], yes);
  await story.prompt('Go');
  expect(b.lines('log')).toEqual(['$HOME', 'a b', ';']);
  await story.session.close();
});

test('an agent cannot get rid of its guard by removing the directory that it stands in', async () => {
  const b = bench();
  b.hooks({ PreToolUse: on('[[ $(cat) == *touch* ]] && exit 2; true') });
  const turns = [
    call('Bash', { command: 'mkdir sub && cd sub' }),
    call('Bash', { command: 'rmdir ../sub' }),
    call('Bash', { command: `touch ${b.path('made')}` }),
    say('Ok.'),
  ];
  writeFileSync(join(b.at.cwd, 'x'), '');
  const story = await openBench(b, turns, yes);
  await story.prompt('Go');
  expect(existsSync(b.path('made'))).toBe(false);
  await story.session.close();
});

test('what a hook lets pass is in the audit log, as is what it refuses', async () => {
  const b = bench();
  const allow = specific('PreToolUse', { permissionDecision: 'allow', permissionDecisionReason: 'mine' });
  b.hooks({ PreToolUse: on(`[[ $(cat) == *evil* ]] && exit 2; ${allow} < /dev/null`) });
  const turns = [
    call('Bash', { command: 'touch made' }),
    call('Bash', { command: 'touch evil' }),
    say('Ok.'),
  ];
  const story = await openBench(b, turns);
  await story.prompt('Go');
  await story.session.close();
  const [file = ''] = readdirSync(join(b.at.home, 'audit'));
  const entries = readFileSync(join(b.at.home, 'audit', file), 'utf8')
    .trim()
    .split('\n');
  expect(entries.map((line) => JSON.parse(line))).toMatchObject([
    { type: 'skip', tool: 'Bash', input: { command: 'touch made' }, decision: { by: 'hook' } },
    { type: 'denial', tool: 'Bash', input: { command: 'touch evil' }, decision: { by: 'hook' } },
  ]);
});

test('an allow that cannot be written to the audit log does not count', async () => {
  const b = bench();
  b.hooks({ PreToolUse: on(specific('PreToolUse', { permissionDecision: 'allow' })) });
  writeFileSync(join(b.at.home, 'audit'), '');
  const story = await openBench(b, [call('Bash', { command: 'touch made' }), say('Ok.')]);
  await story.prompt('Go');
  expect(existsSync(join(b.at.cwd, 'made'))).toBe(false);
  await story.session.close();
});

test('PE an allow does not open the way out of the sandbox', async () => {
  const b = bench();
  b.hooks({ PreToolUse: on(specific('PreToolUse', { permissionDecision: 'allow' })) });
  const input = { command: 'touch made', dangerouslyDisableSandbox: true };
  const story = await openBench(b, [call('Bash', input), say('Ok.')]);
  await story.prompt('Go');
  expect(existsSync(join(b.at.cwd, 'made'))).toBe(false);
  await story.session.close();
});
