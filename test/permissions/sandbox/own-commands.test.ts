import { afterEach, expect } from 'bun:test';
import { chmodSync, existsSync, renameSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { explainWhyNotRun } from '../../../src/places/why-not-run.ts';
import { watchRunningCommands } from '../../../src/sandbox/running-commands.ts';
import { needs } from '../../support/index.ts';
import { begin, put, type Room, room } from './support.ts';

const test = needs('bwrap');

const ends: (() => unknown)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
});

const commands = [
  'sh tools/old.sh',
  '"$CLAUDE_PROJECT_DIR"/tools/deep/new.sh',
  'test -x tools/program && tools/program',
  'node_modules/.bin/lint --fix src/',
  'prettier --write src/a.css >> logs/hook.log',
];

function workspace(): Room {
  const at = room(undefined, undefined, commands);
  put(at, { 'tools/old.sh': 'true\n', 'node_modules/lint/bin/lint.js': '//\n', 'node_modules/.bin/x': '' });
  chmodSync(join(at.cwd, 'node_modules/lint/bin/lint.js'), 0o755);
  symlinkSync('../lint/bin/lint.js', join(at.cwd, 'node_modules/.bin/lint'));
  ends.push(watchRunningCommands(at.home));
  return at;
}

async function meanwhile(at: Room, work: string): Promise<void> {
  const running = await begin(at, `( ${work} ) >/dev/null 2>&1; touch done; tail -f /dev/null`);
  ends.push(() => running.end());
  while (!existsSync(join(at.cwd, 'done'))) await Bun.sleep(5);
}

const judge = async (at: Room) => {
  const said = await Promise.all(
    commands.map((command) =>
      explainWhyNotRun({ command, directories: [at.cwd], userHome: at.userHome }).then((why) =>
        why?.slice(at.cwd.length + 1).replace(/,.*/s, ''),
      ),
    ),
  );
  return Object.fromEntries(commands.map((command, index) => [command.split(' ')[0], said[index] ?? 'runs']));
};

test('of scripts that our own commands name only those run that a running command cannot have made', async () => {
  const at = workspace();
  expect(new Set(Object.values(await judge(at)))).toEqual(new Set(['runs']));
  await meanwhile(at, 'echo evil > tools/old.sh; mkdir -p tools/deep; echo evil > tools/deep/new.sh');
  expect(await judge(at)).toEqual({
    sh: 'runs',
    '"$CLAUDE_PROJECT_DIR"/tools/deep/new.sh': 'tools/deep/new.sh was made or replaced since',
    test: 'tools/program does not exist',
    'node_modules/.bin/lint': 'runs',
    prettier: 'runs',
  });
});

test('a link that a running command replaced, and a script that was replaced under it, are not run', async () => {
  const at = workspace();
  await meanwhile(at, 'ln -sfn ../../evil.sh node_modules/.bin/lint; echo > evil.sh');
  const { 'node_modules/.bin/lint': link } = await judge(at);
  expect(link).toBe('node_modules/.bin/lint was made or replaced since');
  writeFileSync(join(at.cwd, 'tools/next.sh'), 'true\n');
  renameSync(join(at.cwd, 'tools/next.sh'), join(at.cwd, 'tools/old.sh'));
  expect((await judge(at)).sh).toBe('tools/old.sh was made or replaced since');
});
