import { expect, test } from 'bun:test';
import { systemClock } from '../../src/lib/clock.ts';
import { checkArgs, readScript } from '../../src/workflows/read-script.ts';
import { runScript, type ScriptNeeds } from '../../src/workflows/run-script.ts';

const meta = "export const meta = { name: 'test', description: 'A test.' };\n";

async function run(body: string, wish: Partial<ScriptNeeds> & { file?: string } = {}) {
  const script = readScript(wish.file ?? 'test.js', body.includes('export const meta') ? body : meta + body);
  if (!script.ok) throw new Error(script.problem.message);
  const notes: string[] = [];
  const end = await runScript(script.value, {
    args: undefined,
    functions: {
      agent: async (prompt) => ({ outcome: prompt === 'bad' ? 'failed' : 'ok', value: `did ${prompt}` }),
    },
    ...{ clock: systemClock, signal: new AbortController().signal, maxCalls: 50, maxBusyMs: 400 },
    spent: () => 7,
    phase: (name) => notes.push(`phase ${name}`),
    log: (text) => notes.push(text),
    ...wish,
  });
  return { end, notes };
}

test('TS6 a script has top-level await and return, agents, phases, parallel work and pipelines', async () => {
  const { end, notes } = await run(
    `phase('look'); log('n =', args.n);
    const one = await agent('one', { label: 'x' });
    const many = await parallel([() => agent('a'), agent('bad'), () => { throw new Error('no'); }]);
    const piped = await pipeline([1, 2], (n) => n * 2, (n, item, index) => agent(String(n + item + index)));
    return { one, many, piped, end: (await agent.end('bad')).outcome, budget: [budget.total, budget.spent(), budget.remaining()] };`,
    { args: { n: 3 }, budget: 10 },
  );
  expect(end).toEqual({
    ok: true,
    value: {
      one: 'did one',
      many: ['did a', null, null],
      piped: ['did 3', 'did 7'],
      end: 'failed',
      budget: [10, 7, 3],
    },
  });
  expect(notes).toEqual(['phase look', 'n = 3', 'parallel()[2] failed: no']);
});

test('TS6 a TypeScript script runs without its types', async () => {
  const { end } = await run(
    "export const meta = { name: 't', description: 'd' } as const;\ninterface A { n: number }\nconst a: A = { n: 4 };\nreturn a.n as number;",
    { file: 'test.ts' },
  );
  expect(end).toEqual({ ok: true, value: 4 });
});

test('TS6 meta is read, never run, and says where it is wrong', () => {
  const read = (text: string) => {
    const script = readScript('w.js', text);
    return script.ok ? script.value.meta : script.problem.message;
  };
  expect(
    read(
      "// hi\nexport const meta = {\n  name: 'a', /* c */ \"description\": `d\\u0041`, phases: ['x', { title: 'y' }],\n  args: { type: 'array', items: { type: 'string' } },\n};\nreturn 1;",
    ),
  ).toMatchObject({ name: 'a', description: 'dA', phases: ['x', 'y'], args: { type: 'array' } });
  expect(read('export const meta = { name: makeName(), description: "d" }')).toContain(
    'w.js:1: meta: expected a literal',
  );
  expect(read('export const meta = { name: "a", ...x }')).toContain('w.js:1');
  expect(read('export const meta = {\n name: "a",\n description: `x$' + '{1}` }')).toContain('w.js:3');
  expect(read('export const meta = { name: "chain", description: "d" }')).toContain(
    'chain is a word of `cadre run`',
  );
  expect(read('export const meta = { name: "../x", description: "d" }')).toContain('name: expected letters');
  expect(read('return 1')).toContain('w.js:1: expected `export const meta');
});

test('TS6 args of the wrong shape are refused before anything runs', () => {
  const script = readScript(
    'w.js',
    "export const meta = { name: 'a', description: 'd', args: { type: 'object', properties: { files: { type: 'array', items: { type: 'string' } } }, required: ['files'] } };",
  );
  if (!script.ok) throw new Error(script.problem.message);
  expect(checkArgs(script.value, { files: ['a'] }).ok).toBe(true);
  const wrong = checkArgs(script.value, { files: 'a,b' });
  expect(wrong.ok ? '' : wrong.problem.message).toContain('args.files: expected array, found string');
  expect(checkArgs(script.value, undefined).ok).toBe(false);
});

const hostile: [name: string, body: string, reason: string | RegExp][] = [
  [
    'a throw',
    "await agent('a'); throw new TypeError('no such thing')",
    /TypeError: no such thing \(test\.js:2/,
  ],
  ['wrong syntax', 'return {', /SyntaxError/],
  ['an import', "import fs from 'node:fs';", /SyntaxError/],
  ['a file by import()', "await import('node:fs')", /could not load|not|import/i],
  ['the network', "await fetch('http://127.0.0.1')", 'fetch is not available in a workflow'],
  ['a process', 'process.kill(1)', 'process is not available in a workflow'],
  ['the time', 'return new Date().getTime()', 'Date is not available in a workflow'],
  ['chance', 'return Math.random()', 'Math.random is not available in a workflow'],
  ['an endless loop', 'for (;;) {}', 'without waiting for anything'],
  ['an endless loop in the engine', "'x'.repeat(3e7).match(/(x+x+)+y/)", /without waiting|memory|stack/],
  [
    'an endless chain of promises',
    'const f = () => Promise.resolve().then(f); await f()',
    'without waiting for anything',
  ],
  ['an endless loop between awaits', 'for (;;) await null', 'without waiting for anything'],
  [
    'an endless loop in a property of the result',
    'return { get a() { for (;;); } }',
    'without waiting for anything',
  ],
  ['an endless toJSON()', 'return { toJSON() { for (;;); } }', 'without waiting for anything'],
  [
    'an endless loop in a property of what it throws',
    'throw new Proxy({}, { get() { for (;;); } })',
    'without waiting for anything',
  ],
  [
    'a thrown value that cannot be read',
    "throw new Proxy({}, { get() { throw 'no'; } })",
    'returned or threw cannot be read',
  ],
  [
    'a gigabyte of text',
    "const a = []; for (;;) a.push('x'.repeat(1 << 20) + a.length)",
    /memory|without waiting/,
  ],
  ['memory in one piece', 'new ArrayBuffer(2 ** 31 - 1); return 1', /memory|length|RangeError/],
  ['deep recursion', 'const f = () => f() + 1; return f()', /stack/i],
  ['waiting for nothing', 'await new Promise(() => {})', 'waits for something that cannot happen'],
  ['a result with a cycle', 'const a = {}; a.a = a; return a', 'The result is not data'],
  ['options with a cycle', "const a = {}; a.a = a; await agent('x', a)", 'agent(): circular reference'],
  [
    'a function for a schema',
    "await agent('x', { schema: () => 1 })",
    'schema: expected data, got a function',
  ],
  ['text for a list', "await parallel('abc')", 'parallel(work): expected a list, got string'],
  [
    'too many calls',
    "await Promise.all(Array.from({ length: 100000 }, (_, i) => agent('p' + i)))",
    'at most 50 calls (the setting workflows.maxCalls)',
  ],
  [
    'too many calls whose errors nobody sees',
    "await parallel(Array.from({ length: 5000 }, (_, i) => () => agent('p' + i)))",
    'It wants more than 100 calls, and a run may make at most 50 calls (the setting workflows.maxCalls).',
  ],
];

for (const [name, body, reason] of hostile)
  test(`TS6 ${name} ends a script with a reason`, async () => {
    const { end } = await run(body);
    expect(end.ok).toBe(false);
    if (!end.ok) expect(end.reason).toMatch(reason);
  });

test('TS6 what a script does to its own prototypes stays inside', async () => {
  const { end } = await run(
    `Object.prototype.polluted = 1; Array.prototype.push = () => 0; JSON.stringify = () => 'x'; Promise = 1;
    const got = await agent.end('x', JSON.parse('{"__proto__": {"polluted": 2}, "constructor": {"prototype": {"polluted": 3}}}'));
    return { '__proto__': { polluted: 4 }, got: got.outcome };`,
    { functions: { agent: async (_, options) => ({ outcome: Object.keys(options as object).join() }) } },
  );
  expect(({} as { polluted?: unknown }).polluted).toBeUndefined();
  expect(end).toMatchObject({ ok: true });
});

test('TS6 a script is ended with its run, and its functions are a table', async () => {
  const controller = new AbortController();
  const stopped = run("await agent('x')", {
    signal: controller.signal,
    functions: {
      agent: () => {
        controller.abort('stopped by the user');
        return new Promise(() => {});
      },
    },
  });
  expect((await stopped).end).toEqual({ ok: false, reason: 'stopped by the user' });
  const { end } = await run("try { await handoff('a', 2) } catch (error) { return error.message }", {
    functions: { handoff: async (name, count) => Promise.reject(new Error(`${name} ${count} refused`)) },
  });
  expect(end).toEqual({ ok: true, value: 'a 2 refused' });
});

test('TS6 calls above the limit are counted, also those that parallel() turned into null', async () => {
  const { end, notes } = await run(
    "const all = await parallel(Array.from({ length: 90 }, (_, i) => () => agent('p' + i))); return all.filter((one) => one === null).length",
  );
  expect(end).toEqual({ ok: true, value: 40, refused: 40 });
  expect(notes).toHaveLength(4);
  expect(notes.at(-1)).toBe('parallel(): 37 more failed');
});

test('TS6 a script that changes how values become JSON changes no frame', async () => {
  const { end } = await run(
    "Object.prototype.toJSON = () => ({ type: 'note', name: 'log' }); log('a'); throw new Error('b')",
  );
  expect(end).toEqual({ ok: false, reason: expect.stringContaining('Error: b') });
});
