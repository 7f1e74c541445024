import { expect, test } from 'bun:test';
import { topicNames } from '../../src/commands/help/topic-names.ts';
import { renderTopic } from '../../src/commands/help/topics.ts';
import { listCommands } from '../../src/commands/table/commands.ts';
import { commandGroups, examples } from '../../src/commands/table/groups.ts';
import { cadre, newPlace } from './support.ts';

test('cadre --help names every command once, in a group', () => {
  const shown = commandGroups.flatMap(({ commands }) => Object.keys(commands));
  const all = listCommands().flatMap(({ words }) => (words.length === 1 ? words : []));
  expect(shown.toSorted()).toEqual([...all, 'help'].toSorted());
});

test('examples belong to commands that exist, and begin with their words', () => {
  const paths = new Set(listCommands().map(({ path }) => path));
  for (const [path, list] of Object.entries(examples)) {
    expect(path === '' || paths.has(path)).toBe(true);
    for (const { line } of list) expect(line).toContain(`cadre${path === '' ? '' : ` ${path}`}`);
  }
});

test('cadre --help shows examples first, then groups, and no line is wider than 80 columns without a terminal', async () => {
  const { code, out } = await cadre(['--help'], { place: newPlace() });
  expect(code).toBe(0);
  const places = ['Examples\n', 'Start\n', 'Sessions\n', 'Options: output\n', 'Topics: '].map((word) =>
    out.indexOf(word),
  );
  expect(places).toEqual(places.toSorted((one, other) => one - other));
  expect(places).not.toContain(-1);
  expect(out.split('\n').filter((line) => line.length > 80)).toEqual([]);
});

test('cadre help TOPIC prints the page of every topic, without Markdown, at most 80 columns wide', async () => {
  const place = newPlace();
  for (const topic of topicNames) {
    const { code, out } = await cadre(['help', topic], { place });
    expect([topic, code]).toEqual([topic, 0]);
    expect(out.toLowerCase()).toStartWith(topic);
    expect(out).not.toMatch(/^#|\u001b/m);
    expect(out.split('\n').filter((line) => line.length > 80)).toEqual([]);
  }
});

test('the pages of topics name only commands that exist', async () => {
  const words = new Set(listCommands().map(({ words }) => words[0]));
  const pages = topicNames.map((topic) => renderTopic(topic, false)).join('\n');
  const named = [...pages.matchAll(/\bcadre ([a-z]+)/g)].map(([, word]) => word);
  expect(named.filter((word) => word !== 'help' && !words.has(word))).toEqual([]);
  const topics = [...pages.matchAll(/\bcadre help ([a-z]+)/g)].map(([, word]) => word as string);
  expect(topics.filter((word) => !topicNames.some((name) => name === word))).toEqual([]);
});

test('a word that is neither a command nor a topic lists the topics', async () => {
  const { code, err } = await cadre(['help', 'zebra'], { place: newPlace() });
  expect([code, err]).toEqual([2, expect.stringContaining('Topics: agents, ')]);
});

test('the help of a command begins with a capital letter and ends with its examples', async () => {
  const { out } = await cadre(['worktree', 'land', '--help'], { place: newPlace() });
  expect(out).toMatch(/\n\nLand the work[\s\S]*\nOptions\n[\s\S]*\nExamples\n {2}cadre worktree land/);
});

test.each(['mcp', 'worker', 'worktree'])(
  'the help of the group %s is at most 80 columns wide',
  async (command) => {
    const { out } = await cadre([command, '--help'], { place: newPlace() });
    expect(out).toContain('show the help of a command');
    expect(out.split('\n').filter((line) => line.length > 80)).toEqual([]);
  },
);
