import { expect } from 'bun:test';
import { execFileSync } from 'node:child_process';
import { mkdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { openLooks } from '../../../src/sandbox/guard/look.ts';
import { ToolChainSecrets } from '../../../src/sandbox/tool-chain-secrets.ts';
import { buildSandboxView } from '../../../src/sandbox/view.ts';
import { lookAround } from '../../../src/session/surroundings.ts';
import { needs, temporaryDirectory } from '../../support/index.ts';
import { roomIn, run } from './support.ts';

const test = needs('bwrap');

for (const linked of ['user', 'user/.cadre'])
  test(`a command that writes works in a repository where ${linked} is a link`, async () => {
    const top = temporaryDirectory().path;
    const [real, link] = [join(top, 'real'), join(top, linked)];
    mkdirSync(join(real, 'session'), { recursive: true });
    mkdirSync(join(link, '..'), { recursive: true });
    symlinkSync(real, link);
    const at = roomIn(top);
    execFileSync('git', ['init', '-q'], { cwd: at.cwd });
    expect((await at.sandbox.probe()).ok).toBe(true);
    const { code, text } = await run(at, 'echo hi > f; echo a > /tmp/a; cat f /tmp/a; cd /', {
      scratch: join(at.home, 'session', 'cwd'),
    });
    expect({ code, text }).toEqual({ code: 0, text: 'hi\na\n' });
    expect((await run(at, 'ls -A ~/.cadre')).code).not.toBe(0);
  });

test('the state directory of a session has no link in it', () => {
  const top = temporaryDirectory().path;
  mkdirSync(join(top, 'real'));
  symlinkSync('real', join(top, 'home'));
  const around = (environment: Record<string, string>) => lookAround({ cwd: top, environment }).home;
  expect(around({ HOME: join(top, 'home') })).toBe(join(top, 'real/.cadre'));
  expect(around({ HOME: top, CADRE_HOME: join(top, 'home') })).toBe(join(top, 'real'));
  expect(around({ HOME: top, CADRE_HOME: 'home/x' })).toBe(join(top, 'real/x'));
});

test('a home that is a link in a hidden directory is a link inside as well', () => {
  const top = temporaryDirectory().path;
  for (const name of ['data/me', 'homes']) mkdirSync(join(top, name), { recursive: true });
  symlinkSync('../data/me', join(top, 'homes/me'));
  const userHome = join(top, 'homes/me');
  const { links } = buildSandboxView(
    {
      ...{
        userHome,
        home: join(userHome, '.cadre'),
        environment: {},
        programs: '',
        workspace: [],
        roots: [],
      },
      system: { hidden: [join(top, 'homes')], shown: [], links: [], closed: [] },
      secrets: new ToolChainSecrets(),
    },
    openLooks(),
  );
  expect(links).toEqual([{ path: userHome, target: '../data/me' }]);
});
