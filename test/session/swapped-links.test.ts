import { expect } from 'bun:test';
import {
  existsSync,
  linkSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { call, expecting, say } from '../../src/testing/index.ts';
import { needs } from '../support/index.ts';
import { open, type Place, place } from './support.ts';

const test = needs('bwrap');

function work(): Place & { victim: string } {
  const at = place();
  const victim = join(at.home, '..', 'victim');
  for (const path of [at.cwd, at.home, victim]) mkdirSync(path, { recursive: true });
  return { ...at, victim };
}

/** Puts a directory and a link in each other's place, some thousand times a second. */
const swapper = `
import ctypes, os, time
libc = ctypes.CDLL(None)
end = time.time() + 20
open('up', 'w').close()
while time.time() < end and not os.path.exists('go'): libc.renameat2(-100, b'sub', -100, b'link', 2)
`;

needs('python3')(
  'C4 a command in the background cannot lead the file tools out of the workspace',
  async () => {
    const at = work();
    mkdirSync(join(at.cwd, 'sub'));
    symlinkSync('../user/victim', join(at.cwd, 'link'));
    writeFileSync(join(at.cwd, 'swap.py'), swapper);
    const writes = Array.from({ length: 150 }, (_, index) =>
      call('Write', {
        file_path: index % 2 ? `sub/new/evil-${index}` : `sub/evil-${index}`,
        content: 'evil',
      }),
    );
    const { session, prompt } = await open(
      at,
      [
        call('Bash', { command: 'python3 swap.py', run_in_background: true }),
        call('Bash', { command: 'until [ -e up ]; do sleep 0.02; done' }),
        ...writes,
        call('Bash', { command: 'touch go' }),
        say('Done.'),
        say('Seen.'),
      ],
      { sandbox: true, permissionMode: 'acceptEdits' },
    );
    expect((await prompt('Go')).kind).toBe('completed');
    await session.finished(AbortSignal.timeout(10_000));
    await session.close();
    expect(readdirSync(at.victim)).toEqual([]);
  },
  60_000,
);

test('a file with a name outside is not edited unless a person has said yes', async () => {
  const at = work();
  const outside = join(at.victim, 'shared.txt');
  writeFileSync(outside, 'old');
  linkSync(outside, join(at.cwd, 'linked.txt'));
  const turns = () => [
    call('Read', { file_path: 'linked.txt' }),
    call('Edit', { file_path: 'linked.txt', old_string: 'old', new_string: 'new' }),
  ];
  const unasked = await open(at, [...turns(), expecting({ toolResult: 'hard links' }, say('Done.'))], {
    permissionMode: 'acceptEdits',
  });
  await unasked.prompt('Go');
  await unasked.session.close();
  expect(readFileSync(outside, 'utf8')).toBe('old');
  const asked = await open(at, [...turns(), say('Done.')], {
    onQuestion: async () => ({ behaviour: 'allow' }),
  });
  await asked.prompt('Go');
  await asked.session.close();
  expect(readFileSync(outside, 'utf8')).toBe('new');
});

test('an additional directory that becomes a link is none any more', async () => {
  const at = work();
  const { session, prompt } = await open(
    at,
    [
      call('Bash', { command: 'ln -s ../user/victim later' }),
      call('Write', { file_path: 'later/evil', content: 'evil' }),
      call('Bash', { command: 'echo evil > later/evil' }),
      say('Done.'),
    ],
    {
      ...{ sandbox: true, permissionMode: 'acceptEdits' },
      settings: JSON.stringify({ permissions: { additionalDirectories: [join(at.cwd, 'later')] } }),
    },
  );
  await prompt('Go');
  await session.close();
  expect(existsSync(join(at.victim, 'evil'))).toBe(false);
});

test('a command in the background that makes protected paths is ended, and they are taken away', async () => {
  const at = work();
  writeFileSync(join(at.cwd, 'evil.sh'), 'while :; do echo evil > .envrc; sleep 0.1; done');
  const { session, prompt, runs } = await open(
    at,
    [
      call('Bash', { command: 'sh evil.sh', run_in_background: true }),
      say('Started.'),
      expecting({ userText: 'It created protected paths' }, say('I see.')),
    ],
    { sandbox: true },
  );
  await prompt('Go');
  await runs(2);
  expect(existsSync(join(at.cwd, '.envrc'))).toBe(false);
  await session.close();
}, 30_000);
