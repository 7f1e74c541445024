import { expect, test } from 'bun:test';
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { isConfinedHook } from '../../src/hooks/project-code.ts';
import { readHandler } from '../../src/hooks/read-handler.ts';
import { call, say } from '../../src/testing/index.ts';
import { needs } from '../support/index.ts';
import { bench, on, openBench } from './support.ts';

const handler = (command: string, more: object = {}) =>
  ({ type: 'command', command, async: false, ...more }) as const;

test.each([
  'npx biome check --write .',
  'cd "$CLAUDE_PROJECT_DIR" && npm run -s lint',
  'jq -r .tool_input.file_path | xargs npx prettier --write',
  'CI=1 make fmt',
  'if [ -f go.mod ]; then go fmt ./...; fi',
  "bash -c 'yarn lint'",
  'timeout 20 /usr/bin/npx eslint',
  'python3 -u -m guard',
])('a hook that runs code of the project runs in the sandbox: %s', (command) => {
  expect(isConfinedHook(handler(command))).toBe(true);
  expect(isConfinedHook(handler(command, { sandbox: false }))).toBe(false);
});

test.each([
  '~/bin/guard.sh',
  'python3 -P ~/.cadre/hooks/guard.py -m x',
  "jq -r .tool_input.command | grep -q 'npm install' && exit 2",
  'echo make it so >> ~/log',
  'gofmt -w src',
])('other hooks run as they did, unless they say otherwise: %s', (command) => {
  expect(isConfinedHook(handler(command))).toBe(false);
  expect(isConfinedHook(handler(command, { sandbox: true }))).toBe(true);
});

test('a hook whose `sandbox` is neither true nor false is refused', () => {
  const read = readHandler(handler('x', { sandbox: 'on' }), { kind: 'user', file: 'f', base: '/' });
  expect(read).toEqual({ ok: false, problem: 'sandbox: expected true or false' });
});

for (const [what, more, isOutside] of [
  ['what a confined command put there for a hook writes nothing outside the workspace', {}, false],
  ['a hook that is let out by its `sandbox` runs with the rights of its user', { sandbox: false }, true],
] as const)
  needs('bwrap')(`G9 ${what}`, async () => {
    const b = bench();
    const outside = b.path('outside');
    const script = `for name in ("inside", ${JSON.stringify(outside)}):\n  try: open(name, "w")\n  except OSError: pass\n`;
    writeFileSync(join(b.at.cwd, 'formatter.py'), script);
    b.hooks({ PostToolUse: on('python3 -m formatter', more, 'Write') });
    const turns = [call('Write', { file_path: 'a.txt', content: 'x' }), say('Done.')];
    const { session, prompt } = await openBench(b, turns, { sandbox: true, permissionMode: 'acceptEdits' });
    await prompt('go');
    await session.close();
    expect(existsSync(join(b.at.cwd, 'inside'))).toBe(true);
    expect(existsSync(outside)).toBe(isOutside);
  });
