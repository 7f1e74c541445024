import { expect, test } from 'bun:test';
import { listPlaces, shortenPlaces } from '../../../src/tui/text/index.ts';

const places = listPlaces({
  cwd: '/home/ann/work',
  home: '/home/ann',
  scratchpad: '/home/ann/.cadre/sessions/1/scratchpad',
});

test.each([
  ['Read /home/ann/work/lib/a.ts', 'Read lib/a.ts'],
  ['"x" in /home/ann/work', '"x" in .'],
  ['Read /home/ann/notes.md', 'Read ~/notes.md'],
  ['Write /home/ann/.cadre/sessions/1/scratchpad/plan.md', 'Write scratchpad/plan.md'],
  ['cat "/home/ann/work/a" /home/ann/work/b', 'cat "a" b'],
  ['/home/ann/work/lib: 3 files', 'lib: 3 files'],
])('%s is shown as %s', (text, shown) => {
  expect(shortenPlaces(text, places)).toBe(shown);
});

test.each([
  'Read /home/ann/workshop/a.ts'.replace('ann', 'anna'),
  'Read /srv/home/ann/work/a.ts',
  'https://example.com/home/ann/work/a',
  'Read lib/a.ts',
  'either/or',
])('%s stays as it is', (text) => {
  expect(shortenPlaces(text, places)).toBe(text);
});

test('a directory whose name only begins the same is another one', () => {
  expect(shortenPlaces('/home/ann/work-2/a', places)).toBe('~/work-2/a');
});

test('the root is nobody’s place', () => {
  expect(shortenPlaces('/etc/hosts', listPlaces({ cwd: '/', home: '/' }))).toBe('/etc/hosts');
});
