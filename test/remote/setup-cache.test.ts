import { expect, test } from 'bun:test';
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { prepareCheckout, type SetupGround } from '../../src/session/remote/setup/open-setup.ts';
import { openSetupCache } from '../../src/session/remote/setup/setup-cache.ts';
import { lookAround } from '../../src/session/surroundings.ts';
import { runUnprivileged, temporaryDirectory } from '../support/index.ts';
import { get } from './support.ts';

const signal = new AbortController().signal;

/** A worker that prepares one checkout after another. */
function openWorker() {
  const { path } = temporaryDirectory();
  const environment = { PATH: process.env.PATH ?? '', HOME: path, CADRE_HOME: join(path, '.cadre') };
  const said: string[] = [];
  const cache = join(path, 'setups');
  const ground: SetupGround = {
    around: lookAround({ cwd: path, environment }),
    ...{ allowed: [], rules: [], sandbox: undefined, mayRunOpen: true, cache },
    say: (text) => said.push(text),
  };
  let count = 0;
  const prepare = async (
    submitter: string,
    files: Record<string, string>,
    links: Record<string, string> = {},
  ) => {
    const top = join(path, 'jobs', `${count++}`);
    const git = (...args: string[]) =>
      execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@b', ...args], { cwd: top });
    writeFiles(top, files);
    for (const [name, target] of Object.entries(links)) symlinkSync(target, join(top, name));
    git('init', '-q');
    git('add', '-A');
    git('commit', '-qm', 'one');
    get(await prepareCheckout(ground, { top, submitter }, signal));
    return top;
  };
  const listKept = () => (existsSync(cache) ? readdirSync(cache, { recursive: true }).join('\n') : '');
  return { path, said, prepare, listKept };
}

function writeFiles(top: string, files: Record<string, string>) {
  for (const [name, content] of Object.entries(files)) {
    mkdirSync(dirname(join(top, name)), { recursive: true });
    writeFileSync(join(top, name), content);
  }
}

const ignored = { '.gitignore': 'made\n', 'lock.txt': 'one' };

test('what a setup has led out of the checkout by a link is not kept', async () => {
  const { path, prepare, listKept, said } = openWorker();
  writeFiles(path, { 'home/private/note-of-the-user': 'secret' });
  const worker = { setup: `ln -s ${path}/home made`, cache: ['made/private'], inputs: ['lock.txt'] };
  await prepare('one', { ...ignored, '.cadre/worker.json': JSON.stringify(worker) });
  const top = await prepare('one', { ...ignored, '.cadre/worker.json': JSON.stringify(worker) });
  expect(listKept()).not.toContain('note-of-the-user');
  expect(readdirSync(top)).not.toContain('private');
  expect(said.join()).toContain('made/private');
});

test('what a setup has left goes to no place outside the checkout', async () => {
  const { path, prepare } = openWorker();
  writeFiles(path, { 'home/kept/mine': 'mine' });
  const worker = {
    setup:
      'rm home && mkdir -p home/bin home/kept made && touch home/bin/git home/kept/mine && ln -s ../home made/x',
    ...{ cache: ['made', 'made/x/bin', 'made/x/kept'], inputs: ['lock.txt'] },
  };
  for (let count = 0; count < 2; count++) {
    const files = { ...ignored, '.cadre/worker.json': JSON.stringify(worker) };
    await prepare('one', files, { home: join(path, 'home') });
  }
  expect(readdirSync(join(path, 'home'), { recursive: true }).sort()).toEqual(['kept', 'kept/mine']);
});

test('where a link would lead out of a checkout, nothing is put there and nothing removed', async () => {
  const { path } = temporaryDirectory();
  const top = join(path, 'top');
  writeFiles(path, { 'home/kept/mine': '', 'first/x/kept/mine': '', 'first/x/bin/git': '', 'top/a': '' });
  const said: string[] = [];
  const cache = openSetupCache(join(path, 'setups'), ['x/bin', 'x/kept'], (text) => said.push(text));
  await cache.keep('a'.repeat(40), join(path, 'first'));
  symlinkSync(join(path, 'home'), join(top, 'x'));
  expect(await cache.restore('a'.repeat(40), top)).toBe(false);
  expect(readdirSync(join(path, 'home'), { recursive: true }).sort()).toEqual(['kept', 'kept/mine']);
  expect(said.length).toBe(1);
});

test('what the setup of one submitter has left is not given to the jobs of another', async () => {
  const { prepare } = openWorker();
  const worker = JSON.stringify({
    setup: 'mkdir -p made && cp other.txt made/',
    ...{ cache: ['made'], inputs: ['lock.txt'] },
  });
  const readMade = (top: string) => execFileSync('cat', [join(top, 'made/other.txt')], { encoding: 'utf8' });
  const prepareFor = async (submitter: string, other: string) =>
    readMade(await prepare(submitter, { ...ignored, '.cadre/worker.json': worker, 'other.txt': other }));
  expect(await prepareFor('one', 'of one')).toBe('of one');
  expect(await prepareFor('one', 'later of one')).toBe('of one');
  expect(await prepareFor('two', 'of two')).toBe('of two');
});

test('what setups have left in closed directories goes when there are more than ten', async () => {
  expect(await runUnprivileged(join(import.meta.dir, 'closed-setup.script.ts'), [])).toBe(10);
});
