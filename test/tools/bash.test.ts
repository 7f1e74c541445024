import { expect, test } from 'bun:test';
import { existsSync, mkdirSync, readdirSync, realpathSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { sleep, systemClock } from '../../src/lib/clock.ts';
import { hashBytes } from '../../src/lib/hash.ts';
import { findOwned } from '../../src/lib/processes/process.ts';
import { failure } from '../../src/lib/result.ts';
import type { ToolContext } from '../../src/protocol/tool.ts';
import { bashTool } from '../../src/tools/bash/bash.ts';
import { temporaryDirectory } from '../support/index.ts';
import { until } from '../support/until.ts';
import { call, toolContextForTests } from './support.ts';

const run = (command: string, context: ToolContext, more: object = {}) =>
  call(bashTool, { command, ...more }, context);

async function processesOf(context: ToolContext): Promise<number> {
  const { CADRE_OWNER } = await context.shell.environment();
  return findOwned({ owner: CADRE_OWNER ?? '' }).length;
}

test('both streams arrive in the order they were written', async () => {
  const result = await run(
    'echo a; echo b >&2; echo c; echo d >/dev/stderr; echo e >/dev/stdout',
    toolContextForTests(),
  );
  expect(result).toMatchObject({ text: 'a\nb\nc\nd\ne', isError: false });
  expect(result.data).toMatchObject({ exitCode: 0, stdout: 'a\nb\nc\nd\ne' });
});

test('a command without output says so', async () => {
  expect((await run('true', toolContextForTests())).text).toBe('(no output)');
});

test('a command that is traced shows its own steps alone', async () => {
  const context = toolContextForTests();
  const { text } = await call(bashTool, { command: 'set -x; cd /; false' }, context);
  expect(text.split('\n').filter((line) => line.startsWith('+'))).toEqual(['+ cd /', '+ false']);
  expect(text).toContain('Exit code 1');
  expect(context.directory.current).toBe('/');
});

test('an exit code other than 0 is an error with its number', async () => {
  const result = await run('echo oops; exit 42', toolContextForTests());
  expect(result).toMatchObject({ text: 'Exit code 42\noops', isError: true });
});

test('a syntax error is shown', async () => {
  const result = await run('if then', toolContextForTests());
  expect(result.isError).toBe(true);
  expect(result.text).toContain('syntax error');
});

test('small output leaves no file', async () => {
  const context = toolContextForTests();
  await run('echo small; cd /', context);
  expect(readdirSync(context.outputDirectory)).toEqual([]);
});

test('the working directory carries over, and variables do not', async () => {
  const context = toolContextForTests();
  mkdirSync(join(context.root, "it's a dir"));
  const moved = await run(`cd "it's a dir"; export X=1`, context);
  expect(moved.text).toBe(`[The working directory is now ${context.root}/it's a dir]`);
  expect((await run('pwd; echo "x=$X"', context)).text).toBe(`${context.root}/it's a dir\nx=`);
});

test('the working directory is kept when the command fails', async () => {
  const context = toolContextForTests();
  await run('cd /usr; false', context);
  expect(context.directory.current).toBe(realpathSync('/usr'));
});

test('a working directory that is gone is given up for the root', async () => {
  const context = toolContextForTests();
  await run('mkdir sub; cd sub', context);
  rmSync(join(context.root, 'sub'), { recursive: true });
  const result = await run('pwd', context);
  expect(result.text).toStartWith(context.root);
  expect(result.text).toContain('is gone');
});

test('there is nothing to read from standard input', async () => {
  expect((await run('cat; echo end', toolContextForTests())).text).toBe('end');
});

test('shell start-up files are not run for a command', async () => {
  const context = toolContextForTests();
  const rc = context.write('rc', 'echo rc was run');
  const env = { ...(await context.shell.environment()), BASH_ENV: rc, ENV: rc };
  const result = await run('echo ok', {
    ...context,
    shell: { ...context.shell, environment: async () => env },
  });
  expect(result.text).toBe('ok');
});

test('a plain sh serves where there is no bash', async () => {
  const context = toolContextForTests();
  const result = await run('cd /; echo hi', { ...context, shell: { ...context.shell, shell: '/bin/sh' } });
  expect(result.text).toStartWith('hi');
  expect(context.directory.current).toBe('/');
});

test('large output is cut in the middle, and whole in a file', async () => {
  const context = toolContextForTests();
  const result = await run('echo first; seq 1 100000; echo last', context);
  expect(result.text.length).toBeLessThan(31_000);
  expect(result.text).toStartWith('first\n1\n2\n');
  const file = /Full output, (\d+) bytes: (.*)\]$/.exec(result.text);
  expect(result.text).toContain('100000\nlast\n');
  expect(statSync(file?.[2] ?? '').size).toBe(Number(file?.[1]));
  expect(statSync(file?.[2] ?? '').mode & 0o777).toBe(0o600);
});

test('P4 R16 a flood of output costs no memory', async () => {
  const script = `
    import { openOutput } from ${JSON.stringify(join(import.meta.dirname, '../../src/tools/bash/output.ts'))};
    import { Fifos } from ${JSON.stringify(join(import.meta.dirname, '../../src/lib/files/fifo.ts'))};
    import { systemClock } from ${JSON.stringify(join(import.meta.dirname, '../../src/lib/clock.ts'))};
    import { startShell } from ${JSON.stringify(join(import.meta.dirname, '../../src/tools/bash/process.ts'))};
    const place = ${JSON.stringify(temporaryDirectory().path)};
    const fifos = new Fifos(() => place);
    const shell = async (command, output) => (await startShell({
      command, cwd: place, shell: '/bin/bash', fifos, env: { PATH: process.env.PATH }, output,
      clock: systemClock, signal: new AbortController().signal,
    })).ended;
    await shell('true', () => {});
    const before = process.memoryUsage().rss;
    const output = openOutput(place + '/log', 30_000);
    await shell('head -c 300000000 /dev/zero | tr "\\\\0" x', output.add);
    const { text } = output.finish();
    console.log(JSON.stringify({ size: output.size(), text: text.length, grown: process.memoryUsage().rss - before }));
  `;
  // A process of its own: what other tests have in memory comes and goes.
  const child = Bun.spawn([process.execPath, '-e', script], { stdout: 'pipe' });
  const seen = JSON.parse(await new Response(child.stdout).text());
  expect(seen.size).toBe(300_000_000);
  expect(seen.text).toBeLessThan(31_000);
  expect(seen.grown).toBeLessThan(60_000_000);
}, 30_000);

test('binary output is named, not shown', async () => {
  const result = await run('head -c 5000 /dev/zero', toolContextForTests());
  expect(result.text).toContain('Binary output, not shown, 5000 bytes');
});

test('colours and overwritten lines are taken out, other escapes are written out', async () => {
  const result = await run(
    `printf '\\033[31mred\\033[0m \\033]52;c;xx\\007ok\\n10%%\\r50%%\\r100%%\\nwin\\r\\n\\001end'`,
    toolContextForTests(),
  );
  expect(result.text).toBe('red ␛]52;c;xx␇ok\n100%\nwin\nend');
});

test('G8 R9 a command that ignores SIGTERM is ended after its timeout, its output kept', async () => {
  const context = toolContextForTests();
  const result = await run("trap '' TERM; echo so far; while :; do sleep 0.1; done", context, {
    timeout: 300,
  });
  expect(result.isError).toBe(true);
  expect(result.text).toStartWith('Timed out after 300 ms and was stopped. Output so far:\nso far');
  expect(await processesOf(context)).toBe(0);
}, 15_000);

test('R9 last words after SIGTERM are kept', async () => {
  const result = await run(
    "trap 'echo bye; exit 1' TERM; while :; do sleep 0.05; done",
    toolContextForTests(),
    {
      timeout: 300,
    },
  );
  expect(result.text).toContain('bye');
});

test('R9 a command that fills the pipe without end is ended, head and tail kept', async () => {
  const context = toolContextForTests();
  const result = await run('echo start; yes', context, { timeout: 300 });
  expect(result.text).toContain('start\ny\n');
  expect(await processesOf(context)).toBe(0);
}, 15_000);

test('R9 a command that closes its output still ends with its code', async () => {
  expect((await run('exec >&- 2>&-; exit 3', toolContextForTests())).text).toBe('Exit code 3');
});

test('R9 G5 children left in the background are ended, and that is said', async () => {
  const context = toolContextForTests();
  const result = await run('sleep 100 & echo started', context);
  expect(result.isError).toBe(false);
  expect(result.text).toStartWith('started\n[Processes that the command left running were stopped');
  expect(await processesOf(context)).toBe(0);
});

test('R9 G5 a daemon in a session of its own is ended too', async () => {
  const context = toolContextForTests();
  const result = await run('setsid sleep 100 </dev/null >/dev/null 2>&1 & sleep 0.1; echo started', context);
  expect(result.text).toContain('were stopped');
  expect(await processesOf(context)).toBe(0);
});

test('R9 a child that holds the output does not hold the command', async () => {
  const result = await run('(sleep 100; echo late) & echo done', toolContextForTests());
  expect(result.text).toStartWith('done');
});

test('waiting for children of its own ends when they do', async () => {
  expect((await run('sleep 0.05 & wait; echo waited', toolContextForTests())).text).toBe('waited');
});

test('an abort ends the command and keeps what it printed', async () => {
  const controller = new AbortController();
  const context = toolContextForTests({ signal: controller.signal });
  const running = bashTool.run({ command: 'echo begun; sleep 100' }, context);
  let step = await running.next();
  for (; !step.done; step = await running.next()) if (step.value.text.includes('begun')) controller.abort();
  expect(step.value).toMatchObject({
    isError: true,
    content: [{ type: 'text', text: 'Interrupted. Output so far:\nbegun' }],
  });
  expect(await processesOf(context)).toBe(0);
});

test('giving the run up ends the command', async () => {
  const context = toolContextForTests();
  const generator = bashTool.run({ command: 'while :; do echo x; sleep 0.05; done' }, context);
  await generator.next();
  await generator.return({ content: [], isError: true });
  for (let tries = 0; tries < 100 && (await processesOf(context)) > 0; tries++) await sleep(systemClock, 50);
  expect(await processesOf(context)).toBe(0);
}, 15_000);

test('G5 the file in which a shell notes its directory goes, also if the command could not start or was given up', async () => {
  const context = toolContextForTests();
  const confine: ToolContext['shell']['confine'] = async (_, note) => {
    writeFileSync(note ?? '', '');
    return failure('The disk is full.');
  };
  const refused = await run('true', { ...context, shell: { ...context.shell, confine } });
  expect(refused.isError).toBe(true);
  expect(readdirSync(context.outputDirectory)).toEqual([]);

  const generator = bashTool.run({ command: 'cd /; echo x; sleep 100' }, context);
  for (let step = await generator.next(); !step.done && step.value.text === ''; )
    step = await generator.next();
  await generator.return({ content: [], isError: true });
  while ((await processesOf(context)) > 0) await sleep(systemClock, 5);
  await until(() => readdirSync(context.outputDirectory).length === 0);
}, 15_000);

test('the newest output is progress', async () => {
  const result = await run('for i in 1 2 3 4; do echo step $i; sleep 0.15; done', toolContextForTests());
  expect(result.progress.length).toBeGreaterThan(0);
  expect(result.progress.at(-1)?.text).toContain('step');
});

test('a command for the background returns at once with its task', async () => {
  const context = toolContextForTests();
  const result = await run('echo working; sleep 0.2; echo finished', context, { run_in_background: true });
  expect(result.text).toContain('task b1');
  const end = await context.tasks.find('b1')?.result();
  expect(end).toMatchObject({
    ...{ status: 'completed', text: 'working\nfinished' },
    receipt: { exitCode: 0, output: hashBytes('working\nfinished\n'), outputBytes: 17, cwd: context.root },
  });
});

test('HO8: the receipt names the directory in which a command started, not the one it moved to', async () => {
  const context = toolContextForTests();
  const moved = await run('mkdir sub && cd sub', context);
  expect(moved.receipt?.cwd).toBe(context.root);
  expect((await run('true', context)).receipt?.cwd).toBe(`${context.root}/sub`);
});

test('TS6 stopping a background command ends its whole tree', async () => {
  const context = toolContextForTests();
  await run('sleep 100 & setsid sleep 100 & sleep 100', context, { run_in_background: true });
  await sleep(systemClock, 200);
  await context.tasks.find('b1')?.kill('test');
  expect(context.tasks.find('b1')?.status()).toBe('killed');
  expect(await processesOf(context)).toBe(0);
});

test('a command that is too long or holds NUL is refused', async () => {
  const context = toolContextForTests();
  expect((await run('x'.repeat(200_000), context)).text).toContain('Write it to a file');
  expect((await run('echo \0', context)).isError).toBe(true);
});

test('without a place for its output a command still runs and is seen', async () => {
  const context = toolContextForTests();
  const result = await run('echo seen; seq 1 100000', {
    ...context,
    outputs: { pathFor: (name) => `/nowhere/${name}` },
  });
  expect(result.text).toStartWith('seen\n1\n');
  expect(result.text).toContain('100000');
  expect(existsSync('/nowhere')).toBe(false);
});

test('what a call would touch is the command and where it runs', () => {
  expect(bashTool.access({ command: 'ls' }, '/w')).toEqual([{ kind: 'shell', command: 'ls', cwd: '/w' }]);
});
