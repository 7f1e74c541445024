import { describe, expect, test } from 'bun:test';
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, rmSync } from 'node:fs';
import type { Session } from '../../src/session/session.ts';
import { mustHave } from '../store/build.ts';
import { type Ground, repository, runCommands } from './undo-ground.ts';

const prune = 'git reflog expire --expire=now --all; git gc -q --prune=now';
const identity = 'export GIT_AUTHOR_NAME=T GIT_AUTHOR_EMAIL=t GIT_COMMITTER_NAME=T GIT_COMMITTER_EMAIL=t';

/** Runs the commands that a report offers, each in parentheses. */
function runOffered(ground: Ground, beyond: readonly string[]): void {
  const offered = beyond.flatMap((said) =>
    [...said.matchAll(/\(((?:git|cp) [^\n]*?)\)(?=[;.])/g)].map(([, one]) => one),
  );
  expect(offered).not.toEqual([]);
  for (const command of offered) {
    const ended = spawnSync('bash', ['-c', command ?? ''], { cwd: ground.cwd });
    expect([command, ended.status, ended.stderr.toString()]).toEqual([command, 0, '']);
  }
}

/** What git alone knows: references, what is staged, and what is unfinished. */
function gitState(ground: Ground) {
  const unfinished = [
    'MERGE_HEAD',
    'MERGE_MSG',
    'CHERRY_PICK_HEAD',
    'REVERT_HEAD',
    'BISECT_LOG',
    'rebase-merge',
  ];
  return {
    head: readFileSync(ground.file('.git/HEAD'), 'utf8'),
    references: ground.git('for-each-ref', '--format=%(refname) %(objectname)'),
    staged: ground.git('ls-files', '-s'),
    unfinished: unfinished.filter((name) => existsSync(ground.file(`.git/${name}`))),
    broken: ground.git('fsck', '--full', '--no-dangling', '--no-reflogs'),
  };
}

async function undone(ground: Ground, command: string, meanwhile: (session: Session) => void = () => {}) {
  const before = gitState(ground);
  const files = ground.tree();
  const { session, rewind } = await runCommands(ground, [`${identity}; ${command}`]);
  meanwhile(session);
  const [point] = mustHave(await session.checkpoints());
  const report = await rewind(point?.text ?? '');
  await session.close();
  return { before, files, report };
}

function conflicting(ground: Ground): void {
  ground.git('stash', '-uq');
  ground.git('checkout', '-qb', 'theirs');
  ground.write('src/a.txt', 'theirs\n');
  ground.git('commit', '-qam', 'theirs');
  ground.git('checkout', '-q', 'main');
  ground.write('src/a.txt', 'ours\n');
  ground.git('commit', '-qam', 'ours');
}

describe('what only git had comes back by the commands of the report', () => {
  const ways: Record<string, { prepare?(ground: Ground): void; command: string }> = {
    'a branch that was removed, with its commits': {
      prepare(ground) {
        ground.git('branch', 'feature', ground.git('commit-tree', '-m', 'only here', 'HEAD^{tree}').trim());
      },
      command: `git branch -qD feature; ${prune}`,
    },
    notes: {
      prepare: (ground) => void ground.git('notes', 'add', '-m', 'a note'),
      command: `git update-ref -d refs/notes/commits; ${prune}`,
    },
    'references of other programs': {
      prepare: (ground) => void ground.git('update-ref', 'refs/custom/x', 'HEAD'),
      command: 'git update-ref -d refs/custom/x',
    },
    'a branch of another repository': {
      prepare: (ground) => void ground.git('update-ref', 'refs/remotes/origin/gone', 'HEAD'),
      command: 'git update-ref -d refs/remotes/origin/gone',
    },
    'staged content that no file holds': {
      prepare(ground) {
        ground.git('reset', '-q');
        ground.write('src/a.txt', 'staged only\n');
        ground.git('add', 'src/a.txt');
        ground.write('src/a.txt', 'and changed again\n');
      },
      command: `git reset -q; ${prune}`,
    },
    'a file that only the index has': {
      prepare(ground) {
        ground.git('reset', '-q');
        ground.write("src/it's new", 'staged only\n');
        ground.git('add', "src/it's new");
        spawnSync('rm', [ground.file("src/it's new")]);
      },
      command: `git reset -q; ${prune}`,
    },
    'an unfinished merge': {
      prepare(ground) {
        conflicting(ground);
        spawnSync('git', ['merge', '-q', 'theirs'], { cwd: ground.cwd });
      },
      command: `git merge --abort; git gc -q --prune=now`,
    },
    'an unfinished cherry-pick': {
      prepare(ground) {
        conflicting(ground);
        spawnSync('git', ['cherry-pick', 'theirs'], { cwd: ground.cwd });
      },
      command: 'git cherry-pick --abort',
    },
    'an unfinished rebase': {
      prepare(ground) {
        conflicting(ground);
        spawnSync('bash', ['-c', `${identity}; git rebase -q theirs`], { cwd: ground.cwd });
      },
      command: 'git rebase --abort',
    },
    'an unfinished bisection': {
      prepare(ground) {
        conflicting(ground);
        ground.git('bisect', 'start', 'HEAD', 'HEAD~1');
      },
      command: 'git bisect reset',
    },
    'a merge that was begun': {
      prepare: conflicting,
      command: 'git merge -q theirs || true; git checkout -q --ours src; git add -A',
    },
  };
  for (const [what, { prepare, command }] of Object.entries(ways))
    test(what, async () => {
      const ground = repository();
      prepare?.(ground);
      const { before, files, report } = await undone(ground, command);
      expect(report.refused).toEqual([]);
      expect(ground.tree()).toEqual(files);
      expect(report.isIncomplete).toBe(false);
      runOffered(ground, report.beyond);
      expect(gitState(ground)).toEqual(before);
    });
});

test('a pruned branch of a history that was not fetched as a whole', async () => {
  const ground = repository();
  ground.git('commit', '-qm', 'Second');
  const origin = `${ground.cwd}-origin`;
  spawnSync('mv', [ground.cwd, origin]);
  spawnSync('git', ['clone', '-q', '--depth=1', `file://${origin}`, ground.cwd]);
  ground.git('checkout', '-qb', 'feature');
  ground.git('commit', '-qm', 'Mine', '--allow-empty');
  ground.git('checkout', '-q', 'main');
  const { before, report } = await undone(ground, `git branch -qD feature; ${prune}`);
  expect(report.isIncomplete).toBe(false);
  runOffered(ground, report.beyond);
  expect(gitState(ground)).toEqual(before);
});

test('a stash that was dropped and pruned comes back after a rewind', async () => {
  const ground = repository();
  ground.git('stash', '-q');
  const { report } = await undone(ground, `git stash drop -q; ${prune}`);
  const [, command = ''] =
    /(git stash store .*)$/.exec(report.beyond.find((said) => /stash/.test(said)) ?? '') ?? [];
  expect(spawnSync('bash', ['-c', command], { cwd: ground.cwd }).status).toBe(0);
  expect(ground.git('stash', 'show', '-p')).toContain('+changed by me');
  expect(report.isIncomplete).toBe(false);
});

test('a reference whose commit nobody has any more is said to be lost', async () => {
  const ground = repository();
  ground.git('branch', 'feature', ground.git('commit-tree', '-m', 'only here', 'HEAD^{tree}').trim());
  const { report } = await undone(ground, `git branch -qD feature; ${prune}`, (session) => {
    const kept = (session.info().transcriptPath ?? '').replace(/\.jsonl$/, '/git-objects');
    expect(existsSync(kept)).toBe(true);
    rmSync(kept, { recursive: true });
  });
  expect(report.beyond.join('\n')).toContain('refs/heads/feature');
  expect(report.beyond.join('\n')).toMatch(/lost/);
  expect(report.beyond.join('\n')).not.toContain('git update-ref refs/heads/feature');
  expect(report.isIncomplete).toBe(true);
});

test('work that only moved from the index into a commit is not named', async () => {
  const ground = repository();
  const { report } = await undone(ground, 'git commit -qm staged');
  expect(report.beyond.join('\n')).not.toContain('update-index');
});
