import { describe, expect, test } from 'bun:test';
import { chmodSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { flagProblem, type LoadAgentsOptions } from '../../src/agents/definitions/load-agents.ts';
import { runUnprivileged, temporaryDirectory } from '../support/index.ts';
import { world } from './definitions.ts';

const builtIn = ['general-purpose', 'Explore', 'Plan', 'worker'];

describe('AG5: where definitions come from', () => {
  test('without any file there are the built-in types', async () => {
    using directory = temporaryDirectory();
    const { definitions, broken, shadowed } = await world(directory.path).load();
    expect(definitions.map(({ name }) => name)).toEqual(builtIn);
    expect({ broken, shadowed }).toEqual({ broken: [], shadowed: [] });
  });

  test('of one name the strongest counts whole, and the others are listed as shadowed', async () => {
    using directory = temporaryDirectory();
    const here = world(directory.path);
    const places: [string, string][] = [
      ['etc/.cadre/agents/a.md', 'managed'],
      ['etc/.claude/agents/a.md', 'managed'],
      ['repo/sub/.cadre/agents/a.md', 'project'],
      ['repo/sub/.claude/agents/deep/er/a.md', 'project'],
      ['repo/.cadre/agents/a.md', 'project'],
      ['repo/.claude/agents/a.md', 'project'],
      ['other/.cadre/agents/a.md', 'project'],
      ['other/.claude/agents/a.md', 'project'],
      ['home/.cadre/agents/a.md', 'user'],
      ['home/.claude/agents/a.md', 'user'],
    ];
    const options: Partial<LoadAgentsOptions> = {
      additionalDirectories: [here.place('other')],
      pluginDirectories: [here.place('plug')],
    };
    here.agent('plug/agents/a.md', 'a');
    // From the weakest up, each new one takes over.
    for (const [index, [path, source]] of [...places].reverse().entries()) {
      here.agent(path, 'a');
      const { definitions, shadowed } = await here.load(options);
      const winner = definitions.find(({ name }) => name === 'a');
      expect(winner).toMatchObject({ source, file: here.place(path), prompt: `I am ${path}` });
      expect(shadowed).toHaveLength(index);
      expect(shadowed.every(({ by }) => by.file === here.place(path))).toBe(true);
    }
  });

  test('a flag and a program stand between managed and project, in this order', async () => {
    using directory = temporaryDirectory();
    const here = world(directory.path);
    here.agent('repo/.cadre/agents/a.md', 'a');
    const given = (prompt: string) => ({ a: { description: 'does a', prompt } });
    const winner = async (options: Partial<LoadAgentsOptions>) =>
      (await here.load(options)).definitions.find(({ name }) => name === 'a')?.source;
    const program = { agents: given('program') };
    const both = { ...program, flagAgents: JSON.stringify(given('flag')) };
    expect(await winner({})).toBe('project');
    expect(await winner(program)).toBe('library');
    expect(await winner(both)).toBe('cli');
    here.agent('etc/agents/a.md', 'a');
    expect(await winner(both)).toBe('managed');
  });

  test('a file may take the name of a built-in type', async () => {
    using directory = temporaryDirectory();
    const here = world(directory.path);
    here.agent('home/.claude/agents/explore.md', 'Explore', 'model: opus\n');
    const { definitions, shadowed } = await here.load();
    expect(definitions.find(({ name }) => name === 'Explore')).toMatchObject({
      source: 'user',
      model: 'opus',
      omitProjectMemory: false,
    });
    expect(shadowed).toMatchObject([{ name: 'Explore', source: 'built-in' }]);
  });

  test("above the repository's root nothing is looked for", async () => {
    using directory = temporaryDirectory();
    const here = world(directory.path);
    here.agent('.claude/agents/a.md', 'a');
    expect((await here.load()).definitions).toHaveLength(builtIn.length);
  });

  test("started in the home directory, the user's files are the user's", async () => {
    using directory = temporaryDirectory();
    const here = world(directory.path);
    here.agent('home/.claude/agents/a.md', 'a');
    const home = { cwd: here.place('home'), root: here.place('home') };
    const { definitions, shadowed } = await here.load(home);
    expect(definitions[0]).toMatchObject({ name: 'a', source: 'user' });
    expect(shadowed).toEqual([]);
  });

  test('--setting-sources leaves out what it does not name', async () => {
    using directory = temporaryDirectory();
    const here = world(directory.path);
    here.agent('repo/.claude/agents/p.md', 'p');
    here.agent('home/.claude/agents/u.md', 'u');
    const found = async (sources: string[]) =>
      (await here.load({ sources })).definitions
        .map(({ name }) => name)
        .filter((name) => !builtIn.includes(name));
    expect(await found(['user', 'project', 'local'])).toEqual(['p', 'u']);
    expect(await found(['user'])).toEqual(['u']);
    expect(await found([])).toEqual([]);
  });

  test('a file without a name is called after its file; documentation is passed over', async () => {
    using directory = temporaryDirectory();
    const here = world(directory.path);
    here.write('repo/.claude/agents/reviewer.md', '---\ndescription: reviews\n---\nBody');
    here.write('repo/.claude/agents/README.md', '# How we name agents\n');
    here.write('repo/.claude/agents/page.md', '---\ntitle: A page\n---\n');
    here.write('repo/.claude/agents/notes.txt', '---\nname: no\n---\n');
    const { definitions, broken } = await here.load();
    expect(definitions.map(({ name }) => name)).toEqual(['reviewer', ...builtIn]);
    expect(broken).toEqual([]);
  });
});

describe('plugins', () => {
  test('agents that a manifest names beside the usual folder are loaded; a path to nothing is named', async () => {
    using directory = temporaryDirectory();
    const here = world(directory.path);
    here.agent('kit/agents/usual.md', 'usual');
    here.agent('kit/a.md', 'a');
    here.agent('kit/more/deep/b.md', 'b');
    here.agent('outside.md', 'outside');
    const manifest = here.place('kit/.claude-plugin/plugin.json');
    here.write(
      'kit/.claude-plugin/plugin.json',
      JSON.stringify({
        name: 'kit',
        agents: ['./a.md', './more', './agents/usual.md', './gone.md', '../outside.md', 5],
      }),
    );
    const { definitions, broken } = await here.load({ pluginDirectories: [here.place('kit')] });
    const found = definitions.filter(({ source }) => source === 'plugin');
    expect(found.map(({ name }) => name).sort()).toEqual(['kit:a', 'kit:deep:b', 'kit:usual']);
    expect(broken.map(({ file, reason }) => [file, reason])).toEqual([
      [manifest, 'agents: ./gone.md does not exist'],
      [manifest, 'agents: ../outside.md is outside the plugin'],
      [manifest, 'agents: expected a path below the plugin, or a list of them'],
    ]);
  });

  test("a plugin's agents have its name and folders before theirs", async () => {
    using directory = temporaryDirectory();
    const here = world(directory.path);
    here.agent('kit/agents/one.md', 'one');
    here.agent('kit/agents/web/css/two.md', 'two', 'permissionMode: bypassPermissions\n');
    here.agent('named/agents/one.md', 'one');
    here.write('named/.claude-plugin/plugin.json', '{"name": "tools"}');
    const { definitions } = await here.load({ pluginDirectories: [here.place('kit'), here.place('named')] });
    const found = definitions.filter(({ source }) => source === 'plugin');
    expect(found.map(({ name }) => name)).toEqual(['kit:one', 'kit:web:css:two', 'tools:one']);
    expect(found[1]?.permissionMode).toBeUndefined();
  });

  test('a directory that is not there, or a bad manifest, is the problem of the flag', async () => {
    using directory = temporaryDirectory();
    const here = world(directory.path);
    const missing = await here.load({ pluginDirectories: [here.place('nowhere')] });
    expect(flagProblem(missing)).toMatchObject({
      kind: 'usage',
      message: `--plugin-dir ${here.place('nowhere')}: no such directory; expected the directory of a plugin.`,
    });
    here.write('bad/.claude-plugin/plugin.json', '{"name": "a:b"}');
    const bad = await here.load({ pluginDirectories: [here.place('bad')] });
    expect(flagProblem(bad)?.message).toContain('bad/.claude-plugin/plugin.json: name: expected');
  });
});

describe('--agents', () => {
  test('JSON, or a file that holds it', async () => {
    using directory = temporaryDirectory();
    const here = world(directory.path);
    const json = '{"a": {"description": "does a", "prompt": "Be a.", "tools": ["Read", "Task(b)"]}}';
    here.write('repo/sub/agents.json', json);
    for (const flagAgents of [json, 'agents.json', here.place('repo/sub/agents.json')]) {
      const { definitions, broken } = await here.load({ flagAgents });
      expect(broken).toEqual([]);
      expect(definitions[0]).toMatchObject({
        name: 'a',
        source: 'cli',
        prompt: 'Be a.',
        tools: ['Read', 'Agent'],
        spawnable: ['b'],
      });
    }
  });

  test.each([
    ['{"a": {"description": "x",\n "prompt"}}', '--agents:2: not valid JSON: expected ":" after the key.'],
    [
      'nothing.json',
      '/repo/sub/nothing.json: no such file; expected JSON that begins with {, or the path of a file with such JSON.',
    ],
    ['{"a": {"description": "x"}}', '--agents: "a": prompt: expected a string.'],
    [
      '{"a": {"prompt": "x"}}',
      '--agents: "a": description: expected a string that says when to use the agent.',
    ],
    ['{"a": 1}', '--agents: "a": expected an object with description and prompt.'],
    ['{"fork": {"description": "x", "prompt": "y"}}', '"fork" is reserved'],
    ['x'.repeat(10_000), 'expected JSON that begins with {'],
    ['', 'expected JSON that begins with {'],
  ])('%.60s is explained', async (flagAgents, message) => {
    using directory = temporaryDirectory();
    const loaded = await world(directory.path).load({ flagAgents });
    expect(flagProblem(loaded)).toMatchObject({ kind: 'usage', message: expect.stringContaining(message) });
    expect(loaded.definitions).toHaveLength(builtIn.length);
  });

  test('a field called __proto__ reaches nothing', async () => {
    using directory = temporaryDirectory();
    const flagAgents =
      '{"a": {"description": "x", "prompt": "y", "__proto__": {"tools": ["Bash"]}}, "__proto__": {"b": 1}}';
    const { definitions } = await world(directory.path).load({ flagAgents });
    expect(definitions[0]?.tools).toBe('*');
    expect(Object.keys(Object.prototype)).toEqual([]);
  });
});

describe('broken and hostile places', () => {
  test('links that run in circles end; links out of a repository are not followed, those of the user are', async () => {
    using directory = temporaryDirectory();
    const here = world(directory.path);
    here.agent('repo/.claude/agents/in.md', 'in');
    here.agent('outside/out.md', 'out');
    here.agent('dotfiles/mine.md', 'mine');
    symlinkSync('..', here.place('repo/.claude/agents/loop'));
    symlinkSync(here.place('outside'), here.place('repo/.claude/agents/away'));
    symlinkSync(here.place('outside/out.md'), here.place('repo/.claude/agents/one.md'));
    symlinkSync('nowhere', here.place('repo/.claude/agents/gone.md'));
    mkdirSync(here.place('home/.claude'), { recursive: true });
    symlinkSync(here.place('dotfiles'), here.place('home/.claude/agents'));
    const { definitions, broken } = await here.load();
    expect(definitions.map(({ name }) => name)).toEqual(['in', 'mine', ...builtIn]);
    expect(broken.map(({ file }) => file.split('/').at(-1))).toEqual(['away', 'gone.md', 'one.md']);
    expect(broken[0]?.reason).toContain('points outside');
  });

  test('what is no text file is named and never waited for', async () => {
    using directory = temporaryDirectory();
    const here = world(directory.path);
    here.write('repo/.claude/agents/binary.md', '---\nname: a\0b\n---\n');
    here.write(
      'repo/.claude/agents/huge.md',
      `---\nname: huge\ndescription: x\n---\n${'x'.repeat(1024 * 1024)}`,
    );
    here.write('repo/.cadre/agents', 'a file, not a folder');
    Bun.spawnSync(['mkfifo', here.place('repo/.claude/agents/pipe.md')]);
    const { broken } = await here.load();
    expect(broken.map(({ reason }) => reason)).toEqual([
      'expected a text file',
      'expected text, found binary data',
      expect.stringMatching(/^\d+ bytes; at most 1048576 are read$/),
    ]);
  });

  test("a file of the user's that every user can write is broken: its hooks would run", async () => {
    const here = world(temporaryDirectory().path);
    chmodSync(here.agent('home/.claude/agents/open.md', 'open'), 0o666);
    chmodSync(here.agent('repo/.claude/agents/theirs.md', 'theirs'), 0o666);
    const { definitions, broken } = await here.load();
    expect(definitions.map(({ name }) => name)).toContain('theirs');
    expect(broken.map(({ reason }) => reason)).toEqual([
      'it can be written by every user, who could change what Cadre does for you',
    ]);
  });

  test('a tree that is too deep or too wide is cut, and says where', async () => {
    using directory = temporaryDirectory();
    const here = world(directory.path);
    here.agent(`repo/.claude/agents/${'d/'.repeat(12)}deep.md`, 'deep');
    const folder = here.place('home/.claude/agents');
    mkdirSync(folder, { recursive: true });
    for (let index = 0; index < 10_050; index++) writeFileSync(`${folder}/${index}.txt`, '');
    const { broken } = await here.load();
    expect(broken.map(({ reason }) => reason)).toEqual([
      'skipped: more than 10 folders deep',
      'too many files; the rest is skipped',
    ]);
  });

  test('300 files, good and broken: none stops the others, and each broken one has its line and reason', async () => {
    using directory = temporaryDirectory();
    const here = world(directory.path);
    const kinds: [text: (name: string) => string, line?: number][] = [
      [(name) => `---\nname: ${name}\ndescription: fine\n---\nBody`],
      [(name) => `---\nname: ${name}\ndescription: what: and why\ntools:\n  - Read\n---\nBody`],
      [
        (name) =>
          `\uFEFF---\r\nname: ${name}\r\ndescription: >-\r\n  folded\r\n  text\r\nhooks: {Stop: []}\r\n---\r\nBody`,
      ],
      [(name) => `---\nname: ${name}\ndescription: unclosed`, 1],
      [(name) => `---\nname: ${name}\n---\nBody`, 1],
      [(name) => `---\nname: ${name}\ndescription: x\ntools: [Read, {a: b}]\n---\n`, 4],
      [(name) => `---\nname: ${name}\ndescription: x\nmcpServers:\n  - {a: b\n---\n`, 6],
      [(name) => `---\nname: ${name}:x\ndescription: x\n---\n`, 2],
      [(name) => `---\nname: ${name}\ndescription: x\npermissionMode: yolo\n---\n`, 4],
      [(name) => `---\nname: ${name}\ndescription: x\nmaxTurns: -1\n---\n`, 4],
    ];
    for (let index = 0; index < 300; index++) {
      const [text] = kinds[index % kinds.length] ?? [];
      here.write(`repo/.claude/agents/${index % 7}/${index}.md`, text?.(`agent-${index}`) ?? '');
    }
    const { definitions, broken } = await here.load();
    expect(definitions).toHaveLength(90 + builtIn.length);
    expect(broken).toHaveLength(210);
    for (const { file, line, reason } of broken) {
      const index = Number(/(\d+)\.md$/.exec(file)?.[1]);
      expect({ index, line }).toEqual({ index, line: kinds[index % kinds.length]?.[1] });
      expect(reason.length).toBeGreaterThan(10);
    }
  });

  test('what may not be read is named, and the rest counts', async () => {
    expect(await runUnprivileged<unknown>(join(import.meta.dirname, 'unreadable.script.ts'))).toEqual({
      found: ['fine'],
      broken: [
        ['folder', 'cannot be read:'],
        ['closed.md', 'cannot be read:'],
      ],
    });
  });
});

test("G2 a repository's Explore may say what it likes, and changes nothing all the same", async () => {
  using directory = temporaryDirectory();
  const here = world(directory.path);
  here.agent('repo/.claude/agents/Explore.md', 'Explore', 'tools: "*"\n');
  const { definitions } = await here.load();
  const explore = definitions.find(({ name }) => name === 'Explore');
  expect(explore).toMatchObject({
    source: 'project',
    role: { shell: 'read-only', writes: false, secrets: 'closed' },
  });
  expect(explore?.disallowedTools).toContain('Write');
});
