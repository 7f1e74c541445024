// biome-ignore-all lint/suspicious/noTemplateCurlyInString: these are shell's
import { expect, test } from 'bun:test';
import { execFileSync } from 'node:child_process';
import { parseShell } from '../../src/shell/grammar/parse.ts';
import { seededRandom } from '../proof/random.ts';
import { needs } from '../support/index.ts';

const cases = Number(process.env.CADRE_PROPERTY_CASES ?? 2000);
const seed = Number(process.env.CADRE_SEED ?? 1);

const pieces = [
  ...[
    '{',
    '}',
    ',',
    '..',
    '~',
    '/',
    ':',
    '=',
    'a',
    'b',
    '1',
    '3',
    '"',
    "'",
    '\\',
    '{a,b}',
    '{~,x}',
    '{~/k,x}',
  ],
  ...[
    'of=',
    'x:',
    '~/',
    '~root',
    '~nobody/',
    '~+',
    '{1..3}',
    '{c..a}',
    '{01..3..2}',
    '{a,{b,c}}',
    '{,z}',
    '~"/"',
  ],
  ...[
    '$HOME',
    '${HOME}',
    '"$HOME"',
    '{$HOME,y}',
    '"a b"',
    "'~'",
    '\\~',
    '{"a,b",c}',
    '${x:-{a,b}}',
    '{a..}',
    '-',
  ],
];

function makeWord(random: ReturnType<typeof seededRandom>): string {
  const length = 1 + random.below(5);
  return Array.from({ length }, () => pieces[random.below(pieces.length)]).join('');
}

/** What the real shell makes of a word, without patterns; undefined for what is no word to it. */
function expandBy(shell: 'bash' | 'dash', words: readonly string[]): (string[] | undefined)[] {
  const flags = shell === 'bash' ? ['--norc', '--noprofile', '-f'] : ['-f'];
  return words.map((word) => {
    try {
      const script = `printf '%s\\0' x ${word}`;
      const options = { env: { HOME: '/hh', PATH: process.env.PATH }, cwd: '/usr', stdio: 'pipe' as const };
      return execFileSync(shell, [...flags, '-c', script], options)
        .toString()
        .split('\0')
        .slice(1, -1);
    } catch {
      return undefined;
    }
  });
}

const homes: Record<string, string> = { root: '/root', nobody: '/nonexistent' };

/** What is read of it: all words that it becomes, and whether that is proved. */
function readWords(word: string, dialect: 'bash' | 'sh') {
  const place = { cwd: '/usr', home: '/hh', dialect, findHome: (user: string) => homes[user] };
  const parsed = parseShell(`printf x ${word}`, place);
  const words = parsed.commands[0]?.words.slice(2);
  if (parsed.isUnread || (dialect === 'sh' && parsed.problems.length > 0) || !words) return undefined;
  return words;
}

const shellTest = needs('dash');

for (const [shell, dialect] of [
  ['bash', 'bash'],
  ['dash', 'sh'],
] as const)
  shellTest(
    `${shell} makes of a word what is read of it (${cases / 4} words, CADRE_SEED=${seed})`,
    () => {
      const random = seededRandom(seed * 8 + shell.length);
      const words = Array.from({ length: cases / 4 }, () => makeWord(random));
      const wrong: unknown[] = [];
      let proved = 0;
      for (const [index, real] of expandBy(shell, words).entries()) {
        const word = words[index] ?? '';
        const read = readWords(word, dialect);
        if (!read || !real) continue;
        if (!read.every(({ values }) => values)) continue;
        proved++;
        const texts = read.flatMap(({ values = [] }) => values.map(({ text }) => text));
        if (JSON.stringify(texts) !== JSON.stringify(real)) wrong.push({ word, texts, real });
      }
      expect(wrong).toEqual([]);
      expect(proved).toBeGreaterThan(cases / 40);
    },
    240_000,
  );

test('a word that is not proved is guessed by all that the text gives it', () => {
  const guess = (line: string) => {
    const { commands } = parseShell(line, { cwd: '/ws', home: '/hh' });
    const [word] = commands.at(-1)?.words.slice(1) ?? [];
    return (word?.values ?? word?.guesses ?? []).map(({ text }) => text);
  };
  expect(guess('cat ${HOME%/}/.cadre/keys.json')).toContain('/hh/.cadre/keys.json');
  expect(guess('a=(/hh/k); cat "${a[0]}"')).toContain('/hh/k');
  expect(guess('a=(x /hh/k); cat "${a[@]}"')).toContain('/hh/k');
  expect(guess('HOME=/etc; cat ~/x')).toContain('/hh/x');
  expect(guess('cat {$y,~/k}')).toContain('/hh/k');
  expect(guess('cat ${y:-/hh/k}')).toContain('/hh/k');
});

test('commands between braces are seen', () => {
  const { commands } = parseShell('echo {$(rm z),b}', { cwd: '/ws', home: '/hh' });
  expect(commands.map(({ words }) => words[0]?.text)).toContain('rm');
});
