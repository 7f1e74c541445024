import { expect, test } from 'bun:test';
import { spawnSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { listManualPages } from '../../src/commands/help/list-pages.ts';
import { renderManualPage } from '../../src/commands/help/man-page.ts';
import { listCommands } from '../../src/commands/table/commands.ts';
import { listNames } from '../../src/commands/table/flag.ts';
import { needs } from '../support/index.ts';
import { cadre, newPlace } from './support.ts';

test('every command has a manual page that names its flags', () => {
  const pages = new Map(
    listManualPages().map((page) => [`${page.name}.${page.section}`, renderManualPage(page)]),
  );
  for (const { words, entry } of listCommands()) {
    const page = (pages.get(`cadre-${words[0]}.1`) ?? '').replaceAll('\\-', '-');
    const flags = Object.entries(entry.flags).filter(([, { isHidden }]) => !isHidden);
    for (const [key, flag] of flags) expect(page).toContain(listNames(key, flag).at(-1) as string);
  }
});

test('text cannot become a request of roff', () => {
  for (const page of listManualPages()) {
    const requests = renderManualPage(page)
      .split('\n')
      .filter((line) => /^[.']/.test(line))
      .map((line) => line.split(' ')[0]);
    const known = ['.TH', '.SH', '.SS', '.TP', '.PP', '.br', '.nf', '.fi', '.nh', '.ad'];
    expect(requests.filter((name) => !known.some((one) => one === name))).toEqual([]);
  }
});

test('cadre man prints one page: a topic before a command of the same name', async () => {
  const place = newPlace();
  expect((await cadre(['man'], { place })).out).toStartWith('.TH CADRE 1 ');
  expect((await cadre(['man', 'agents'], { place })).out).toStartWith('.TH CADRE-AGENTS 7 ');
  expect((await cadre(['man', 'agents.1'], { place })).out).toStartWith('.TH CADRE-AGENTS 1 ');
  const wrong = await cadre(['man', 'worktre'], { place });
  expect([wrong.code, wrong.err]).toEqual([2, expect.stringContaining('Did you mean "worktree"?')]);
});

test('cadre man --write writes all of them where man looks', async () => {
  const place = newPlace();
  const { code, out } = await cadre(['man', '--write', 'share/man'], { place });
  expect([code, out]).toEqual([0, expect.stringContaining(`Wrote ${listManualPages().length} pages`)]);
  const man = join(place.cwd, 'share', 'man');
  expect(readdirSync(man).toSorted()).toEqual(['man1', 'man7']);
  expect(readdirSync(join(man, 'man1'))).toContain('cadre-worktree.1');
});

needs('groff')('groff takes every page without a warning', () => {
  const pages = listManualPages().map(renderManualPage).join('');
  const { stdout, stderr, status } = spawnSync('groff', ['-ww', '-man', '-Tutf8', '-k'], {
    input: pages,
    encoding: 'utf8',
  });
  expect([status, stderr]).toEqual([0, '']);
  expect(stdout.replaceAll(/\u001b\[[0-9;]*m/g, '')).toContain('cadre worktree land');
});
