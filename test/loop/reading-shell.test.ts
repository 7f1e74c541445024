import { expect, test } from 'bun:test';
import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { prepareShell } from '../../src/loop/shell-for.ts';
import { fullRole, openCeiling } from '../../src/permissions/ceiling.ts';
import { decide } from '../../src/permissions/decide.ts';
import type { Rule } from '../../src/protocol/permission.ts';
import { parseRule } from '../../src/settings/rules.ts';
import { lookAtFiles } from '../../src/shell/look-files.ts';
import { bashTool } from '../../src/tools/bash/bash.ts';
import { resolveRealPath } from '../../src/workspace/real-path.ts';
import { call, type TestContext, toolContextForTests } from '../tools/support.ts';

/** Tools that are scripts, outside of the workspace, and code of the workspace that a variable leads them to. */
function ground() {
  const context = toolContextForTests();
  const base = resolveRealPath(join(context.root, '..'));
  const root = resolveRealPath(context.root);
  const flag = join(base, 'owned');
  const tool = (name: string, text: string) =>
    writeFileSync(join(base, 'bin', name), `${text}\n`, { mode: 0o755 });
  mkdirSync(join(base, 'bin'));
  tool('yq', '#!/usr/bin/python3\nimport argparse\nprint("fine")');
  tool('tree', '#!/usr/bin/perl\nuse Text::Wrap;\nprint "fine\\n";');
  tool('jq', '#!/usr/bin/env node\nconsole.log("fine")');
  mkdirSync(join(root, 'Text'));
  context.write('argparse.py', `open(${JSON.stringify(flag)}, "w")`);
  context.write('sitecustomize.py', `open(${JSON.stringify(flag)}, "w")`);
  context.write('Text/Wrap.pm', `open(my $f, ">", ${JSON.stringify(flag)}); 1;`);
  context.write('evil.js', `require('fs').writeFileSync(${JSON.stringify(flag)}, '')`);
  context.write('a.json', '{}');
  return { context, root, base, flag };
}

type Ground = ReturnType<typeof ground>;

function judge({ root, base }: Ground, command: string, allow: readonly string[] = []) {
  const rules = allow.flatMap((text): Rule[] => {
    const rule = parseRule(text, 'allow', 'project', '/x', root);
    return rule.ok ? [rule.value] : [];
  });
  const path = `${join(base, 'bin')}:/usr/bin:/bin`;
  const workspace = {
    ...{ cwd: root, directories: [], home: join(base, '.cadre'), userHome: base, realPath: resolveRealPath },
    look: lookAtFiles([root], undefined, { PATH: path, HOME: base }),
  };
  const accesses = [{ kind: 'shell' as const, command, cwd: root }];
  const context = { ceiling: openCeiling, role: fullRole, mode: 'default' as const, rules, workspace };
  const decision = decide(openCeiling, fullRole, 'default', rules, { tool: 'Bash', accesses, workspace });
  return { decision, context };
}

/** As the loop runs it: with the variables that the judgement leaves, and as they are. */
async function run(
  one: Ground,
  command: string,
  variables: Record<string, string>,
  { allow = [], isClean = true }: { allow?: readonly string[]; isClean?: boolean } = {},
) {
  const { context, base, flag } = one;
  const { decision, context: permissions } = judge(one, command, allow);
  expect([command, decision.behaviour, decision.reason]).toEqual([command, 'allow', decision.reason]);
  const env = {
    ...(await context.shell.environment()),
    PATH: `${join(base, 'bin')}:/usr/bin:/bin`,
    ...variables,
  };
  const given = { ...context.shell, environment: async () => env };
  const { neutralise } = isClean ? decision : {};
  const shell = prepareShell(given, neutralise ? { neutralise } : {}, permissions, context.signal);
  rmSync(flag, { force: true });
  const result = await call(bashTool, { command }, { ...context, shell } as TestContext);
  return { text: result.text, ran: existsSync(flag) };
}

const leading: readonly [string, Record<string, string>][] = [
  ['yq . a.json', { PYTHONPATH: '.' }],
  ['yq . a.json', { PYTHONPATH: '{root}' }],
  ['yq . a.json', { PYTHONPATH: '/usr/lib/x:{root}/../work' }],
  ['echo {} | yq . && cat a.json', { PYTHONPATH: ':/usr/lib/x' }],
  ['find . -maxdepth 0 -exec yq . a.json \\;', { PYTHONPATH: '.' }],
  ["bash -c 'yq . a.json'", { PYTHONPATH: '.' }],
  ['tree .', { PERL5LIB: '.' }],
  ['tree .', { PERL5LIB: '/usr/lib/x:{root}' }],
  ['tree .', { PERL5OPT: '-I. -MText::Wrap' }],
  ['jq . a.json', { NODE_OPTIONS: '--require ./evil.js' }],
  ['jq . a.json', { NODE_OPTIONS: '--require {root}/evil.js' }],
];

for (const [command, given] of leading)
  test(`${command} runs nothing of the workspace by ${JSON.stringify(given)}`, async () => {
    const one = ground();
    const variables = Object.fromEntries(
      Object.entries(given).map(([name, value]) => [name, value.replaceAll('{root}', one.root)]),
    );
    // Else the test would prove nothing.
    expect(await run(one, command, variables, { isClean: false })).toMatchObject({ ran: true });
    const { ran, text } = await run(one, command, variables);
    expect(ran).toBe(false);
    expect(text).toContain('fine');
  });

test('places outside of the workspace stay', async () => {
  const one = ground();
  const library = join(one.base, 'library');
  mkdirSync(library);
  writeFileSync(join(library, 'argparse.py'), 'print("of the user")');
  const { text } = await run(one, 'yq . a.json', { PYTHONPATH: `.:${library}` });
  expect(text).toContain('of the user');
});

test('a look at variables shows them as they are', async () => {
  const one = ground();
  const variables = {
    PYTHONPATH: 'src',
    NODE_OPTIONS: '--x',
    VIRTUAL_ENV: join(one.root, '.venv'),
    OWN: 'x',
  };
  const line = '[ "$PYTHONPATH" = src ] && [ "$NODE_OPTIONS" = --x ] && echo "$VIRTUAL_ENV"';
  expect((await run(one, line, variables)).text).toContain(variables.VIRTUAL_ENV);
  const printed = await run(one, 'printenv VIRTUAL_ENV; [ -n "$OWN" ] && ls a.json', variables);
  expect(printed.text).toContain(variables.VIRTUAL_ENV);
  expect(printed.text).toContain('a.json');
});

test('a program that only a rule allows gets the variables as they are, also beside one that only reads', async () => {
  const one = ground();
  const variables = { PYTHONPATH: '.' };
  const allow = ['Bash(/usr/bin/python3 own.py:*)', 'Bash(cp a.json b.json)'];
  one.context.write('own.py', 'import argparse');
  expect(await run(one, '/usr/bin/python3 own.py | tail -1', variables, { allow })).toMatchObject({
    ran: true,
  });
  // Of this one it is known what it does.
  expect(await run(one, 'cp a.json b.json && yq . a.json', variables, { allow })).toMatchObject({
    ran: false,
  });
});

test('what a rule, a mode or a sandbox answers for is not cleaned', () => {
  const one = ground();
  expect(judge(one, 'yq . a.json', ['Bash']).decision.neutralise).toBeUndefined();
  expect(judge(one, 'yq . a.json', ['Bash(yq:*)']).decision.neutralise).toBeUndefined();
  expect(judge(one, 'yq . a.json').decision.neutralise).toEqual({ git: [], variables: 'programs' });
  expect(judge(one, 'cd . && echo x').decision.neutralise).toEqual({ git: [], variables: 'shell' });
});
