import { expect, test } from 'bun:test';
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { ModelRequest } from '../../src/protocol/index.ts';
import type { SessionOptions } from '../../src/session/options.ts';
import { call, say, type Turn, toolResultText } from '../../src/testing/index.ts';
import { open, type Place, place } from './support.ts';

const files = {
  '.git/HEAD': 'ref: refs/heads/main\n',
  'CLAUDE.md': 'Root notes.',
  'packages/AGENTS.md': 'Notes for all packages.',
  'packages/api/CLAUDE.md': 'Notes for the api. See @more.md.',
  'packages/api/more.md': 'More about the api.',
  'packages/api/src/a.ts': 'let a;',
  'packages/api/src/b.ts': 'let b;',
  'packages/web/AGENTS.md': 'Notes for the web.',
  'packages/web/c.ts': 'let c;',
};

function repository(more: Record<string, string> = {}): Place {
  const at = place();
  for (const [path, text] of Object.entries({ ...files, ...more })) {
    const file = join(at.cwd, path);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text);
  }
  return at;
}

async function results(at: Place, turns: Turn[], options: SessionOptions = {}) {
  const opened = await open(at, turns, { allowedTools: ['Bash', 'Write', 'Edit'], ...options });
  await opened.prompt('Go');
  await opened.session.close();
  const { requests } = opened.model;
  return { requests, results: requests.map((request) => toolResultText(request as ModelRequest)) };
}

const read = (file_path: string) => call('Read', { file_path });

test('the memory files of a directory come with the first result from there, from the top down, once', async () => {
  const at = repository();
  const turns = [read('packages/api/src/a.ts'), read('packages/api/src/b.ts'), read('packages/web/c.ts')];
  const { requests, results: got } = await results(at, [...turns, say('Done.')]);
  expect(requests[0]?.system.join()).toContain('Root notes.');
  expect(requests[0]?.system.join()).not.toContain('Notes for all packages');
  expect(got[1]).toMatch(
    /let a;[\s\S]*Notes for all packages\.[\s\S]*Notes for the api\.[\s\S]*More about the api\./,
  );
  expect(got[1]).toContain(
    `<cadre-memory path="${join(at.cwd, 'packages/api/CLAUDE.md')}" from="repository">`,
  );
  expect(got[1]).not.toContain('Root notes.');
  expect(got[1]).not.toContain('the web');
  expect(got[2]).not.toContain('Notes for');
  expect(got[3]).toContain('Notes for the web.');
  expect(got[3]).not.toContain('all packages');
  expect(requests[3]?.system).toEqual(requests[0]?.system as never);
});

test('writing there and going there bring them too', async () => {
  const write = call('Write', { file_path: 'packages/web/new.ts', content: 'x' });
  const go = call('Bash', { command: 'cd packages/api/src' });
  const { results: got } = await results(repository(), [write, go, say('Done.')]);
  expect(got[1]).toContain('Notes for the web.');
  expect(got[2]).toContain('Notes for the api.');
});

test('a session that starts below the root has those on its way in its prompt, and not twice', async () => {
  const at = repository();
  const inside = { ...at, cwd: join(at.cwd, 'packages') };
  const { requests, results: got } = await results(inside, [
    read('api/src/a.ts'),
    read('../packages/web/c.ts'),
    say('Done.'),
  ]);
  expect(requests[0]?.system.join()).toContain('Notes for all packages.');
  expect(got[1]).toContain('Notes for the api.');
  expect(got[1]).not.toContain('all packages');
  expect(got[2]).toContain('Notes for the web.');
});

test('each agent gets them once, and one that leaves memory out does not', async () => {
  const agent = (subagent_type: string) =>
    call('Agent', { subagent_type, description: 'd', prompt: `Go, ${subagent_type}.` });
  const { requests } = await results(repository(), [
    agent('general-purpose'),
    read('packages/web/c.ts'),
    say('Agent.'),
    agent('Explore'),
    read('packages/web/c.ts'),
    say('Agent.'),
    read('packages/web/c.ts'),
    say('Done.'),
  ]);
  const told = requests.map((request) =>
    toolResultText(request as ModelRequest).includes('Notes for the web.'),
  );
  expect(told).toEqual([false, false, true, false, false, false, false, true]);
});

test('excluded files, files that may not be read, links out of the repository and installed packages stay out', async () => {
  const at = repository({
    '../elsewhere.md': 'Outside.',
    'linked/x.ts': 'x',
    'closed/CLAUDE.md': 'Closed.',
    'closed/x.ts': 'x',
    'node_modules/p/CLAUDE.md': 'Of a package.',
    'node_modules/p/x.ts': 'x',
  });
  symlinkSync(join(at.cwd, '../elsewhere.md'), join(at.cwd, 'linked/CLAUDE.md'));
  const turns = ['packages/web/c.ts', 'linked/x.ts', 'closed/x.ts', 'node_modules/p/x.ts'].map(read);
  const { requests } = await results(at, [...turns, say('Done.')], {
    disallowedTools: ['Read(closed/*.md)'],
    settings: JSON.stringify({ claudeMdExcludes: ['packages/web/**'] }),
  });
  const all = JSON.stringify(requests.at(-1)?.messages);
  expect(all).toContain('Notes for all packages.');
  for (const text of ['Notes for the web.', 'Outside.', 'Closed.', 'Of a package.'])
    expect(all).not.toContain(text);
});

test('what would be too much for one agent is named, not shown', async () => {
  const long = 'Long.\n'.repeat(6_000);
  const at = repository({
    'packages/web/AGENTS.md': long,
    'packages/app/AGENTS.md': `Other.\n${long}`,
    'packages/app/d.ts': '',
  });
  const turns = [read('packages/web/c.ts'), read('packages/app/d.ts'), say('Done.')];
  const { results: got } = await results(at, turns);
  expect(got[1]).toContain(long.trim());
  expect(got[2]).toContain(`are in ${join(at.cwd, 'packages/app/AGENTS.md')}.]`);
  expect(got[2]).not.toContain('Long.');
});
