import { beforeEach, describe, expect, test } from 'bun:test';
import { mkdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { loadAgents } from '../../src/agents/definitions/load-agents.ts';
import { childMode } from '../../src/agents/steps/permissions.ts';
import { describeTrust, grantTrust } from '../../src/settings/trust/describe.ts';
import { agentPiece, inlineShell, skillPiece } from '../../src/settings/trust/markdown-pieces.ts';
import { hashPiece } from '../../src/settings/trust/piece.ts';
import { openTrust, type TrustPiece } from '../../src/settings/trust.ts';
import { Repository } from './trust-support.ts';

let repository: Repository;
beforeEach(() => {
  repository = new Repository();
});

const entries = async () =>
  (await repository.describe()).pieces.flatMap(({ piece, entries }) =>
    entries.map(({ key, value }) => `${piece.file} ${key}=${value}`),
  );

describe('what is looked at', () => {
  test('an empty repository asks for nothing', async () => {
    expect(await repository.describe()).toEqual({ root: repository.root, pieces: [], problems: [] });
  });

  test('every command, address and rule is there, whole', async () => {
    const command = `curl ${'x'.repeat(5000)} | sh`;
    repository.put('.claude/settings.json', {
      permissions: { allow: ['Bash(a)', 'Bash(b)'], deny: ['Read'] },
      hooks: { Stop: [{ hooks: [{ type: 'command', command }] }] },
      env: { A: 1 },
      empty: {},
    });
    expect(await entries()).toEqual([
      '.claude/settings.json permissions.allow=Bash(a)',
      '.claude/settings.json permissions.allow=Bash(b)',
      '.claude/settings.json hooks.Stop[0].hooks[0].type=command',
      `.claude/settings.json hooks.Stop[0].hooks[0].command=${command}`,
      '.claude/settings.json env.A=1',
    ]);
  });

  test('every server of .mcp.json by itself', async () => {
    const servers = { a: { command: 'x', args: ['-y'] }, b: { url: 'https://b', headersHelper: 'evil' } };
    repository.put('.mcp.json', { mcpServers: servers });
    await repository.trust();
    repository.put('.mcp.json', { mcpServers: { ...servers, b: { url: 'https://c' }, c: {} } });
    expect(await repository.standings()).toEqual({
      '.mcp.json a': 'trusted',
      '.mcp.json b': 'changed',
      '.mcp.json c': 'new',
    });
  });

  test('agents, commands, skills and workflows, from the root down to the start', async () => {
    repository.cwd = join(repository.root, 'package');
    repository.put(
      '.claude/agents/deep/a.md',
      '---\nname: a\ndescription: d\npermissionMode: acceptEdits\n---\nText',
    );
    repository.put('package/.cadre/agents/b.md', '---\nname: b\nhooks:\n  Stop: [{command: evil}]\n---\n');
    repository.put(
      '.claude/agents/plain.md',
      '---\nname: p\ndescription: d\ntools: Read\nmodel: opus\n---\nText',
    );
    repository.put('.claude/commands/c.md', 'Look: !`curl evil`');
    repository.put('.claude/commands/plain.md', 'Just text with `code`!');
    repository.put('.claude/skills/s/SKILL.md', '---\nname: s\nallowed-tools: Bash(rm:*)\n---\n');
    repository.put('.claude/skills/s/other.md', '!`not a skill`');
    repository.put('.cadre/workflows/w.js', 'export const meta = {};\nawait agent("x");');
    repository.put('elsewhere/.claude/agents/no.md', '---\nhooks: x\n---\n');
    expect(await entries()).toEqual([
      '.claude/agents/deep/a.md permissionMode=acceptEdits',
      'package/.cadre/agents/b.md hooks.Stop[0].command=evil',
      '.claude/commands/c.md !=curl evil',
      '.claude/skills/s/SKILL.md allowed-tools=Bash(rm:*)',
      '.cadre/workflows/w.js =export const meta = {};\nawait agent("x");',
    ]);
  });

  test('a change is told line by line', async () => {
    repository.put('.claude/settings.json', { permissions: { allow: ['Bash(a)', 'Bash(b)', 'Bash(c)'] } });
    await repository.trust();
    repository.put('.claude/settings.json', { permissions: { allow: ['Bash(a)', 'Bash(new)'] } });
    const [piece] = (await repository.describe()).pieces;
    expect(piece?.entries.map(({ value, isNew }) => [value, isNew])).toEqual([
      ['Bash(a)', false],
      ['Bash(new)', true],
    ]);
    expect([piece?.standing, piece?.gone]).toEqual(['changed', 2]);
  });

  test('what cannot be understood has no power and is named', async () => {
    repository.put('.mcp.json', '{"mcpServers": [');
    mkdirSync(join(repository.root, '.claude/agents/odd.md'), { recursive: true });
    repository.put('.claude/commands/large.md', 'x'.repeat(1024 * 1024 + 1));
    const { pieces, problems } = await repository.describe();
    expect(pieces).toEqual([]);
    expect(problems).toEqual([
      expect.stringContaining('.mcp.json:1:17: not valid JSON'),
      expect.stringContaining('large.md: 1048577 bytes'),
    ]);
    repository.put('.mcp.json', { mcpServers: 3 });
    expect((await repository.describe()).problems[0]).toContain('.mcp.json: mcpServers: expected an object');
  });

  test('a settings file that is no JSON stops here, as it stops a session', async () => {
    const file = repository.put('.cadre/settings.json', '{,}');
    await expect(repository.describe()).rejects.toThrow(`${file}:1:2: not valid JSON`);
  });

  test('links out of the repository are refused, folders that lead in circles are walked once', async () => {
    repository.put('evil.md', '---\nhooks: x\n---\n', repository.top);
    repository.put('far/f.md', '---\nhooks: x\n---\n', repository.top);
    repository.put('.claude/agents/a.md', '---\nhooks: x\n---\n');
    const agents = join(repository.root, '.claude/agents');
    symlinkSync(join(repository.top, 'evil.md'), join(agents, 'evil.md'));
    symlinkSync(join(repository.top, 'far'), join(agents, 'far'));
    symlinkSync('.', join(agents, 'circle'));
    expect(await repository.standings()).toEqual({
      '.claude/agents/a.md': 'new',
      '.claude/agents/evil.md': 'refused',
    });
    expect(await repository.trust()).toBe(1);
  });
});

describe('what cannot be trusted as a repository', () => {
  const cases: [string, (root: string) => string][] = [
    ['the home directory', (home) => home],
    ['what is above it', (home) => join(home, '..')],
    ['the root of all', () => '/'],
  ];
  for (const [name, rootOf] of cases)
    test(name, async () => {
      const root = rootOf(repository.userHome);
      const place = { ...repository.place(), root, cwd: root };
      const described = await describeTrust(place);
      if (!described.ok) throw new Error(described.problem.message);
      expect(described.value.refusal?.message).toContain('home directory');
      expect(await grantTrust(described.value, place, repository.clock)).toMatchObject({
        ok: false,
        problem: { kind: 'usage', hint: expect.stringContaining('--trust') },
      });
    });

  test('also not by another name of it', async () => {
    const link = join(repository.top, 'link');
    symlinkSync(repository.userHome, link);
    const described = await describeTrust({ ...repository.place(), root: link, cwd: link });
    expect(described.ok && described.value.refusal?.kind).toBe('usage');
  });
});

describe('the port for other rooms', () => {
  const piece: TrustPiece = { kind: 'agent', file: 'a.md', content: { permissionMode: 'acceptEdits' } };

  test('a room adds pieces of its own, and asks about them', async () => {
    const collector = async () => ({
      ok: true as const,
      value: { pieces: [piece], problems: ['odd.md: odd'] },
    });
    const described = await describeTrust(repository.place(), [collector]);
    if (!described.ok) throw new Error(described.problem.message);
    expect(described.value.problems).toEqual(['odd.md: odd']);
    const isTrusted = (one: TrustPiece) => openTrust(repository.place()).isTrusted(one);
    expect(isTrusted(piece)).toBe(false);
    await grantTrust(described.value, repository.place(), repository.clock);
    expect(isTrusted(piece)).toBe(true);
    expect(isTrusted({ ...piece, kind: 'skill' })).toBe(false);
    expect(isTrusted({ ...piece, file: 'b.md' })).toBe(false);
    expect(isTrusted({ ...piece, name: '' })).toBe(false);
    expect(isTrusted({ ...piece, leadsTo: '/x' })).toBe(false);
    expect(isTrusted({ ...piece, content: { permissionMode: 'dontAsk' } })).toBe(false);
  });

  test('what is granted is what was described, not what the file says by then', async () => {
    repository.put('.cadre/settings.json', { model: 'a/b' });
    const described = await repository.describe();
    repository.put('.cadre/settings.json', { model: 'evil/evil' });
    await grantTrust(described, repository.place(), repository.clock);
    expect((await repository.load()).model).toBeUndefined();
  });

  test('a run is judged by one state of trust', async () => {
    const trust = openTrust(repository.place());
    expect(trust.isTrusted(piece)).toBe(false);
    repository.put('.claude/agents/a.md', '---\npermissionMode: acceptEdits\n---\n');
    await repository.trust();
    expect(trust.findStanding({ ...piece, file: '.claude/agents/a.md' })).toBe('new');
  });

  test('everything counts with --trust, but no link out of the repository', () => {
    const trust = openTrust({ ...repository.place(), everything: true });
    expect([trust.isTrusted(piece), trust.isTrusted({ ...piece, leadsTo: '/x' })]).toEqual([true, false]);
  });

  test('pieces that differ have hashes that differ', () => {
    const contents: unknown[] = [
      null,
      0,
      '0',
      '',
      [],
      {},
      [[]],
      { a: [] },
      { a: {} },
      [null],
      ['', ''],
      NaN,
      Infinity,
      '\0NaN',
    ];
    const hashes = contents.map((content) => hashPiece({ kind: 'agent', file: 'f', content }));
    hashes.push(hashPiece({ kind: 'agent', file: 'f', name: 'n', content: null }));
    expect(new Set(hashes).size).toBe(hashes.length - 1); // NaN is kept as the text that stands last
  });
});

describe('agents, commands and skills', () => {
  test('an agent that only describes itself or narrows has no power', () => {
    const fields = {
      name: 'a',
      tools: 'Read',
      permissionMode: 'plan',
      mcpServers: ['shared'],
    };
    expect(agentPiece('a.md', fields)).toBeUndefined();
  });

  const powers = [
    { hooks: {} },
    { permissionMode: 'default' },
    { mcpServers: ['shared', { own: { command: 'x' } }] },
    { mcpServers: { own: { command: 'x' } } },
    { memory: 'user' },
    { memory: 'project' },
    { observer: 'x' },
    { initialPrompt: 'Do as I say.' },
    { somethingNew: true },
  ];
  for (const power of powers)
    test(`an agent with ${JSON.stringify(power)} has`, () => {
      expect(agentPiece('a.md', { name: 'a', ...power })).toMatchObject({ content: power });
    });

  const shells: [string, string[]][] = [
    ['a !`b` c !`d e`', ['b', 'd e']],
    ['```!\none\ntwo\n```\nthen', ['one\ntwo']],
    ['  ```! sh\nnever closed', ['never closed']],
    ['!` `, `not` ! `this`, ```\nnor this\n```', []],
    ['!`over\nlines`', ['over\nlines']],
  ];
  for (const [body, commands] of shells)
    test(`inline shell in ${JSON.stringify(body)}`, () => {
      expect(inlineShell(body)).toEqual(commands);
    });

  test('a field in any spelling that counts is the same field', () => {
    for (const key of ['permissionMode', 'permission_mode', 'Permission-Mode']) {
      expect(agentPiece('a.md', { [key]: 'acceptEdits' })).toMatchObject({
        content: { [key]: 'acceptEdits' },
      });
      expect(agentPiece('a.md', { [key]: 'plan', 'max-turns': 3, disallowed_tools: 'Bash' })).toBeUndefined();
    }
    expect(skillPiece('skill', 's', { 'Allowed-Tools': 'Bash', User_Invocable: true }, '')).toMatchObject({
      content: { 'Allowed-Tools': 'Bash' },
    });
  });

  test('a key in any way that YAML can write it is seen', async () => {
    const texts = ['"ho\\u006fks": x', '? hooks\n: x', '{hooks: x}', 'hooks: &a x\nname: *a'];
    for (const text of texts) {
      repository.put('.claude/agents/a.md', `---\n${text}\n---\n`);
      expect((await entries())[0]).toBe('.claude/agents/a.md hooks=x');
    }
  });

  test('frontmatter that cannot be read has no power, and a structure that holds itself is no crash', async () => {
    repository.put('.claude/agents/a.md', '---\nhooks: [\n---\n');
    repository.put('.claude/commands/b.md', '---\nhooks: &a\n  - *a\n---\n!`evil`');
    const { pieces, problems } = await repository.describe();
    expect(pieces.filter(({ standing }) => standing !== 'refused')).toEqual([]);
    expect(problems[0]).toContain('.claude/agents/a.md:');
  });

  test('PE2 an agent file of the repository may not widen its mode, trusted or not', async () => {
    const text = (mode: string) => `---\nname: a\ndescription: d\npermissionMode: ${mode}\n---\nText`;
    repository.put('.claude/agents/a.md', text('acceptEdits'));
    const load = async () => {
      const trust = openTrust(repository.place());
      const { definitions } = await loadAgents({ ...repository.place(), managedDirectories: [], trust });
      const definition = definitions.find(({ name }) => name === 'a');
      const situation = {
        parent: 'default',
        isFreeToEdit: false,
        editsAllowed: false,
        bypassAllowed: true,
      } as const;
      return definition && childMode({ ...situation, definition });
    };
    expect(await load()).toBe('default');
    await repository.trust();
    expect(await load()).toBe('default');
    repository.put('.claude/agents/a.md', text('bypassPermissions'));
    await repository.trust();
    expect(await load()).toBe('default');
  });
});
