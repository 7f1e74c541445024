import { expect, test } from 'bun:test';
import { spawnSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { call, fakeProvider, say } from '../../src/testing/index.ts';
import { cadre, newPlace, type Place } from './support.ts';

/** An escape, direction marks, characters without width, a blank that is none, a tag character. */
const hidden = '\x1b[31m\u202ee\u2066v\u200bi\u00adl\u3164\u00a0\u{e0041}\ufe0f';
const unseen = /[^\p{L}\p{M}\p{N}\p{P}\p{S}\n\t ]|\u3164|\ufe0f|\u{e0041}/u;

/** A repository in which every name and text that a command may print has something in it that nobody sees. */
function hiddenPlace(): Place {
  const place = newPlace();
  const git = (...args: string[]) =>
    spawnSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@b', ...args], { cwd: place.cwd });
  const put = (path: string, text: string) => {
    mkdirSync(dirname(join(place.cwd, path)), { recursive: true });
    writeFileSync(join(place.cwd, path), text);
  };
  git('init', '--quiet');
  git('commit', '--quiet', '--allow-empty', '-m', hidden);
  git('checkout', '--quiet', '-b', `branch-\u202e\u200b`);
  const named = JSON.stringify(hidden);
  put(
    `.cadre/agents/a${hidden.replace('\x1b', '')}.md`,
    `---\nname: a${hidden}\ndescription: ${named}\nmodel: ${named}\n---\n${hidden}`,
  );
  put(
    '.cadre/agents/b.md',
    `---\nname: b\ndescription: ${named}\nmodel: ${named}\ntools: [${named}]\n---\n${hidden}`,
  );
  put('.cadre/commands/c.md', `---\ndescription: ${named}\nargument-hint: ${named}\n---\n${hidden}`);
  put('.cadre/skills/d/SKILL.md', `---\nname: d\ndescription: ${named}\n---\n${hidden}`);
  put(
    '.mcp.json',
    JSON.stringify({
      mcpServers: {
        [`m${hidden}`]: { command: hidden, args: [hidden] },
        ok: { command: `x${hidden}`, args: [hidden] },
      },
    }),
  );
  put(
    '.cadre/settings.json',
    JSON.stringify({
      model: hidden,
      [`unknown${hidden}`]: 1,
      permissions: { allow: [`Bash(${hidden})`, hidden], deny: [`Read(${hidden})`] },
      hooks: { PreToolUse: [{ matcher: hidden, hooks: [{ type: 'command', command: hidden }] }] },
      env: { [`E${hidden}`]: hidden },
    }),
  );
  put(`file${hidden}`, hidden);
  return place;
}

const place = hiddenPlace();

for (const words of [
  ['agents'],
  ['agents', 'show', 'b'],
  ['agents', 'show', hidden],
  ['skills'],
  ['commands'],
  ['hooks'],
  ['mcp', 'list'],
  ['mcp', 'get', hidden],
  ['mcp', 'get', 'ok'],
  ['mcp', 'test', 'ok'],
  ['trust'],
  ['trust', `nowhere${hidden}`],
  ['doctor'],
  ['worktree', 'list'],
  ['worktree', 'remove', hidden],
  ['tasks', 'show', hidden],
  ['sessions', 'list'],
  ['sessions', 'show', hidden],
  ['why', 'Bash', JSON.stringify({ command: hidden })],
  ['why', `Bash(echo ${hidden})`],
  ['why', 'Read', JSON.stringify({ file_path: `file${hidden}` })],
  ['dream', 'show', hidden],
  ['audit', '--session', hidden],
  ['-p', 'x', '--model', hidden],
  ['-p', 'x', '--agent', hidden],
  ['-p', 'x', '--resume', hidden],
  ['-p', 'x', '--settings', `{"x":"${'\u202e'}`],
  ['-p', 'x', '--mcp-config', `nowhere\u202e`],
  ['-p', 'x', '--add-dir', `nowhere\u202e`],
  ['-p', 'x', `--unknown-\u202e`],
  [`unknown\u202e`, '--help\u200b'],
])
  test(`cadre ${JSON.stringify(words.join(' ')).slice(1, 40)} prints nothing that nobody sees`, async () => {
    const { out, err } = await cadre(words, { place });
    expect(unseen.exec(out)?.[0].codePointAt(0)?.toString(16)).toBeUndefined();
    expect(unseen.exec(err)?.[0].codePointAt(0)?.toString(16)).toBeUndefined();
  });

test('sessions, tasks and the audit log print nothing that nobody sees', async () => {
  const at = newPlace();
  await using provider = await fakeProvider({
    script: [
      call('Bash', { command: `: ${hidden}`, description: hidden }),
      call('Read', { file_path: `no${hidden}` }),
      say(`Done ${hidden}`),
    ],
  });
  const ran = await cadre(['-p', `Go ${hidden}`, '--verbose'], { place: at, provider });
  expect(unseen.exec(ran.err)).toBeNull();
  for (const words of [['sessions', 'list'], ['tasks'], ['audit']]) {
    const { out, err } = await cadre(words, { place: at });
    expect([words, unseen.exec(out), unseen.exec(err)]).toEqual([words, null, null]);
  }
});
