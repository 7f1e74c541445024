import { expect, test } from 'bun:test';
import type { Question } from '../../src/protocol/index.ts';
import { type PhraseOptions, phraseQuestion } from '../../src/tui/questions/sentence.ts';
import { width } from '../../src/tui/text/index.ts';

const places = [{ path: '/work', name: '' }];
const change = (isNew: boolean) => ({ kind: 'diff' as const, path: '/work/src/sum.ts', isNew, text: '' });

function phrase(
  toolName: string,
  input: Record<string, unknown>,
  { isNew, cwd = '/work', summary = '', ...options }: Partial<PhraseOptions & Facts> = {},
): string {
  const question: Question = {
    ...{ id: 'q', sessionId: 's', agentId: null, asker: { type: 'lead' }, toolUseId: 't', toolName, input },
    ...{ cwd, decision: { behaviour: 'ask', by: 'default', reason: 'no rule' }, suggestions: [] },
    ...{ risk: { level: 'low', reasons: [] }, summary, askedAt: 0, expiresAt: null },
  };
  const preview = isNew === undefined ? undefined : change(isNew);
  return phraseQuestion(question, preview, { room: 80, places, ...options });
}

interface Facts {
  isNew: boolean;
  cwd: string;
  summary: string;
}

test.each([
  ['a changed file', phrase('Edit', { file_path: '/work/src/sum.ts' }, { isNew: false }), 'Edit src/sum.ts?'],
  ['a new file', phrase('Write', { file_path: 'src/sum.ts' }, { isNew: true }), 'Create src/sum.ts?'],
  ['a file that is replaced', phrase('Write', { file_path: 'a.ts' }, { isNew: false }), 'Overwrite a.ts?'],
  ['a command', phrase('Bash', { command: 'npm test' }), 'Run npm test?'],
  [
    'a command elsewhere',
    phrase('Bash', { command: 'npm test' }, { cwd: '/work/packages/api' }),
    'Run npm test in packages/api?',
  ],
  ['a command of several lines', phrase('Bash', { command: 'a\nb' }), 'Run a …?'],
  ['a search', phrase('Grep', { pattern: 'sum', path: '/etc' }), 'Search /etc for "sum"?'],
  ['a page', phrase('WebFetch', { url: 'https://a.example/b' }), 'Fetch https://a.example/b?'],
  [
    'an agent',
    phrase('Agent', { subagent_type: 'Explore', description: 'Find it' }),
    'Start an Explore agent: Find it?',
  ],
  [
    'work that lands',
    phrase('Land', { action: 'land', names: ['one', 'two', 'three'] }),
    'Land one, two and three on your branch?',
  ],
  ['a tool of a server', phrase('mcp__github__search', {}), 'Use search of the MCP server github?'],
  ['any other tool', phrase('TaskStop', {}, { summary: 'b12' }), 'Use TaskStop: b12?'],
])('a question is one sentence: %s', (_, said, expected) => {
  expect(said).toBe(expected);
});

test('a long command is cut in its middle, and ends as it ends', () => {
  const said = phrase('Bash', { command: `curl ${'x'.repeat(5_000)} --last` });
  expect(said).toStartWith('Run curl x');
  expect(said).toEndWith('x --last?');
});

test('a file in the worktree of the asking agent is named from there', () => {
  const worktree = '/state/worktrees/fixer';
  const input = { file_path: `${worktree}/src/sum.ts` };
  expect(phrase('Edit', input, { isNew: false, worktree })).toBe('Edit src/sum.ts in its worktree?');
});

test('what a sentence names is cut to the room, and controls in it are written out', () => {
  const said = phrase('Bash', { command: `echo \u001b[31m ${'x'.repeat(200)}` }, { room: 30 });
  expect(width(said)).toBeLessThanOrEqual(30);
  expect(said).toStartWith('Run echo');
  expect(said).toEndWith('?');
  expect(said).not.toContain('\u001b');
});
