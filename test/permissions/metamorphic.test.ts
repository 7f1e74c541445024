import { afterAll, expect, test } from 'bun:test';
import { execFileSync } from 'node:child_process';
import { decideLine, type Given, type Posture, postures } from '../proof/kernel/judged.ts';
import { buildLayouts, type Layout } from '../proof/kernel/layout.ts';
import { type RuleSet, ruleSets } from '../proof/kernel/rule-sets.ts';
import { seededRandom } from '../proof/random.ts';
import {
  directories,
  directoryForms,
  fileForms,
  files,
  loopWords,
  namePatterns,
  say,
  sayOtherwise,
  searches,
} from './variations.ts';

/** Each decision looks at the files again, which takes milliseconds. */
const pairs = Number(process.env.CADRE_PROPERTY_CASES ?? 2000) / 4;
const seed = Number(process.env.CADRE_SEED ?? 1);

const layouts = buildLayouts(['plain', 'credential-links', 'credential-directories', 'hard-links', 'sparse']);
afterAll(() => layouts[Symbol.dispose]());

const rank = { allow: 0, ask: 1, deny: 2 } as const;

test(`a line that says the same in other words is judged no more loosely (${pairs} pairs, CADRE_SEED=${seed})`, () => {
  const { pick, random } = choosing(1);
  const looser: string[] = [];
  for (let done = 0; done < pairs; ) {
    const place = anyPlace(pick);
    const isFile = random.below(2) === 0;
    const plain = isFile
      ? { form: pick(fileForms), path: pick(files) }
      : { form: pick(directoryForms), path: pick(directories) };
    const before = judged(say(plain), place);
    const others = sayOtherwise(plain, place.layout.workspace, random);
    for (const line of others)
      looser.push(...compare(before, judged(line, place), `${describe(place)}: ${say(plain)} => ${line}`));
    done += others.length;
  }
  expect(looser).toEqual([]);
});

test(`the order of the words of a loop does not matter (CADRE_SEED=${seed})`, () => {
  const { pick } = choosing(2);
  const looser: string[] = [];
  for (let done = 0; done < pairs / 8; done++) {
    const place = anyPlace(pick);
    const [one, two] = [pick(loopWords), pick(loopWords)];
    const loop = (words: string) => `for f in ${words}; do cat "$f"; done`;
    const [before, after] = [judged(loop(`${one} ${two}`), place), judged(loop(`${two} ${one}`), place)];
    const what = `${describe(place)}: ${one} ${two}`;
    looser.push(...compare(before, after, what), ...compare(after, before, what));
    for (const alone of [one, two])
      looser.push(...compare(judged(loop(alone), place), before, `${what}, ${alone} alone`));
  }
  expect(looser).toEqual([]);
});

test(`a rule for a directory refuses no less than one for all that is in it (CADRE_SEED=${seed})`, () => {
  const { pick, random } = choosing(3);
  const looser: string[] = [];
  for (let done = 0; done < pairs / 4; done++) {
    const directory = pick(['hidden', 'secret', 'src', 'kept', 'docs', '.ssh', 'sub']);
    const tool = pick(['Read', 'Edit']);
    const line =
      random.below(2) === 0
        ? say({ form: pick(directoryForms), path: pick(['.', ...directories]) })
        : search(pick(searches), pick(['.', directory]), pick(namePatterns));
    const place = anyPlace(pick);
    // There the directory itself may be missing, and nothing in it can be met.
    if (place.layout.name === 'sparse') continue;
    const under = (rule: string) =>
      judged(line, { ...place, rules: { name: '', denied: [rule], prints: [] } });
    const inner = under(`${tool}(${directory}/**)`);
    for (const form of [directory, `${directory}/`, `./${directory}`]) {
      const text = `${tool}(${form})`;
      looser.push(...compare(inner, under(text), `${describe(place)}: ${line} under ${text}`));
    }
  }
  expect(looser).toEqual([]);
});

test(`a search is not allowed where one of the files that it finds is refused (CADRE_SEED=${seed})`, () => {
  const { pick } = choosing(4);
  const wrong: string[] = [];
  let met = 0;
  for (let done = 0; done < pairs / 4; done++) {
    const place = anyPlace(pick);
    const [start, pattern] = [pick(['.', 'hidden', 'src', 'docs', 'sub']), pick(namePatterns)];
    const line = search(pick(searches), start, pattern);
    const refused = found(place.layout, start, pattern).find(
      (file) => judged(`cat ${quote(file)}`, place) === 'deny',
    );
    if (refused === undefined) continue;
    met++;
    if (judged(line, place) === 'allow') wrong.push(`${describe(place)}: ${line} opens ${refused}`);
  }
  expect(wrong).toEqual([]);
  expect(met).toBeGreaterThan(pairs / 40);
});

interface Place {
  readonly layout: Layout;
  readonly posture: Posture;
  readonly rules: RuleSet;
}

type Pick = <T>(list: readonly T[]) => T;

function choosing(part: number): { pick: Pick; random: ReturnType<typeof seededRandom> } {
  const random = seededRandom(seed * 16 + part);
  return { random, pick: (list) => list[random.below(list.length)] as (typeof list)[number] };
}

function anyPlace(pick: Pick): Place {
  return { layout: pick(layouts.all), posture: pick(postures), rules: pick(ruleSets) };
}

function judged(line: string, place: Place): keyof typeof rank {
  const given: Given = { ...place, line, cwd: place.layout.workspace, shell: 'bash' };
  return decideLine(given).decision.behaviour;
}

function compare(before: keyof typeof rank, after: keyof typeof rank, what: string): string[] {
  return rank[after] < rank[before] ? [`${before} becomes ${after}, ${what}`] : [];
}

function describe({ layout, posture, rules }: Place): string {
  return [layout.name, posture.name, rules.name].filter((part) => part !== '').join(' ');
}

function search(form: string, start: string, pattern: string): string {
  return form.replace('@', () => start).replace('P', () => pattern);
}

const seen = new Map<string, readonly string[]>();

/** As find itself finds them. */
function found({ workspace }: Layout, start: string, pattern: string): readonly string[] {
  const key = [workspace, start, pattern].join('\0');
  const before = seen.get(key);
  if (before) return before;
  const script = `find ${start} -path ./.git -prune -o -type f -name ${pattern} -print0 2> /dev/null || :`;
  const output = execFileSync('bash', ['-c', script], { cwd: workspace }).toString();
  const paths = output.split('\0').filter((path) => path !== '');
  seen.set(key, paths);
  return paths;
}

function quote(text: string): string {
  return `'${text}'`;
}
