import { expect, test } from 'bun:test';
import type { TranscriptRecord } from '../../src/protocol/index.ts';
import { findLastAnswer, findLastCode } from '../../src/tui/commands/copy.ts';
import { renderJson, renderMarkdown } from '../../src/tui/commands/export-text.ts';
import type { Drawing } from '../../src/tui/drawing.ts';
import { indexCalls } from '../../src/tui/panels/full-calls.ts';
import { findMatches } from '../../src/tui/panels/transcript.ts';
import { Printer } from '../../src/tui/printer.ts';
import { patchedLines } from '../../src/tui/questions/patched-lines.ts';
import { fullLines } from '../../src/tui/screen/full-lines.ts';
import { copyPrograms } from '../../src/tui/terminal/copy-text.ts';
import { makeTheme } from '../../src/tui/text/index.ts';
import { buildCall } from '../../src/view/calls.ts';
import { type Entry, emptyView, groupLooks, type ShownCall, summariseLooks } from '../../src/view/index.ts';

const drawing: Drawing = {
  ...{ width: 80, theme: makeTheme({ level: 'none', attributes: false }), home: '/home/me', places: [] },
  ...{ now: 0, plain: false },
};

let ids = 0;

function look(name: string, input: Record<string, unknown>, more: Partial<ShownCall> = {}): Entry {
  ids++;
  const id = `c${ids}`;
  const call = {
    ...buildCall({ type: 'tool_use', id, name, input }, 'm', 0),
    state: 'done',
    ...more,
  } as const;
  return { kind: 'call', id, at: 0, call };
}

const read = (path: string, more: Partial<ShownCall> = {}) => look('Read', { file_path: path }, more);
const says = (text: string): Entry => ({ kind: 'text', id: text, at: 0, text, liveId: null });

function conversation(entries: Entry[]) {
  return { ...emptyView().lead, entries };
}

function follow(entries: Entry[], isRunning: boolean): { written: string; held: number } {
  const printer = new Printer();
  printer.follow(conversation(entries), drawing, isRunning);
  return { written: printer.takeText(), held: printer.looks.length };
}

test('reads and searches in a row are one line, written once something else follows', () => {
  const looks = [read('a.ts'), read('b.ts'), look('Grep', { pattern: 'sum' })];
  expect(follow(looks, true)).toEqual({ written: '', held: 3 });
  const { written, held } = follow([...looks, says('Found.')], true);
  expect(held).toBe(0);
  expect(written.trim()).toStartWith('● Read 2 files, searched 1 pattern a.ts, b.ts');
  expect(written).toContain('ctrl-o opens\n\nFound.');
});

test('what was looked at is written when the run is over, and one call looks as ever', () => {
  expect(follow([read('a.ts')], false)).toEqual({ written: '\n● Read a.ts', held: 0 });
});

test('a look that failed stands alone', () => {
  const groups = groupLooks([read('a.ts'), read('b.ts', { state: 'failed' }), read('c.ts'), read('d.ts')]);
  expect(groups.map((group) => ('kind' in group ? 1 : group.length))).toEqual([1, 1, 2]);
});

test('the same file read twice is one file', () => {
  const calls = [read('a.ts'), read('a.ts'), look('LS', { path: '/b' })];
  expect(summariseLooks(calls.flatMap((one) => (one.kind === 'call' ? [one.call] : [])))).toBe(
    'Read 1 file, listed 1 directory',
  );
});

test('an opened call has its whole input and output as they were stored, and thinking all its lines', () => {
  const output = Array.from({ length: 300 }, (_, at) => `line ${at}`).join('\n');
  const entry = look('Bash', { command: 'seq 300', timeout: 5 });
  const call = entry.kind === 'call' ? entry.call : undefined;
  const records = [
    {
      ...{ type: 'assistant', uuid: 'm' },
      message: { content: [{ type: 'tool_use', id: call?.id, name: 'Bash', input: call?.input }] },
    },
    {
      ...{ type: 'user', uuid: 'r' },
      message: {
        content: [{ type: 'tool_result', tool_use_id: call?.id, content: [{ type: 'text', text: output }] }],
      },
    },
  ] as unknown as TranscriptRecord[];
  const lines = fullLines(entry, indexCalls(records), drawing).join('\n');
  expect(lines).toContain('timeout: 5');
  for (const at of [0, 150, 299]) expect(lines).toContain(`line ${at}\n`.trimEnd());
  const thought = Array.from({ length: 50 }, (_, at) => `thought ${at}`).join('\n');
  const thinking: Entry = { kind: 'thinking', id: 't', at: 0, text: thought, liveId: null };
  expect(fullLines(thinking, () => undefined, drawing)).toHaveLength(51);
});

test('a search finds rows in any case, whatever their colours', () => {
  expect(findMatches(['one', '\u001b[1mT\u001b[22mwo', 'three'], 'two')).toEqual([1]);
  expect(findMatches(['one'], '')).toEqual([]);
});

test('the last answer is the text after the last call, and its last code block can be had alone', () => {
  const entries = [says('I look.'), read('a.ts'), says('It is:\n\n```ts\nconst a = 1;\n```'), says('Done.')];
  const answer = findLastAnswer(entries);
  expect(answer).toBe('It is:\n\n```ts\nconst a = 1;\n```\n\nDone.');
  expect(findLastCode(answer ?? '')).toBe('const a = 1;');
  expect(findLastCode('~~~\none\n~~~\ntext\n````\n```\ntwo\n````')).toBe('```\ntwo');
  expect(findLastAnswer([])).toBeUndefined();
});

test.each([
  ['darwin', {}, ['pbcopy']],
  ['linux', { WAYLAND_DISPLAY: 'w', TMUX: 't' }, ['wl-copy', 'tmux']],
  ['linux', { DISPLAY: ':0' }, ['xclip', 'xsel']],
  ['linux', {}, []],
])('the clipboard programs of %s with %p', (platform, env, names) => {
  expect(copyPrograms(platform, env).map(({ file }) => file)).toEqual(names);
});

test('an export has prompts, answers and calls, and no fence of it can be broken out of', () => {
  const prompt: Entry = {
    ...{ kind: 'prompt', id: 'p', at: 0, from: 'person', images: 0, uuid: 'p' },
    text: { text: 'fix it', characters: 6, lines: 1 },
  };
  const result = { text: 'a\n```\nb', characters: 7, lines: 3 };
  const entries = [prompt, look('Bash', { command: 'ls' }, { result }), says('Done.')];
  const exported = { entries, find: () => undefined };
  const about = { id: 's', cwd: '/work', model: 'm', title: 'A title' };
  const markdown = renderMarkdown(about, exported);
  expect(markdown).toStartWith('# A title\n');
  expect(markdown).toContain(
    '## You\n\nfix it\n\n### Bash\n\n```sh\nls\n```\n\n````\na\n```\nb\n````\n\nDone.\n',
  );
  const data = JSON.parse(renderJson(about, exported));
  expect(data.session.id).toBe('s');
  expect(data.entries.map(({ kind }: Entry) => kind)).toEqual(['prompt', 'call', 'text']);
});

test('what would land is drawn as changes, with every line of it', () => {
  const patch = 'diff --git a/a.ts b/a.ts\n--- a/a.ts\n+++ b/a.ts\n@@ -1 +1 @@\n-old\n+new';
  const lines = patchedLines(`Onto main:\n\n${patch}`, drawing);
  expect(lines[0]).toBe('Onto main:');
  expect(lines).toContain('1 - old');
  expect(lines).toContain('1 + new');
});

test('whose changes follow is said on a line of its own, and the changes on both sides of it are drawn', () => {
  const patch = (name: string) =>
    `diff --git a/${name} b/${name}\n--- a/${name}\n+++ b/${name}\n@@ -1 +1 @@\n-old\n+${name}`;
  const lines = patchedLines(`Onto main:\n\n# one\n${patch('a.ts')}\n# two\n${patch('b.ts')}`, drawing);
  for (const line of ['# one', '1 + a.ts', '# two', '1 + b.ts']) expect(lines).toContain(line);
});

test('text that only begins like a patch is shown as it is', () => {
  const text = 'diff --git a/a b/a\n@@ -1 +1 @@\nrm -rf everything';
  expect(patchedLines(text, drawing).join('\n')).toContain('rm -rf everything');
});
