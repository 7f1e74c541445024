import { describe, expect, test } from 'bun:test';
import { join } from 'node:path';
import { builtInFiles } from '../../src/handoffs/built-in.ts';
import { loadBuiltInLibrary } from '../../src/handoffs/load-library.ts';
import { resolveTemplate } from '../../src/handoffs/resolve-template.ts';
import { temporaryDirectory } from '../support/index.ts';
import { placeFiles } from './support.ts';

const symbols = ['find_definition', 'find_references', 'get_hover', 'find_workspace_symbols'];
const looking = ['Read', 'Grep', 'Glob', ...symbols.map((name) => `mcp__cclsp__${name}`)];

describe('HO2 built-in files', () => {
  test.each([
    ['researcher', ['Read', 'Grep', 'Glob', 'WebFetch', 'WebSearch', 'mcp__cclsp__*', 'mcp__context7__*']],
    ['architect', ['Read', 'Grep', 'Glob', 'WebFetch', 'WebSearch', 'mcp__cclsp__*', 'mcp__context7__*']],
    ['writer', ['Read', 'Write', 'Edit', 'Bash', 'Grep', 'Glob', 'mcp__cclsp__*']],
    ['quick-writer', ['Read', 'Write', 'Edit', 'Bash', 'Grep', 'Glob', 'mcp__cclsp__*']],
    ['analyzer', looking],
    ['validator', [...looking, 'Bash', 'mcp__cclsp__*']],
    ['parallel-executor', [...looking, 'Bash', 'mcp__cclsp__*']],
  ])('the %s has the tools of its profile', async (name, tools) => {
    const resolved = resolveTemplate(await loadBuiltInLibrary(), name);
    expect(resolved).toMatchObject({ ok: true, value: { tools } });
  });

  test('every template has all sections, and none has notes', async () => {
    const { templates, profiles } = await loadBuiltInLibrary();
    expect([...templates.values(), ...profiles.values()].flatMap(({ notes }) => notes)).toEqual([]);
    expect([...profiles.keys()]).toEqual(['read-only', 'research', 'writer', 'full-access']);
    expect(profiles.get('full-access')?.tools).toEqual(['*', 'Agent']);
  });

  test('only a template whose profile starts agents is told how to combine them', async () => {
    const library = await loadBuiltInLibrary();
    const [plain, leading] = ['writer', 'full-access'].map((profile) => {
      const template = { ...library.templates.get('writer'), profile } as never;
      return resolveTemplate({ ...library, templates: new Map([['writer', template]]) }, 'writer');
    });
    expect(plain?.ok && plain.value.system).not.toContain('## Orchestration');
    expect(leading?.ok && leading.value.system).toContain('## Orchestration');
  });
});

const profile = (tools: string, name = 'read-only') => `---\nname: ${name}\ntools: ${tools}\n---\n`;

describe('HO2 files of a user or a repository', () => {
  test.each(['.cadre', '.claude'])(
    'a trusted file in %s replaces one built-in file and no other',
    async (folder) => {
      using directory = temporaryDirectory();
      const file = `repo/${folder}/sub-agents/profiles/read-only.md`;
      const { load } = placeFiles(directory.path, { [file]: profile('[Read, Write, mcp__x__*]') });
      const { profiles, broken, held } = await load(true);
      expect(profiles.get('read-only')).toMatchObject({
        tools: ['Read', 'Write', 'mcp__x__*'],
        source: 'project',
        file: join(directory.path, file),
      });
      expect(profiles.get('writer')?.source).toBe('built-in');
      expect({ broken, held }).toEqual({ broken: [], held: [] });
    },
  );

  test("a repository's file has no effect until it is trusted, and is listed as held", async () => {
    using directory = temporaryDirectory();
    const { load } = placeFiles(directory.path, {
      'repo/.cadre/sub-agents/profiles/read-only.md': profile('[Read, Bash]'),
      'repo/.cadre/sub-agents/templates/researcher.md': builtInFiles.templates.researcher ?? '',
    });
    const { profiles, templates, held } = await load(false);
    expect(profiles.get('read-only')?.source).toBe('built-in');
    expect(templates.get('researcher')?.source).toBe('built-in');
    expect(held.map(({ name }) => name).toSorted()).toEqual(['read-only', 'researcher']);
  });

  test("an untrusted profile that only takes tools away applies, unless the user's own decides", async () => {
    using directory = temporaryDirectory();
    const files = {
      'repo/.cadre/sub-agents/profiles/research.md': profile('[Read, mcp__cclsp__hover]', 'research'),
    };
    const first = await placeFiles(directory.path, files).load(false);
    expect(first.profiles.get('research')?.tools).toEqual(['Read', 'mcp__cclsp__hover']);
    const own = { 'home/.cadre/sub-agents/profiles/research.md': profile('[Read]', 'research') };
    const second = await placeFiles(directory.path, own).load(false);
    expect(second.profiles.get('research')?.tools).toEqual(['Read']);
  });

  test.each([
    ['tools: Read(src/**)', 2, 'expected the name of a whole tool'],
    ['name: other\ntools: Read', 2, 'expected read-only, the name of the file'],
    ['tols: Read', 2, 'Did you mean tools?'],
    ['description: x', 1, 'tools: expected a list of tool names'],
    ['tools: [Read', 2, 'not closed'],
    ['tools: [Re*]', 2, '* is only valid alone or after mcp__<server>__'],
  ])(
    'a broken profile (%s) is listed with its line, and its name is not usable',
    async (fields, line, reason) => {
      using directory = temporaryDirectory();
      const file = 'home/.cadre/sub-agents/profiles/read-only.md';
      const library = await placeFiles(directory.path, { [file]: `---\n${fields}\n---\n` }).load(true);
      expect(library.broken).toEqual([
        expect.objectContaining({ line, reason: expect.stringContaining(reason), name: 'read-only' }),
      ]);
      expect(library.profiles.has('read-only')).toBe(false);
      const resolved = resolveTemplate(library, 'analyzer');
      expect(!resolved.ok && resolved.problem.message).toContain(`${join(directory.path, file)}:${line}: `);
    },
  );

  test('a template without fields takes its profile from its section', async () => {
    using directory = temporaryDirectory();
    const text =
      '# Sub-Agent: Validator\n\n## Role\n\nCheck.\n\n## Profile\n\nread-only + Bash (Read, Bash)\n';
    const file = 'home/.claude/sub-agents/templates/validator.md';
    const { templates, broken } = await placeFiles(directory.path, { [file]: text }).load(false);
    expect(broken).toEqual([]);
    expect(templates.get('validator')).toMatchObject({
      phase: 'validate',
      profile: 'read-only',
      moreTools: ['Bash'],
      notes: ['no section Input, Output, Behaviour'],
    });
  });

  test('a new template is a new role and must name its phase; a built-in role keeps its own', async () => {
    using directory = temporaryDirectory();
    const { templates, broken } = await placeFiles(directory.path, {
      'home/.cadre/sub-agents/templates/reviewer.md':
        '---\nphase: validate\nprofile: read-only\n---\n## Role\nx',
      'home/.cadre/sub-agents/templates/nameless.md': '---\nprofile: read-only\n---\n## Role\nx',
      'home/.cadre/sub-agents/templates/writer.md': '---\nphase: research\nprofile: writer\n---\n## Role\nx',
      'home/.cadre/sub-agents/README.md': '# Not a definition',
    }).load(true);
    expect(templates.get('reviewer')?.phase).toBe('validate');
    expect(broken.map(({ name, reason }) => `${name}: ${reason}`)).toEqual([
      'nameless: phase: expected research, write, validate: nameless is not a built-in role',
      'writer: phase: expected write, the phase of the built-in writer',
    ]);
  });
});
