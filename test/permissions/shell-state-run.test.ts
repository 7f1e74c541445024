import { expect } from 'bun:test';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { exploreRole } from '../../src/permissions/roles.ts';
import { seededRandom } from '../proof/random.ts';
import { needs, temporaryDirectory } from '../support/index.ts';
import { readCorpus } from './read-corpus.ts';
import { prepareGround, prepareJudge } from './state-ground.ts';
import { makeLine } from './state-lines.ts';

const cases = Number(process.env.CADRE_STATE_LINES ?? 30);
const seed = Number(process.env.CADRE_SEED ?? 1);
const shellTest = needs('dash');

shellTest(
  'G2 lines that are proved run without asking, and do nothing else',
  () => {
    const ground = prepareGround(join(temporaryDirectory().path, 'ground'));
    for (const line of readCorpus('proved.txt')) {
      expect([line, ground.judge(line).behaviour]).toEqual([line, 'allow']);
      expect([line, ground.judge(line, { role: exploreRole }).behaviour]).toEqual([line, 'allow']);
      expect([line, ground.run('bash', line)]).toEqual([line, undefined]);
    }
  },
  120_000,
);

shellTest(
  `G2 ${cases} made-up lines that are called harmless read and change nothing else (CADRE_SEED=${seed})`,
  () => {
    const ground = prepareGround(join(temporaryDirectory().path, 'ground'));
    const random = seededRandom(seed);
    let ran = 0;
    for (let tried = 0; ran < cases && tried < cases * 200; tried++) {
      const line = makeLine(random);
      if (ground.judge(line).behaviour === 'allow') {
        ran++;
        expect([line, ground.run('bash', line)]).toEqual([line, undefined]);
      }
      if (ground.judge(line, { workspace: { dialect: 'sh' } }).behaviour === 'allow')
        expect([line, ground.run('dash', line)]).toEqual([line, undefined]);
    }
    expect(ran).toBe(cases);
  },
  600_000,
);

shellTest('PE5 a name with a blank in it, which becomes two on its way, is not taken for one', () => {
  const ground = prepareGround(join(temporaryDirectory().path, 'ground'));
  const broken = [
    'for f in $(find . -type d); do cat "$f/passwd"; done',
    'find . -type d | while read -r f; do cat ./$f/passwd; done',
    'for f in */*/*; do cat $f; done',
  ];
  const whole = [
    'for f in */*/*; do cat "$f"; done',
    'find . -type f | while IFS= read -r f; do cat "$f"; done',
  ];
  const judged = (lines: string[]) => lines.map((line) => ground.judge(line).behaviour);
  expect(judged([...broken, ...whole])).not.toContain('ask');
  mkdirSync(join(ground.cwd, 'a /etc'), { recursive: true });
  writeFileSync(join(ground.cwd, 'a /etc/passwd'), '');
  const again = prepareJudge(ground.root, ground.cwd);
  expect(broken.map((line) => again(line).behaviour)).toEqual(['ask', 'ask', 'ask']);
  expect(whole.map((line) => again(line).behaviour)).toEqual(['allow', 'allow']);
});
