import { type AllowedCase, type Case, featuresOf, judgeCase } from './cases.ts';
import { type JudgeLine, type Posture, postures } from './judged.ts';
import type { Layout } from './layout.ts';
import { ruleSets } from './rule-sets.ts';

/** Lines that chance seldom makes, for a layout whose files are not what they seem. Judged for everyone. */
interface Corner {
  readonly layout: string;
  readonly rules: readonly string[];
  readonly lines: string;
  readonly postures?: readonly string[];
}

const corners: readonly Corner[] = [
  {
    layout: 'credential-links',
    rules: ['none', 'one-file'],
    lines: `
      grep -R one . ¦ grep -r one . ¦ grep -R one certs ¦ find . -type l -exec cat {} + ¦ find -L . -type f -exec cat {} + ¦
      ls -RL ¦ diff -r . src ¦ find . -name '*.key' -exec cat {} + ¦ find . -name '*.key' | xargs cat ¦ cat *.key ¦ cat s* ¦
      rg -L one ¦ rg -uuL one ¦ cat $(find . -name server.key) ¦ for f in *.key *.txt; do cat "$f"; done ¦ grep one state/* ¦
      cat state/keys.json ¦ grep -R one state ¦ grep -r one state/ ¦ find state/ -name '*.json' -exec cat {} + ¦
      cd state && cat keys.json ¦ cd certs && cat * ¦ cd sub && cat .aws/secret.txt ¦ grep -R one sub ¦ wc -l sub/.aws/* ¦
      cp -rL certs new ¦ cp server.key new ¦ cat < server.key ¦ head -c 20 server.key ¦ tree -l ¦ du -L ¦ sort server.key`,
  },
  {
    layout: 'credential-directories',
    rules: ['none', 'one-file'],
    lines: `
      find . -name known_hosts | xargs cat ¦ find . -name credentials -exec cat {} + ¦ grep -r --include='*.txt' one . ¦
      grep -r one . ¦ grep -r one sub ¦ rg --hidden one ¦ rg -uu one sub ¦ find sub -type f -exec cat {} + ¦ cat .ssh/* ¦
      cat .??h/known_hosts ¦ cat $(find . -name 'known*') ¦ find . -name 'n.md' -exec cat {} \\; ¦ cat sub/.ssh/n.md ¦
      cd .ssh && cat config ¦ cd sub && cat .ssh/n.md ¦ grep -r --include='*.md' one sub ¦ rg --hidden -g '*.md' one ¦
      for f in $(find . -name config) a.txt; do cat "$f"; done ¦ find .ssh -name config -exec cat {} + ¦ cat {.ssh,src}/*`,
  },
  {
    layout: 'hard-links',
    rules: ['none', 'one-file', 'files', 'directory'],
    lines: `
      cat notes.md ¦ cat docs/plain.md ¦ cat docs/copy.txt ¦ grep -r one docs ¦ grep -r TOKEN . ¦ cat docs/* ¦ cat *.md ¦
      find docs -name '*.md' -exec cat {} + ¦ find docs -name '*.txt' | xargs cat ¦ rg one docs ¦ cat docs/harmless.txt ¦
      echo x > shared.txt ¦ tee shared.txt < a.txt ¦ cp a.txt shared.txt ¦ sed -i s/o/0/ shared.txt ¦ echo x >> docs/copy.txt ¦
      mv docs new ¦ cp notes.md new ¦ cp -r docs new ¦ git grep -e TOKEN ¦ git show HEAD:notes.md ¦ git diff ¦ sort shared.txt`,
  },
  {
    layout: 'sparse',
    rules: ['none', 'one-file', 'directory'],
    lines: `
      git grep --cached -e TOKEN ¦ git grep --cached one ¦ git grep -e TOKEN HEAD ¦ git show HEAD:private/.env ¦ git ls-files ¦
      git grep --cached TOKEN -- private ¦ git diff HEAD~1 ¦ git log -p ¦ git cat-file -p HEAD:private/.env ¦
      git show :private/.env ¦ git grep --cached one hidden ¦ git show HEAD ¦ git stash list -p ¦ git archive HEAD`,
  },
  {
    layout: 'plain',
    rules: ['one-file', 'directory', 'directory-slash', 'files'],
    lines: `
      find . -name '*.txt' -exec cat {} + ¦ find . -name '*.txt' | xargs cat ¦ cat $(find . -name '*.txt') ¦
      rg --files -g '*.txt' | xargs cat ¦ grep -r --include='*.txt' one . ¦ grep -rl one --include='*.md' . | xargs cat ¦
      for f in $(find . -name .env) $(find . -name '*.md'); do cat "$f"; done ¦ cat hid*/*.txt ¦ cat hidden/* ¦
      for f in $(find . -name '*.md') $(find . -name .env); do cat "$f"; done ¦ cd hidden && cat plain.txt ¦
      for d in hidden src; do grep -r one "$d"; done ¦ for d in src hidden; do cat "$d"/*; done ¦ find hidden -type f -exec cat {} + ¦
      cat $(find hidden -name '*.txt') $(find src -name '*.ts') ¦ cat */plain.txt ¦ rg one -g '*.md' ¦ cat src/.env a.txt ¦
      find . -path '*/deep/*' -name '*.md' -exec cat {} + ¦ find . -iname '*.MD' -exec cat {} + ¦ cat hidden/../.env ¦
      ls -d hid* | xargs -I{} cat {}/plain.txt ¦ cp -r hidden new ¦ mv hidden new ¦ mv kept new ¦ rm -r kept ¦ sed -i s/k/x/ kept/inner/file.txt`,
  },
  {
    layout: 'runs',
    rules: ['none'],
    lines: `
      echo x > tools/a.sh ¦ echo x > tools/long.sh ¦ echo x > tools/re.sh ¦ echo x > hooks.d/pre-push ¦ cp a.txt tools/watch/main.js ¦
      tee tools/a.sh < a.txt ¦ mv a.txt tools/a.sh ¦ sed -i s/x/y/ tools/a.sh ¦ rm -r tools ¦ mv tools new ¦ cd tools && echo x > a.sh ¦
      cp -r src/. tools ¦ for f in a.sh b.sh; do cp a.txt "tools/$f"; done ¦ touch hooks.d/post-commit ¦ mkdir tools/new`,
  },
  {
    layout: 'large',
    rules: ['none'],
    postures: ['Explore', 'bypass', 'default'],
    lines:
      'grep -r TOKEN docs ¦ cat many/* ¦ grep -R one . ¦ cat docs/notes.md ¦ head -1 many/n4* ¦ find many -type l -exec cat {} +',
  },
  {
    layout: 'large',
    rules: ['one-file'],
    postures: ['default'],
    lines: 'grep -r TOKEN docs ¦ cat docs/notes.md ¦ cat docs/*',
  },
  ...['pipes', 'pipe-index'].map((layout) => ({
    layout,
    rules: ['one-file'],
    postures: ['Explore', 'acceptEdits'],
    lines:
      'git status ¦ grep -r one . ¦ rg one ¦ cat pipe ¦ git grep one ¦ git log -p ¦ rm -r docs ¦ cp a.txt new ¦ git diff ¦ find . -name x -exec cat {} +',
  })),
];

/** Those of them that are allowed in these layouts. */
export function judgeCorners(layouts: readonly Layout[], judge: JudgeLine): AllowedCase[] {
  let number = 0;
  return corners.flatMap((corner) => {
    const layout = layouts.find(({ name }) => name === corner.layout);
    return layout ? casesOf(corner, layout, () => --number).flatMap((one) => judgeCase(one, judge)) : [];
  });
}

function casesOf(corner: Corner, layout: Layout, nextNumber: () => number): Case[] {
  const texts = corner.lines.split('¦').map((line) => line.trim());
  const isMeant = ({ name }: Posture) => !corner.postures || corner.postures.includes(name);
  return ruleSets
    .filter(({ name }) => corner.rules.includes(name))
    .flatMap((rules) =>
      postures.filter(isMeant).flatMap((posture) =>
        texts.map((line): Case => {
          const given = { layout, posture, rules, shell: 'bash' as const };
          return { ...given, line, cwd: layout.workspace, number: nextNumber(), features: featuresOf(given) };
        }),
      ),
    );
}
