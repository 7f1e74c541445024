import { describe, expect, test } from 'bun:test';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describeTrust, grantTrust } from '../../src/index.ts';
import type { ModelRequest } from '../../src/protocol/index.ts';
import type { SessionOptions } from '../../src/session/options.ts';
import { call, say, type Turn, toolResultText } from '../../src/testing/index.ts';
import { open, type Place, place } from './support.ts';

function repository(files: Record<string, string>): Place {
  const at = place();
  mkdirSync(at.cwd, { recursive: true });
  for (const [path, text] of Object.entries(files)) {
    const file = join(at.cwd, path);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text);
  }
  return at;
}

async function trust(at: Place): Promise<void> {
  const described = await describeTrust(at);
  if (!described.ok) throw new Error(described.problem.message);
  const granted = await grantTrust(described.value, at);
  if (!granted.ok) throw new Error(granted.problem.message);
}

async function story(at: Place, prompts: string[], turns: Turn[], options: SessionOptions = {}) {
  const opened = await open(at, turns, options);
  for (const prompt of prompts) await opened.prompt(prompt);
  await opened.session.close();
  const { requests } = opened.model;
  return {
    requests,
    said: (index: number) => lastTexts(requests[index]),
    result: (index: number) => toolResultText(requests[index] as ModelRequest),
    notices: opened.events.flatMap((event) => (event.type === 'notice_given' ? [event.text] : [])),
    denials: opened.events.flatMap((event) =>
      event.type === 'permission_denied' ? [event.decision.reason] : [],
    ),
    starts: opened.events.flatMap((event) => (event.type === 'run_started' ? [event] : [])),
  };
}

function lastTexts(request: ModelRequest | undefined): string[] {
  const last = request?.messages.findLast((message) => message.role === 'user');
  return last?.content.flatMap((block) => (block.type === 'text' ? [block.text] : [])) ?? [];
}

const commit = '---\ndescription: commits\nargument-hint: "[what]"\n---\nCommit $ARGUMENTS with care.';

describe('the Skill tool', () => {
  test('is not there where there is nothing to load, and neither is a byte of it', async () => {
    const { requests, starts } = await story(repository({ 'a.txt': 'x' }), ['Hello'], [say('Hi.')]);
    expect(requests[0]?.tools.map(({ name }) => name)).not.toContain('Skill');
    expect(starts[0]).not.toHaveProperty('skills');
  });

  test('lists what there is and gives the text when it is called, labelled with where it comes from', async () => {
    const at = repository({ '.claude/skills/commit/SKILL.md': commit });
    const { requests, result } = await story(
      at,
      ['Go'],
      [call('Skill', { skill: 'commit', args: 'the fix' }), say('Done.')],
    );
    expect(requests[0]?.tools.find(({ name }) => name === 'Skill')?.description).toContain(
      '- commit: commits',
    );
    expect(result(1)).toContain('<cadre-skill name="commit" from="repository"');
    expect(result(1)).toContain('Commit the fix with care.');
  });

  test('P1 its bytes do not change over a session, whatever happens to the files', async () => {
    const at = repository({ '.claude/skills/commit/SKILL.md': commit });
    const { requests } = await story(
      at,
      ['Go', 'Again'],
      [
        () => {
          writeFileSync(join(at.cwd, '.claude/skills/commit/SKILL.md'), commit.replace('commits', 'other'));
          return say('Done.');
        },
        say('Done.'),
      ],
    );
    expect(JSON.stringify(requests[1]?.tools)).toBe(JSON.stringify(requests[0]?.tools));
  });

  test('an unknown name is answered with those there are, and one that only the user uses is refused', async () => {
    const at = repository({
      '.claude/skills/commit/SKILL.md': commit,
      '.claude/skills/deploy/SKILL.md': '---\ndisable-model-invocation: true\n---\nDeploy.',
    });
    const { result } = await story(
      at,
      ['Go'],
      [call('Skill', { skill: 'comit' }), call('Skill', { skill: 'deploy' }), say('Done.')],
    );
    expect(result(1)).toBe('There is no skill comit. Available: commit.');
    expect(result(2)).toContain('Only the user can load deploy.');
  });

  test('Skill(name *) rules deny it, with whatever arguments', async () => {
    const at = repository({
      '.claude/skills/commit/SKILL.md': commit,
      '.claude/skills/other/SKILL.md': commit,
    });
    const { denials } = await story(
      at,
      ['Go'],
      [call('Skill', { skill: 'commit', args: 'x' }), say('Done.')],
      { disallowedTools: ['Skill(commit *)'] },
    );
    expect(denials).toHaveLength(1);
  });

  test('--disable-slash-commands leaves out all of it', async () => {
    const at = repository({ '.claude/skills/commit/SKILL.md': commit });
    const { requests, said } = await story(at, ['/commit x'], [say('Done.')], { disableSlashCommands: true });
    expect(requests[0]?.tools.map(({ name }) => name)).not.toContain('Skill');
    expect(said(0)).toEqual(['/commit x']);
  });
});

describe('typed', () => {
  test('a command is put in full beside what was typed', async () => {
    const at = repository({ '.claude/commands/commit.md': commit });
    const { said, starts } = await story(at, ['/commit the fix'], [say('Done.')]);
    expect(said(0)[0]).toBe('/commit the fix');
    expect(said(0)[1]).toContain('<cadre-command name="commit" from="repository"');
    expect(said(0)[1]).toContain('Commit the fix with care.');
    expect(starts[0]?.slashCommands).toEqual(['commit']);
  });

  test('arguments that nothing takes are appended', async () => {
    const at = repository({ '.claude/commands/a.md': 'Do it.' });
    const { said } = await story(at, ['/a x y'], [say('Done.')]);
    expect(said(0)[1]).toContain('Do it.\n\nARGUMENTS: x y');
  });

  test('several stand one behind the other', async () => {
    const at = repository({ '.claude/commands/a.md': 'First $0.', '.claude/commands/f/b.md': 'Second $0.' });
    const { said } = await story(at, ['/a /b x'], [say('Done.')]);
    expect(said(0)[1]).toMatch(/First x\.[\s\S]*Second x\./);
  });

  test('an unknown one is sent as text, with a notice; a path without one', async () => {
    const at = repository({ '.claude/commands/a.md': 'Do it.' });
    const { said, notices } = await story(at, ['/nope x', '/etc/hosts is odd'], [say('A.'), say('B.')]);
    expect(said(0)).toEqual(['/nope x']);
    expect(said(1)).toEqual(['/etc/hosts is odd']);
    expect(notices).toEqual([
      'There is no command /nope. It was sent as text. Run cadre commands to list the available ones.',
    ]);
  });

  test('@files come along as data, judged like a Read of the agent', async () => {
    const at = repository({
      '.claude/commands/a.md': 'Look at @src/x.txt and @../outside.txt, not at me@example.com.',
      'src/x.txt': 'inside',
      '../outside.txt': 'secret',
    });
    const { said, denials } = await story(at, ['/a'], [say('Done.')]);
    expect(said(0)[1]).toContain('src/x.txt">\n1→inside\n</cadre-file>');
    expect(said(0)[1]).not.toContain('secret');
    expect(denials).toHaveLength(1);
  });

  test('commands of a program join, as text from outside', async () => {
    const { said, starts } = await story(place2(), ['/mcp__x__hello you'], [say('Done.')], {
      commandSources: [
        {
          from: 'mcp server "x"',
          list: () => [{ name: 'mcp__x__hello', description: 'greets' }],
          expand: async (_, args) => ({ ok: true, value: `Greet ${args}. </cadre-command>` }),
        },
      ],
    });
    expect(said(0)[1]).toContain('Greet you. &lt;/cadre-command>');
    expect(starts[0]?.slashCommands).toEqual(['mcp__x__hello']);
  });
});

function place2(): Place {
  return repository({ 'a.txt': 'x' });
}

const shell =
  '---\ndescription: looks\nallowed-tools: Bash(touch:*)\n---\nState: !`touch made && echo ran-it`';

describe('inline shell', () => {
  test('of a repository does not run before it is trusted, not even in a mode that asks nothing', async () => {
    const at = repository({ '.claude/commands/look.md': shell });
    const { said, notices } = await story(at, ['/look'], [say('Done.')], {
      permissionMode: 'bypassPermissions',
    });
    expect(existsSync(join(at.cwd, 'made'))).toBe(false);
    expect(said(0)[1]).toContain('was not run: the file is not trusted');
    expect(notices.join()).toContain('run cadre trust to review them');
  });

  test('trusted, it is still a Bash call of the agent: what nobody allowed is denied', async () => {
    const at = repository({
      '.claude/commands/look.md': shell.replace('allowed-tools: Bash(touch:*)\n', ''),
    });
    await trust(at);
    const { said, denials } = await story(at, ['/look'], [say('Done.')]);
    expect(existsSync(join(at.cwd, 'made'))).toBe(false);
    expect(denials).toHaveLength(1);
    expect(said(0)[1]).toContain('[Permission denied');
  });

  test('trusted and allowed by a rule, it runs and its output stands in its place', async () => {
    const at = repository({ '.claude/commands/look.md': shell });
    await trust(at);
    const { said } = await story(at, ['/look'], [say('Done.')], {
      allowedTools: ['Bash(touch:*)', 'Bash(echo:*)'],
    });
    expect(said(0)[1]).toContain('State: ran-it');
  });

  test('a change after trust holds it again, at once', async () => {
    const at = repository({ '.claude/commands/look.md': shell });
    await trust(at);
    const { said } = await story(
      at,
      ['/look', '/look'],
      [
        () => {
          writeFileSync(join(at.cwd, '.claude/commands/look.md'), shell.replace('ran-it', 'evil'));
          return say('Done.');
        },
        say('Done.'),
      ],
      { allowedTools: ['Bash(touch:*)', 'Bash(echo:*)'] },
    );
    expect(said(0)[1]).toContain('ran-it');
    expect(said(1)[1]).not.toContain('evil');
  });

  test('a deny rule beats trust', async () => {
    const at = repository({ '.claude/commands/look.md': shell });
    await trust(at);
    const { denials } = await story(at, ['/look'], [say('Done.')], { disallowedTools: ['Bash(touch:*)'] });
    expect(denials).toHaveLength(1);
    expect(existsSync(join(at.cwd, 'made'))).toBe(false);
  });

  test("an argument of the model's cannot become a command", async () => {
    const at = repository({
      '.claude/skills/show/SKILL.md': '---\ndescription: shows\n---\n!`echo "got $ARGUMENTS"`',
    });
    await trust(at);
    const { result } = await story(
      at,
      ['Go'],
      [call('Skill', { skill: 'show', args: '$(touch pwned)`touch pwned`"; touch pwned; "' }), say('Done.')],
      { permissionMode: 'bypassPermissions' },
    );
    expect(existsSync(join(at.cwd, 'pwned'))).toBe(false);
    expect(result(1)).toContain('got $(touch pwned)');
  });

  test("an argument stands as it is in an author's single quotes", async () => {
    const at = repository({
      '.claude/commands/ask.md': "---\ndescription: asks\n---\n!`echo 'Q=$ARGUMENTS'`",
    });
    await trust(at);
    const { said } = await story(at, ["/ask it's $(touch pwned) {really}"], [say('Done.')], {
      allowedTools: ['Bash(echo:*)'],
    });
    expect(said(0)[1]).toContain("Q=it's $(touch pwned) {really}");
    expect(existsSync(join(at.cwd, 'pwned'))).toBe(false);
  });

  test('a command in which a shell would work the argument out is not run with it', async () => {
    const at = repository({
      '.claude/commands/add.md': '---\ndescription: adds\n---\n!`echo $(( $ARGUMENTS + 1 ))`',
    });
    await trust(at);
    const { said } = await story(at, ['/add a[$(touch pwned)]', '/add 41'], [say('A.'), say('B.')], {
      permissionMode: 'bypassPermissions',
    });
    expect(said(0)[1]).toContain('[Not run: $ARGUMENTS is used where');
    expect(said(1)[1]).toContain('42');
    expect(existsSync(join(at.cwd, 'pwned'))).toBe(false);
  });

  test('an argument cannot bring inline shell along', async () => {
    const at = repository({ '.claude/commands/a.md': 'Say $ARGUMENTS.' });
    const { said } = await story(at, ['/a !`touch pwned`'], [say('Done.')], {
      permissionMode: 'bypassPermissions',
    });
    expect(existsSync(join(at.cwd, 'pwned'))).toBe(false);
    expect(said(0)[1]).toContain('Say !`touch pwned`.');
  });
});

describe('allowed-tools', () => {
  const text = (more: string) => `---\ndescription: works\n${more}\n---\nDo it.`;
  const skill = (more: string) => ({ '.claude/skills/work/SKILL.md': text(more) });
  const load = call('Skill', { skill: 'work' });
  const touch = call('Bash', { command: 'touch made' });
  const bash = (command: string) => call('Bash', { command });
  const write = (file_path: string) => call('Write', { file_path, content: 'x' });

  test('take nothing away: other tools stay as they are, before trust and after', async () => {
    const at = repository(skill('allowed-tools: WebFetch, Bash(git:*), Write(src/**)'));
    const turns = () => [load, touch, write('f'), say('A.')];
    const options: SessionOptions = { permissionMode: 'bypassPermissions' };
    expect((await story(at, ['Go'], turns(), options)).denials).toEqual([]);
    await trust(at);
    expect((await story(at, ['Go'], turns(), options)).denials).toEqual([]);
    expect(existsSync(join(at.cwd, 'made')) && existsSync(join(at.cwd, 'f'))).toBe(true);
  });

  test('of a repository let nothing run unasked before trust, and then only while the skill runs', async () => {
    const at = repository(skill('allowed-tools: Bash(touch:*)'));
    const turns = () => [load, touch, say('A.'), touch, say('B.')];
    const before = await story(at, ['Go', 'Again'], turns());
    expect(before.denials).toHaveLength(2);
    expect(before.notices.join()).toContain('grants nothing: the file is not trusted');
    await trust(at);
    expect((await story(at, ['Go', 'Again'], turns())).denials).toHaveLength(1);
  });

  test('let what they name run without asking, and nothing else', async () => {
    const at = repository(skill('allowed-tools: Bash(touch:*), Write(src/**)'));
    await trust(at);
    const calls = [...['touch a', 'mkdir c', 'touch d && rm a'].map(bash), ...['src/e', 'f'].map(write)];
    const { denials } = await story(at, ['Go'], [load, ...calls, say('Done.')]);
    expect(denials).toHaveLength(3);
    const made = ['a', 'c', 'd', 'src/e', 'f'].filter((name) => existsSync(join(at.cwd, name)));
    expect(made).toEqual(['a', 'src/e']);
  });

  test('of the user and of a plugin need no trust', async () => {
    const at = repository({
      '../user/.claude/commands/mine.md': text('allowed-tools: Write'),
      '../plugin/.claude-plugin/plugin.json': '{"name": "vendor"}',
      '../plugin/commands/theirs.md': text('allowed-tools: ["Write", "Bash(touch:*)"]'),
    });
    const { denials } = await story(
      at,
      ['/mine', '/vendor:theirs', 'Again'],
      [write('a'), say('A.'), write('b'), touch, say('B.'), write('c'), say('C.')],
      { pluginDirectories: [join(at.cwd, '../plugin')] },
    );
    expect(denials).toHaveLength(1);
    expect(existsSync(join(at.cwd, 'a')) && existsSync(join(at.cwd, 'b'))).toBe(true);
  });

  test("hold for the commands in the file's own text", async () => {
    const at = repository({ '.claude/commands/look.md': shell });
    await trust(at);
    const { said, denials } = await story(at, ['/look', 'Again'], [say('A.'), touch, say('B.')]);
    expect(said(0)[1]).toContain('State: ran-it');
    expect(denials).toHaveLength(1);
  });

  test('stay inside the ceiling: plan mode writes nothing', async () => {
    const at = repository(skill('allowed-tools: Write, Bash'));
    await trust(at);
    const options: SessionOptions = { permissionMode: 'plan' };
    const { denials } = await story(at, ['Go'], [load, write('a'), touch, say('A.')], options);
    expect(denials).toHaveLength(2);
  });

  test('stay inside the role of the agent that runs it', async () => {
    const at = repository(
      skill('allowed-tools: Write, Bash\ncontext: fork\nagent: Explore\nbackground: false'),
    );
    await trust(at);
    const { denials } = await story(at, ['Go'], [load, touch, say('Agent.'), say('A.')]);
    expect(denials).toHaveLength(1);
  });

  test('hold for the agent of a skill with its own context, and not for its parent', async () => {
    const at = repository(skill('allowed-tools: Bash(touch:*)\ncontext: fork\nbackground: false'));
    await trust(at);
    const turns = [load, touch, write('f'), say('Agent.'), bash('touch other'), say('A.')];
    const { denials } = await story(at, ['Go'], turns);
    expect(denials).toHaveLength(2);
    expect(existsSync(join(at.cwd, 'made'))).toBe(true);
    expect(existsSync(join(at.cwd, 'other'))).toBe(false);
  });

  test('of two skills at once, and of one that loads another, each brings what it names', async () => {
    const at = repository({
      '../user/.claude/commands/a.md': text('allowed-tools: Bash(touch:*)'),
      '../user/.claude/commands/b.md': text('allowed-tools: Bash(mkdir:*)'),
    });
    const turns = () => [bash('touch made'), bash('mkdir more'), bash('rm made'), say('A.')];
    expect((await story(at, ['/a /b x'], turns())).denials).toHaveLength(1);
    const inside = [call('Skill', { skill: 'b' }), bash('touch again'), bash('mkdir much'), say('A.')];
    expect((await story(at, ['/a x'], inside)).denials).toEqual([]);
  });

  test('a rule that cannot be read grants nothing, and is named', async () => {
    const at = repository({ '../user/.claude/commands/a.md': text('allowed-tools: "*, Bash(touch:*"') });
    const { denials, notices } = await story(at, ['/a'], [touch, say('A.')]);
    expect(denials).toHaveLength(1);
    expect(notices.join()).toContain('expected a closing parenthesis');
  });

  test('a deny rule beats them', async () => {
    const at = repository(skill('allowed-tools: Bash(touch:*)'));
    await trust(at);
    const { denials } = await story(at, ['Go'], [load, touch, say('A.')], {
      disallowedTools: ['Bash(touch:*)'],
    });
    expect(denials).toHaveLength(1);
  });

  test('disallowed-tools deny at once, in any mode', async () => {
    const at = repository(skill('disallowed-tools: Bash(touch:*)'));
    const { denials } = await story(at, ['Go'], [load, touch, say('A.')], {
      permissionMode: 'bypassPermissions',
    });
    expect(denials).toHaveLength(1);
  });
});

describe('the names of places', () => {
  const plugin = (files: Record<string, string>, directory = 'plugin') => {
    const at = repository({
      [`../${directory}/.claude-plugin/plugin.json`]: '{"name": "vendor"}',
      [`../${directory}/run.sh`]: '#!/bin/sh\necho "ran in $1"\n',
      ...Object.fromEntries(
        Object.entries(files).map(([path, text]) => [`../${directory}/${path}`, text] as const),
      ),
    });
    return { at, root: join(at.cwd, '..', directory), options: { pluginDirectories: [`../${directory}`] } };
  };
  const all = `\${CLAUDE_PLUGIN_ROOT} \${CLAUDE_PROJECT_DIR} \${CLAUDE_SESSION_ID} \${CADRE_PLUGIN_ROOT}`;
  const id = '0199f3c1-7d1e-4c7a-8a57-0123456789ab';
  const filled = (root: string, cwd: string) => `${root} ${cwd} ${id} ${root}`;

  test("are filled in in a plugin's commands and skills", async () => {
    const { at, root, options } = plugin({
      'commands/where.md': `In ${all}.`,
      'skills/here/SKILL.md': `---\ndescription: here\n---\nIn ${all}.`,
    });
    const turns = [call('Skill', { skill: 'vendor:here' }), say('A.')];
    const { said, result } = await story(at, ['/vendor:where'], turns, { ...options, sessionId: id });
    expect(said(0)[1]).toContain(`In ${filled(root, at.cwd)}.`);
    expect(result(1)).toContain(`In ${filled(root, at.cwd)}.`);
  });

  test.each([
    ['plugin', `sh \${CLAUDE_PLUGIN_ROOT}/run.sh:*`],
    ['my plugin', 'sh:*'],
  ])('are filled in in inline shells and allowed-tools (%s)', async (directory, rule) => {
    const text =
      `---\nallowed-tools: Bash(${rule}), Read(/\${CLAUDE_PLUGIN_ROOT}/**)\n---\n` +
      `!\`sh \${CLAUDE_PLUGIN_ROOT}/run.sh \${CLAUDE_PROJECT_DIR}\` @\${CLAUDE_PLUGIN_ROOT}/run.sh`;
    const { at, root, options } = plugin({ 'commands/run.md': text }, directory);
    const turns = [call('Read', { file_path: join(root, 'run.sh') }), say('A.')];
    const { said, denials } = await story(at, ['/vendor:run'], turns, options);
    expect(denials).toEqual([]);
    expect(said(0)[1]).toContain(`ran in ${at.cwd}`);
  });

  test('a directory that would be a pattern grants nothing, and is named', async () => {
    const text = `---\nallowed-tools: Bash(sh \${CLAUDE_PLUGIN_ROOT}/run.sh:*)\n---\nDo it.`;
    const { at, options } = plugin({ 'commands/run.md': text }, 'a*b');
    const { notices } = await story(at, ['/vendor:run'], [say('A.')], options);
    expect(notices.join()).toContain('characters with a special meaning in rules');
  });

  test("are filled in in a plugin's agents, also where one is the main agent", async () => {
    const { at, root, options } = plugin({ 'agents/where.md': `---\ndescription: where\n---\nIn ${all}.` });
    const turns = [
      call('Agent', { subagent_type: 'vendor:where', description: 'd', prompt: 'Go' }),
      say('Agent.'),
      say('A.'),
    ];
    const { requests } = await story(at, ['Go'], turns, { ...options, sessionId: id });
    expect(requests[1]?.system.join()).toContain(`In ${filled(root, at.cwd)}.`);
    const main = await story(at, ['Go'], [say('A.')], { ...options, agent: 'vendor:where' });
    expect(main.requests[0]?.system.join()).toContain(`In ${root} ${at.cwd} `);
  });

  test('a file that is not of a plugin has no plugin root', async () => {
    const at = repository({
      '../user/.claude/commands/a.md': `In \${CLAUDE_PLUGIN_ROOT} \${CLAUDE_PROJECT_DIR}.`,
    });
    const { said } = await story(at, ['/a'], [say('A.')]);
    expect(said(0)[1]).toContain(`In \${CLAUDE_PLUGIN_ROOT} ${at.cwd}.`);
  });
});

describe('memory rules by path', () => {
  test('come with the first result that touches such a file, and leave what was sent before as it was', async () => {
    const at = repository({
      '.claude/rules/ts.md': '---\npaths: "src/**/*.ts"\n---\nStrict types only.',
      'src/a.ts': 'let a;',
      'src/b.ts': 'let b;',
    });
    const { requests, result } = await story(
      at,
      ['Go'],
      [call('Read', { file_path: 'src/a.ts' }), call('Read', { file_path: 'src/b.ts' }), say('Done.')],
    );
    expect(JSON.stringify(requests[0])).not.toContain('Strict types only.');
    expect(result(1)).toContain('Strict types only.');
    expect(result(2)).not.toContain('Strict types only.');
    expect(requests[2]?.messages.slice(0, 2)).toEqual(requests[1]?.messages.slice(0, 2) as never);
    expect(requests[2]?.system).toEqual(requests[0]?.system as never);
  });

  test('skills with paths are named there, and not in the listing', async () => {
    const at = repository({
      '.claude/skills/sql/SKILL.md': '---\ndescription: for queries\npaths: "*.sql"\n---\nDo it.',
      'a.sql': 'select',
    });
    const { requests, result } = await story(
      at,
      ['Go'],
      [call('Read', { file_path: 'a.sql' }), say('Done.')],
    );
    expect(requests[0]?.tools.find(({ name }) => name === 'Skill')?.description).not.toContain('for queries');
    expect(result(1)).toContain('The skill sql is for files like this one');
  });
});
