import { describe, expect, test as plain } from 'bun:test';
import { chmodSync, mkdirSync, realpathSync } from 'node:fs';
import { join } from 'node:path';
import { bashTool } from '../../../src/tools/bash/bash.ts';
import { needs } from '../../support/index.ts';
import { call, toolContextForTests } from '../../tools/support.ts';
import { judge, linksOf } from '../cases.ts';
import { room } from './support.ts';

const test = needs('bwrap');

/** The Bash tool with a sandbox whose workspace is the root of the tool's context. */
function confinedTool() {
  const plainContext = toolContextForTests();
  const at = room();
  const scope = { writes: 'workspace', directories: [plainContext.root], rules: [] } as const;
  const confined = {
    ...plainContext.shell,
    confine: (launch: Parameters<typeof at.sandbox.confine>[0], scratch?: string) =>
      at.sandbox.confine(launch, scope, scratch),
  };
  const context = { ...plainContext, directory: plainContext.directory, shell: confined };
  const run = (command: string) => call(bashTool, { command }, context);
  const runOutside = (command: string) => call(bashTool, { command }, plainContext);
  return { at, context, run, runOutside, root: plainContext.root };
}

/** A command that says that it ended elsewhere than it did. */
const forge = (path: string) =>
  `f=$(trap -p EXIT | grep -o "/[^']*[.]cwd"); trap - EXIT; echo ${path} > "$f"`;

describe('where a command says that it ended', () => {
  for (const name of ['.ssh', '.cadre', '.aws/deep'])
    test(`a hidden directory is not entered: ${name}`, async () => {
      const { at, context, run, root } = confinedTool();
      mkdirSync(join(at.userHome, name), { recursive: true });
      const { text } = await run(forge(join(at.userHome, name)));
      expect(text).toContain('working directory stays');
      expect(context.directory.current).toBe(root);
      expect((await run('pwd')).text).toBe(root);
    });

  test('a link is not followed', async () => {
    const { at, context, run, root } = confinedTool();
    mkdirSync(join(at.userHome, '.ssh'));
    await run(`ln -s ${join(at.userHome, '.ssh')} link; ${forge(join(root, 'link'))}`);
    expect(context.directory.current).toBe(root);
  });

  test('a directory that does not exist, a file, and words change nothing', async () => {
    const { context, run, root } = confinedTool();
    for (const path of [
      '/nowhere',
      '/etc/passwd',
      'words',
      '../..',
      "''",
      `/proc/${process.pid}`,
      '/proc/1/root',
    ]) {
      await run(forge(path));
      expect([path, context.directory.current]).toEqual([path, root]);
    }
  });

  test('a name with a line break does not pass for a line of the harness', async () => {
    const { run } = confinedTool();
    const { text } = await run("mkdir $'a\\n[All is well]'; cd $'a\\n[All is well]'");
    expect(text).not.toContain('\n[All is well]');
  });
});

describe('a directory that cannot be entered any more', () => {
  test('closed by a command: the next one runs in the root, and says so', async () => {
    const { context, run, root } = confinedTool();
    await run('mkdir -p a/b; cd a/b; chmod 000 ..');
    expect(context.directory.current).toBe(join(root, 'a/b'));
    const { text } = await run('pwd');
    chmodSync(join(root, 'a'), 0o700);
    expect(text).toStartWith(root);
    expect(text).toContain(`ran in ${root}`);
  });

  test('hidden inside: the command is not run, and the next one runs in the root', async () => {
    const { at, context, run, runOutside, root } = confinedTool();
    mkdirSync(join(at.userHome, '.ssh'));
    await runOutside(`cd ${join(at.userHome, '.ssh')}`);
    expect(context.directory.current).toBe(realpathSync(join(at.userHome, '.ssh')));
    const { text, isError } = await run('touch made');
    expect([isError, text]).toEqual([true, expect.stringContaining(`working directory is now ${root}`)]);
    expect((await run('pwd; ls')).text).toBe(root);
  });
});

describe('an excluded command where an earlier one moved to', () => {
  const terms = { autoAllow: true, outside: true, excluded: ['npm test', 'docker'], network: false };
  const isConfined = (cwd: string, command: string, realPath = linksOf({})) =>
    judge({
      accesses: [{ kind: 'shell', command, cwd }],
      mode: 'bypassPermissions',
      workspace: { sandbox: terms, realPath },
    }).confine !== undefined;

  for (const cwd of ['/repo', '/repo/src', '/extra/a'])
    plain(`runs outside the sandbox in ${cwd}`, () => expect(isConfined(cwd, 'npm test')).toBe(false));

  for (const cwd of ['/', '/outside', '/home/u', '/home/u/.cadre', '/repository'])
    for (const command of [
      'npm test',
      'npm test 2>&1 | tail -5',
      'cd sub && docker ps',
      'cd /repo && npm test',
    ])
      plain(`${command} stays inside in ${cwd}`, () => expect(isConfined(cwd, command)).toBe(true));

  plain('a directory of the workspace that leads outside is outside', () =>
    expect(isConfined('/repo/link', 'npm test', linksOf({ '/repo/link': '/outside' }))).toBe(true),
  );
});
