import { expect, test } from 'bun:test';
import { lookAtFiles } from '../../src/shell/look-files.ts';
import { resolveRealPath } from '../../src/workspace/real-path.ts';
import { judge } from './cases.ts';
import { openGitGround } from './git-ground.ts';

/** The index holds a repository that no `.gitmodules` names; a filter of its own settings prints a word. */
function openWithGitlink() {
  const ground = openGitGround({ a: 'one\n' });
  ground.run(
    'git init -q inner && echo one > inner/a.txt && git -C inner add . && git -C inner commit -qm i',
  );
  ground.run('git add inner 2>/dev/null; git commit -qm link');
  ground.run(
    "git -C inner config filter.x.clean 'echo PROGRAM RAN >&2; cat'; echo '* filter=x' > inner/.gitattributes",
  );
  ground.run("touch -d '1 hour ago' inner/a.txt");
  const workspace = {
    ...{ cwd: ground.root, directories: [], realPath: resolveRealPath },
    look: lookAtFiles([ground.root], undefined, { ...ground.env }),
  };
  const decide = (command: string) =>
    judge({ accesses: [{ kind: 'shell', command, cwd: ground.root }], workspace }).behaviour;
  return { ...ground, decide };
}

test.each(['git diff-files', 'git diff-files -p', 'git diff-index HEAD', 'git diff-index --merge-base HEAD'])(
  'a command that looks into a repository inside with its own settings is asked about: %s',
  (command) => {
    const ground = openWithGitlink();
    expect(ground.run(`${command} 2>&1`)).toContain('PROGRAM RAN');
    expect(ground.decide(command)).toBe('ask');
  },
);

test.each(['git diff-files --ignore-submodules', 'git diff-index --cached HEAD', 'git diff', 'git status'])(
  'one that stays out of it is not: %s',
  (command) => {
    expect(openWithGitlink().decide(command)).toBe('allow');
  },
);

test.each(['git shortlog --group=%GK HEAD', 'git shortlog --group format:%GK HEAD'])(
  'groups by a signature are asked about: %s',
  (command) => {
    expect(openWithGitlink().decide(command)).toBe('ask');
    expect(openWithGitlink().decide('git shortlog --group=author HEAD')).toBe('allow');
  },
);
