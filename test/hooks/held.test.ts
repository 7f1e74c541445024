import { afterEach, expect, test } from 'bun:test';
import { chmodSync, existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { systemClock } from '../../src/lib/clock.ts';
import { runHeadersHelper } from '../../src/mcp/headers-helper.ts';
import { StdioTransport } from '../../src/mcp/transport/stdio.ts';
import { call, say } from '../../src/testing/index.ts';
import { addRunningCommands } from '../../src/workspace/running-commands.ts';
import { type Bench, bench, notices, on, openBench, results } from './support.ts';

let stop = () => {};
afterEach(() => stop());

/** As if a confined command ran that can write all of the workspace but for what was there before. */
function whileCommandRuns(b: Bench): void {
  const before = join(b.at.cwd, 'before.sh');
  script(b, 'before.sh');
  stop = addRunningCommands(b.at.home, async () => ({
    mayWrite: (path) => path.startsWith(b.at.cwd) && path !== before,
    mayWorkIn: () => false,
    made: () => false,
  }));
}

function script(b: Bench, name: string): void {
  const path = join(b.at.cwd, name);
  mkdirSync(join(path, '..'), { recursive: true });
  writeFileSync(path, `#!/bin/sh\ntouch ${b.path('ran')}\necho '{}'\n`);
  chmodSync(path, 0o755);
}

const guarded = (name: string) =>
  `test -x "$CLAUDE_PROJECT_DIR"/${name} && "$CLAUDE_PROJECT_DIR"/${name} || true`;

test('a hook does not run a script that a running command could make, whether it is there by now or not', async () => {
  for (const [name, isThere] of [
    ['tools/deep/fmt.sh', true],
    ['tools/deep/fmt.sh', false],
    ['tools/deep/fmt', false],
  ] as const) {
    const b = bench();
    whileCommandRuns(b);
    if (isThere) script(b, name);
    b.hooks({ PostToolUse: on(guarded(name), {}, 'Read') });
    const story = await openBench(b, [call('Read', { file_path: 'before.sh' }), say('Ok.')]);
    await story.prompt('Go');
    await story.session.close();
    expect([name, existsSync(b.path('ran'))]).toEqual([name, false]);
    expect(notices(story.events)).toContain(
      `${name} ${isThere ? 'was made or replaced since' : 'does not exist'}, and a confined command that runs now could write it`,
    );
    stop();
  }
});

test('what was there before the command began runs as ever', async () => {
  const b = bench();
  whileCommandRuns(b);
  b.hooks({ PostToolUse: on(`${guarded('before.sh')}; echo x > out/log.txt; true`, {}, 'Read') });
  const story = await openBench(b, [call('Read', { file_path: 'before.sh' }), say('Ok.')]);
  await story.prompt('Go');
  await story.session.close();
  expect(existsSync(b.path('ran'))).toBe(true);
});

test('a call waits for no hook that cannot be run before it: it is refused with the reason', async () => {
  const b = bench();
  whileCommandRuns(b);
  b.hooks({ PreToolUse: on(guarded('tools/check.sh'), {}, 'Read') });
  const story = await openBench(b, [call('Read', { file_path: 'before.sh' }), say('Ok.')]);
  await story.prompt('Go');
  await story.session.close();
  expect(results(story.events)[0]).toContain('A hook was not run');
  expect(results(story.events)[0]).toContain('tools/check.sh does not exist');
});

test('MCP servers and their helpers are held in the same way', async () => {
  const b = bench();
  whileCommandRuns(b);
  const { cwd } = b.at;
  const common = { cwd, owner: 'x', clock: systemClock };
  const helper = await runHeadersHelper({
    ...{ ...common, command: './tools/token.sh', name: 'n', url: 'http://127.0.0.1/' },
    ...{ environment: {}, signal: new AbortController().signal },
  });
  expect(helper.ok ? '' : helper.problem.message).toContain('headersHelper was not run');
  const server = new StdioTransport({ ...common, command: 'python3', args: ['tools/server.py'], env: {} });
  expect(server.start()).rejects.toThrow(/not started: .*tools\/server\.py does not exist/);
});
