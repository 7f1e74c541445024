/** The pages agree with each other and with the source that they name. */
import { expect, test } from 'bun:test';
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { readSource } from '../scripts/house.ts';

const repository = join(import.meta.dirname, '..');
const tracked = listTracked();
const pages = tracked.filter((path) => path.endsWith('.md') && !/^(?:src|test)\//.test(path));

test('every link between pages leads to a file, and to a heading where it names one', () => {
  const broken = pages.flatMap((page) =>
    listLinks(page)
      .filter(({ file, anchor }) => !leadsSomewhere(file, anchor))
      .map(({ text }) => `${page}: ${text}`),
  );
  expect(broken).toEqual([]);
});

test('every page that a message, a comment or a script names exists', () => {
  const named = tracked
    .filter((path) => /^(?:src|scripts|bench|bin|examples|\.ci)\//.test(path))
    .flatMap((path) =>
      [...read(path).matchAll(/\bdocs\/[\w-]+\.md(?:#[\w-]+)?/g)].map(([name]) => ({ path, name })),
    );
  expect(named.length).toBeGreaterThan(10);
  const missing = named.filter(({ name }) => {
    const [file = '', anchor] = name.split('#');
    return !leadsSomewhere(file, anchor);
  });
  expect(missing).toEqual([]);
});

test('every page of docs/ is linked from the README or from AGENTS.md', () => {
  const linked = new Set(
    ['README.md', 'AGENTS.md'].flatMap((page) => listLinks(page).map(({ file }) => file)),
  );
  const unlinked = pages.filter((page) => page.startsWith('docs/') && !linked.has(page));
  expect(unlinked).toEqual([]);
});

test('every event is in the table of docs/library.md, and no other', () => {
  const [body = ''] = read('src/protocol/event.ts').split('export type SessionState');
  const events = [...body.matchAll(/\btype: '(\w+)'/g)].map((match) => match[1] ?? '');
  const [, table = ''] = read('docs/library.md').split('| about | events |');
  const listed = [...(table.split('\n\n')[0] ?? '').matchAll(/`(\w+_\w+)`/g)].map((match) => match[1] ?? '');
  expect(listed.toSorted()).toEqual(events.toSorted());
});

test('docs/contributing.md names files that exist, besides those that its examples add', () => {
  const page = read('docs/contributing.md');
  const named = [...page.matchAll(/`((?:src|test|scripts)\/[\w./-]+\.(?:tsx?|md|sh))`/g)].map(
    (match) => match[1] ?? '',
  );
  const missing = new Set(
    named.filter((path) => !/\bNAME\b/.test(path) && !existsSync(join(repository, path))),
  );
  expect([...missing].filter((path) => !addedByExamples.includes(path))).toEqual([]);
});

test('examples of docs/contributing.md import files that exist, from where the page puts them', () => {
  const page = read('docs/contributing.md');
  const examples = [...page.matchAll(/^( *)```ts\n( *import [\s\S]*?)^\1```/gm)].map((match) => {
    const named = [
      ...page.slice(0, match.index).matchAll(/`((?:src|test)\/[\w./-]+|test\/proof\/<name>[\w.]+)`/g),
    ];
    return { file: named.at(-1)?.[1] ?? '', code: match[2] ?? '' };
  });
  const imported = examples.flatMap(({ file, code }) =>
    [...code.matchAll(/ from '(\.[^']+)'/g)].map((match) => join(dirname(file), match[1] ?? '')),
  );
  expect(imported.length).toBeGreaterThan(20);
  const missing = imported.filter((path) => !existsSync(join(repository, path)));
  expect(missing.filter((path) => !addedByExamples.includes(path))).toEqual([]);
});

const addedByExamples = [
  ...['src/commands/paths.ts', 'src/session/long-runs.ts'],
  ...['src/tools/files/file-hash.md', 'src/tools/files/file-hash.ts'],
  ...['test/cli/paths.test.ts', 'test/cli/one-line.test.ts', 'test/tools/file-hash.test.ts'],
  ...['test/session/directory-event.test.ts', 'test/session/file-hash-setting.test.ts'],
  'test/session/long-runs.test.ts',
];

test.each(['The files of one request', 'The files of one sub-agent call'])(
  '%s: at most 15, and each is imported by one above it or reached as a port',
  (heading) => {
    const [, section = ''] = read('docs/house.md').split(`### ${heading}\n`);
    const rows = [...(section.split('\n#')[0] ?? '').matchAll(/^\d+\. `([\w./-]+)`(.*)$/gm)];
    const walk = rows.map(([, path = '', rest = '']) => ({ path, isPort: rest.includes('(as a port)') }));
    const imports = new Map(
      readSource(join(repository, 'src')).map((file) => [
        file.path,
        file.imports.map(({ target }) => target),
      ]),
    );
    const unreached = walk.filter(({ path, isPort }, at) => {
      if (!imports.has(path)) return true;
      const isImported = walk.slice(0, at).some((above) => imports.get(above.path)?.includes(path));
      return at > 0 && !isImported && !isPort;
    });
    expect(unreached).toEqual([]);
    expect(walk.length).toBeGreaterThan(5);
    expect(walk.length).toBeLessThanOrEqual(15);
  },
);

test('the figures of the README are those of bench/baselines.json', () => {
  const { figures } = JSON.parse(read('bench/baselines.json')) as {
    figures: Record<string, Record<string, number>>;
  };
  const readme = read('README.md');
  const shown = (row: string) =>
    [...(readme.split(`| ${row}`)[1]?.split('\n')[0] ?? '').matchAll(/\| (\d+(?:\.\d+)?) (?=\|)/g)].map(
      (cell) => cell[1] ?? '',
    );
  const wrong = Object.entries(figureRows).flatMap(([row, name]) => {
    const measured = Object.values(figures[name] ?? {});
    const cells = shown(row).slice(0, row in comparedRows ? 3 : 1);
    const isSame = cells.length > 0 && cells.every((cell, at) => roundLike(measured[at], cell) === cell);
    return isSame ? [] : [{ row, cells, measured }];
  });
  expect(wrong).toEqual([]);
});

/** Rows of the README by how they begin, and where their figures come from. */
const comparedRows = {
  'spawn to first model request': 'spawn to first request, ms',
  'peak memory of a one-turn run': 'peak memory, one turn, MB',
  'gap between answer and next request': 'gap, read turn, ms',
  'the same, shell turn': 'gap, shell turn, ms',
  'first request, KB': 'first request, KB',
};
const figureRows: Readonly<Record<string, string>> = {
  ...comparedRows,
  'eight agents side by side': '8 agents x 5 turns: span / ideal, ratio',
  'the same: peak memory': '8 agents x 5 turns: peak memory, MB',
  'memory of one agent among 100,': '100 agents: memory each, KB',
  'memory of one agent among 1,000,': '1,000 agents: memory each, KB',
  'first request of `Explore`': 'first request of Explore, KB',
  'terminal app: start to prompt': 'spawn to prompt, on a bare pty, ms',
  'terminal app with 100 agents: key': '100 agents: keystroke to echo, p95, ms',
  'terminal app with 100 agents: answer': '100 agents, one in sight: sent to shown, p95, ms',
  'terminal app with 100 agents: memory': '100 agents: memory, last minute ÷ third, times',
};

function roundLike(value: number | undefined, cell: string): string {
  return value === undefined ? '' : value.toFixed(cell.split('.')[1]?.length ?? 0);
}

test('docs/glossary.md defines each word once, in one line, and names files that exist', () => {
  const page = read('docs/glossary.md');
  const rows = [...page.matchAll(/^\| (\*\*.+?\*\*) \| (.+?) \| .*\|$/gm)];
  const words = rows.flatMap(([, names = '']) =>
    [...names.matchAll(/\*\*(.+?)\*\*/g)].map((match) => match[1] ?? ''),
  );
  expect(words.filter((word, at) => words.indexOf(word) !== at)).toEqual([]);
  const files = [...page.matchAll(/`([a-z-]+\/[\w./-]+\.tsx?)`/g)].map((match) => match[1] ?? '');
  expect(files.filter((file) => !existsSync(join(repository, 'src', file)))).toEqual([]);
});

function leadsSomewhere(file: string, anchor: string | undefined): boolean {
  if (!existsSync(join(repository, file))) return false;
  return anchor === undefined || !file.endsWith('.md') || listAnchors(read(file)).includes(anchor);
}

/** Relative links of a page, by the file they lead to. */
function listLinks(page: string): { text: string; file: string; anchor: string | undefined }[] {
  return [...withoutCode(read(page)).matchAll(/\]\((?!https?:|mailto:)([^)\s]+)\)/g)].map(([, text = '']) => {
    const [path = '', anchor] = text.split('#');
    return { text, file: path === '' ? page : join(page, '..', path), anchor };
  });
}

/** Headings as GitHub names them: lower case, words joined by dashes, a number behind a name that occurs again. */
function listAnchors(text: string): string[] {
  const seen = new Map<string, number>();
  return [...withoutCode(text).matchAll(/^#{1,6} (.+)$/gm)].map(([, heading = '']) => {
    const name = heading
      .replace(/\[([^\]]*)\]\([^)]*\)/g, '$1')
      .toLowerCase()
      .replace(/[^\p{L}\p{N}\s_-]/gu, '')
      .replaceAll(' ', '-');
    const count = seen.get(name) ?? 0;
    seen.set(name, count + 1);
    return count === 0 ? name : `${name}-${count}`;
  });
}

function withoutCode(text: string): string {
  return text.replace(/^( *)```[\s\S]*?^\1```$/gm, '');
}

function listTracked(): string[] {
  const list = execFileSync('git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard'], {
    cwd: repository,
    encoding: 'utf8',
  });
  return list.split('\0').filter((path) => path !== '' && existsSync(join(repository, path)));
}

function read(path: string): string {
  return readFileSync(join(repository, path), 'utf8');
}
