import { describe, expect, test } from 'bun:test';
import { chmodSync, symlinkSync } from 'node:fs';
import type { Skill } from '../../src/knowledge/skill.ts';
import { listable, renderListing } from '../../src/knowledge/skill-listing.ts';
import { parseSlash } from '../../src/knowledge/slash.ts';
import type { Rule } from '../../src/protocol/index.ts';
import { world } from './world.ts';

const text = (more = '') => `---\ndescription: does it\n${more}---\nDo it.\n`;

describe('finding', () => {
  test('the user comes before the repository, .cadre before .claude, skills before commands', async () => {
    const { write, load } = world();
    write('repo/.claude/skills/a/SKILL.md', text());
    write('repo/.cadre/skills/a/SKILL.md', text());
    write('home/.claude/skills/a/SKILL.md', text());
    write('repo/.claude/commands/b.md', text());
    write('repo/.claude/skills/b/SKILL.md', text());
    const { skills, shadowed } = await load();
    expect(skills.map(({ name, source, kind }) => [name, source, kind])).toEqual([
      ['a', 'user', 'skill'],
      ['b', 'project', 'skill'],
    ]);
    expect(shadowed.map(({ file }) => file.replace(/.*\/repo\//, ''))).toEqual([
      '.cadre/skills/a/SKILL.md',
      '.claude/skills/a/SKILL.md',
      '.claude/commands/b.md',
    ]);
  });

  test("folders name commands; a plugin's name stands before what it holds", async () => {
    const { write, load, place } = world();
    write('repo/.claude/commands/front/end.md', 'Just a prompt without frontmatter.');
    write('plug/.claude-plugin/plugin.json', '{"name":"tools"}');
    write('plug/skills/x/SKILL.md', text());
    write('plug/commands/y/z.md', text());
    const { skills, broken } = await load({ pluginDirectories: [place('plug')] });
    expect(skills.map(({ name }) => name)).toEqual(['front:end', 'tools:x', 'tools:y:z']);
    expect(skills[0]).toMatchObject({
      description: 'Just a prompt without frontmatter.',
      isDescribed: false,
    });
    expect(broken).toEqual([]);
  });

  test('skills and commands that a manifest names beside the usual folders are loaded', async () => {
    const { write, load, place } = world();
    write('plug/extra/one/SKILL.md', text());
    write('plug/sets/two/SKILL.md', text());
    write('plug/lone.md', text());
    write(
      'plug/.claude-plugin/plugin.json',
      '{"name":"p","skills":["./extra/one","./sets/"],"commands":"./lone.md"}',
    );
    const { skills, broken } = await load({ pluginDirectories: [place('plug')] });
    expect(skills.map(({ name, kind }) => [name, kind]).sort()).toEqual([
      ['p:lone', 'command'],
      ['p:one', 'skill'],
      ['p:two', 'skill'],
    ]);
    expect(broken).toEqual([]);
  });

  test('a folder with a SKILL.md is one skill, whatever else is in it', async () => {
    const { write, load } = world();
    write('repo/.claude/skills/group/a/SKILL.md', text('name: renamed\n'));
    write('repo/.claude/skills/group/a/examples/SKILL.md', text());
    write('repo/.claude/skills/group/a/reference.md', 'More.');
    expect((await load()).skills.map(({ name }) => name)).toEqual(['renamed']);
  });

  test('every field is read, in any spelling', async () => {
    const { write, load } = world();
    write(
      'repo/.claude/skills/all/SKILL.md',
      text(
        [
          'when_to_use: often',
          'argument-hint: [file] [line]',
          'arguments: file line',
          'disable-model-invocation: true',
          'user-invocable: false',
          'allowed-tools: Bash(git add:*), Read',
          'disallowed_tools: [WebFetch]',
          'model: haiku',
          'effort: high',
          'context: fork',
          'agent: Explore',
          'background: false',
          'paths: src/**',
          'license: MIT',
          '',
        ].join('\n'),
      ),
    );
    expect((await load()).skills[0]).toMatchObject({
      whenToUse: 'often',
      arguments: ['file', 'line'],
      modelInvocable: false,
      userInvocable: false,
      allowedTools: ['Bash(git add:*)', 'Read'],
      disallowedTools: ['WebFetch'],
      model: 'haiku',
      effort: 'high',
      fork: { agent: 'Explore', background: false },
      paths: ['src/**'],
      argumentHint: '[file] [line]',
    });
  });

  const broken: [string, string, string][] = [
    ['frontmatter that is not closed', '---\nname: a\n', 'not closed'],
    ['no text', '---\ndescription: x\n---\n', 'there is no text below'],
    [
      'an unclear limit',
      text('disable-model-invocation: perhaps\n'),
      'disable-model-invocation: expected true or false',
    ],
    ['denied tools that are none', text('disallowed-tools: {a: b}\n'), 'disallowed-tools: expected'],
    [
      'a denied tool that is misspelt',
      text('disallowed-tools: Bsah\n'),
      '"Bsah" is not a tool. Did you mean Bash?',
    ],
    [
      'a denial that is not a rule',
      text('disallowed-tools: ["Bash(rm:*"]\n'),
      'expected a closing parenthesis',
    ],
    [
      'a limit that is misspelt',
      text('disable-model-invokation: true\n'),
      'disable-model-invokation: unknown field. Did you mean disableModelInvocation?',
    ],
    ['an unknown context', text('context: elsewhere\n'), 'context: expected fork'],
    ['no YAML', '---\ndescription: [a\n---\nx', 'not valid YAML'],
    ['binary', 'a\0b', 'binary'],
  ];
  for (const [what, content, reason] of broken)
    test(`${what} is reported with file and line, and the rest counts`, async () => {
      const { write, load } = world();
      const file = write('repo/.claude/skills/bad/SKILL.md', content);
      write('repo/.claude/skills/good/SKILL.md', text());
      const loaded = await load();
      expect(loaded.skills.map(({ name }) => name)).toEqual(['good']);
      expect(loaded.broken).toHaveLength(1);
      expect(loaded.broken[0]?.file).toBe(file);
      expect(loaded.broken[0]?.reason).toContain(reason);
    });

  test('a hint that YAML reads as fields is shown as it was written', async () => {
    const { write, load } = world();
    for (const hint of ['[optional: a file]', '[a, {b: [c]}]'])
      write(`repo/.claude/commands/${hint.length}.md`, `---\nargument-hint: ${hint}\n---\nText`);
    const { skills, broken } = await load();
    expect(broken).toEqual([]);
    expect(skills.map(({ argumentHint }) => argumentHint)).toEqual(['[a] [b: ["c"]]', '[optional: a file]']);
  });

  test('a skill that only the model may use says so in either spelling', async () => {
    const { write, load } = world();
    write('home/.claude/skills/a/SKILL.md', text('user-invokable: false\n'));
    write('home/.claude/skills/b/SKILL.md', text('user-invokable: true\n'));
    const { skills, broken } = await load();
    expect(skills.map(({ name, userInvocable }) => [name, userInvocable])).toEqual([
      ['a', false],
      ['b', true],
    ]);
    expect(broken).toEqual([]);
  });

  test('an empty hint is none, and a context that is prose is left out with a note', async () => {
    const { write, load } = world();
    write('home/.claude/skills/a/SKILL.md', text("argument-hint: ''\ncontext: |\n  !git status\n"));
    const { skills, broken } = await load();
    expect(skills[0]).toMatchObject({ name: 'a', notes: [expect.stringContaining('context is ignored')] });
    expect(skills[0]?.argumentHint).toBeUndefined();
    expect(broken).toEqual([]);
  });

  test('a command hidden from the model under the older name of that field stays hidden', async () => {
    const { write, load } = world();
    write('repo/.claude/commands/c.md', '---\nhide-from-slash-command-tool: "true"\n---\nText');
    expect((await load()).skills[0]).toMatchObject({ modelInvocable: false, notes: [] });
  });

  test("a file of the user's that every user can write is broken: its commands would run", async () => {
    const { write, load } = world();
    chmodSync(write('home/.claude/skills/a/SKILL.md', text()), 0o646);
    const { skills, broken } = await load();
    expect(skills).toEqual([]);
    expect(broken[0]?.reason).toContain('can be written by every user');
  });

  test('a link out of the repository is left out', async () => {
    const { write, load, place } = world();
    write('secret/SKILL.md', text());
    write('repo/.claude/skills/keep/SKILL.md', text());
    symlinkSync(place('secret'), place('repo/.claude/skills/stolen'));
    const { skills, broken } = await load();
    expect(skills.map(({ name }) => name)).toEqual(['keep']);
    expect(broken[0]?.reason).toContain('points outside');
  });
});

describe('listing', () => {
  test('texts are cut so that all fit, and the order is that of names', async () => {
    const { write, load } = world();
    for (let index = 0; index < 60; index++)
      write(`repo/.claude/skills/s${index}/SKILL.md`, text(`when_to_use: ${'word '.repeat(400)}\n`));
    const listing = renderListing((await load()).skills);
    expect(listing.length).toBeLessThanOrEqual(8_000);
    expect(listing.split('\n')).toHaveLength(60);
    expect(listing).toBe(renderListing([...(await load()).skills]));
  });

  test('one text has at most 1,536 characters', async () => {
    const { write, load } = world();
    write('repo/.claude/skills/a/SKILL.md', text(`when_to_use: ${'w'.repeat(5_000)}\n`));
    expect(renderListing((await load()).skills).length).toBeLessThanOrEqual(1_536 + 5);
  });

  const many = (count: number) =>
    Array.from({ length: count }, (_, index) => ({
      ...sample,
      name: `skill-${String(index).padStart(4, '0')}`,
      description: `Does the work of number ${index}, ${'and so on '.repeat(20)}`,
    }));

  test('texts grow shorter evenly with the number, and all of the room is used', () => {
    for (const count of [60, 100, 150, 200, 250]) {
      const lines = renderListing(many(count)).split('\n');
      expect(lines).toHaveLength(count);
      expect(lines.every((line) => line.startsWith('- skill-') && line.includes(': Does the'))).toBe(true);
      const total = lines.join('\n').length;
      expect(total).toBeLessThanOrEqual(8_000);
      expect(total).toBeGreaterThan(8_000 - 2 * count);
    }
  });

  test('a short text leaves its room to the others', () => {
    const [first, ...others] = many(100);
    const short = others.map((skill) => ({ ...skill, description: 'Short.' }));
    const [line = ''] = renderListing(first ? [first, ...short] : []).split('\n');
    expect(line).toContain('number 0, and so on and so on');
  });

  test('all are named where no text of use fits', () => {
    const listing = renderListing(many(600));
    expect(listing.length).toBeLessThanOrEqual(8_000);
    expect(listing.match(/skill-\d+/g)).toHaveLength(600);
  });

  test('where not even the names fit, those that do are named, and how many more there are', () => {
    const listing = renderListing(many(3_000));
    expect(listing.length).toBeLessThanOrEqual(8_000);
    expect(listing.length).toBeGreaterThan(7_900);
    const named = listing.match(/skill-\d+/g)?.length ?? 0;
    expect(listing).toEndWith(` and ${3_000 - named} more.`);
  });

  test('left out: what the model may not load, commands without a description, what a rule denies', async () => {
    const { write, load } = world();
    write('repo/.claude/skills/a/SKILL.md', text('disable-model-invocation: true\n'));
    write('repo/.claude/skills/b/SKILL.md', text());
    write('repo/.claude/skills/d/SKILL.md', text());
    write('repo/.claude/commands/c.md', 'Do it.');
    const deny: Rule = {
      behaviour: 'deny',
      tool: 'Skill',
      specifier: 'd *',
      layer: 'cli',
      source: '',
      base: '/',
    };
    expect(listable((await load()).skills, [deny]).map(({ name }) => name)).toEqual(['b']);
  });
});

const sample: Skill = {
  name: 'x',
  kind: 'skill',
  source: 'user',
  file: '/x',
  description: 'd',
  isDescribed: true,
  ...{ arguments: [], modelInvocable: true, userInvocable: true, disallowedTools: [], paths: [], notes: [] },
};

describe('typed', () => {
  const known = (name: string) => ['a', 'b', 'p:c'].includes(name);
  const cases: [string, ReturnType<typeof parseSlash>][] = [
    ['/a', { names: ['a'], args: '' }],
    ['/a  one two\nthree', { names: ['a'], args: 'one two\nthree' }],
    ['/a /b /p:c rest', { names: ['a', 'b', 'p:c'], args: 'rest' }],
    ['/a /nothing', { names: ['a'], args: '/nothing' }],
    ['/a /a /a /a /a /a /a', { names: ['a', 'a', 'a', 'a', 'a', 'a'], args: '/a' }],
    ['/nothing here', { names: ['nothing'], args: 'here' }],
    ['/usr/bin/env is broken', undefined],
    ['what is /a', undefined],
    ['/ a', undefined],
  ];
  for (const [prompt, slash] of cases)
    test(JSON.stringify(prompt), () => expect(parseSlash(prompt, known)).toEqual(slash));
});
