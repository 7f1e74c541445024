import { expect, test } from 'bun:test';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { cadre, newPlace } from './support.ts';

/** The decision about each call, with these restrictions of the user's own settings. */
async function judge(filesystem: object, calls: object[]): Promise<string[]> {
  const place = newPlace();
  mkdirSync(join(place.cwd, 'src/deep'), { recursive: true });
  for (const name of ['a.txt', 'src/a.txt', 'src/b.txt', 'src/deep/n.cfg', 'open.md'])
    writeFileSync(join(place.cwd, name), 'text\n');
  mkdirSync(join(place.cwd, '.cadre'));
  const settings = join(place.cwd, '.cadre/settings.json');
  writeFileSync(settings, JSON.stringify({ sandbox: { filesystem } }));
  const input = calls.map((call, id) => JSON.stringify({ id, ...call })).join('\n');
  const { code, out, err } = await cadre(['why', '--batch', '--no-sandbox', '--mode', 'acceptEdits'], {
    place,
    input,
  });
  expect([code, err]).toEqual([0, '']);
  const answers = out
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
  for (const { decision, reason } of answers)
    if (decision === 'deny')
      expect(reason).toMatch(/sandbox\.filesystem\.deny(Read|Write) in .*settings\.json/);
  return answers.map(({ decision }) => decision);
}

const shell = (command: string) => ({ tool: 'Bash', input: { command } });
const read = (path: string) => ({ tool: 'Read', input: { file_path: path } });
const write = (path: string) => ({ tool: 'Write', input: { file_path: path, content: '' } });

for (const [pattern, file] of [
  ['a.txt', 'src/a.txt'],
  ['src/*.txt', 'src/a.txt'],
  ['**/n.cfg', 'src/deep/n.cfg'],
  ['src/**/n.cfg', 'src/deep/n.cfg'],
  ['src', 'src/b.txt'],
] as const) {
  test(`denyRead ${pattern} holds for ${file} in lines and by tools`, async () => {
    const refused = [
      shell(`cat ${file}`),
      shell(`cd src && cat ../${file}`),
      read(file),
      shell('head open.md'),
    ];
    expect(await judge({ denyRead: [pattern] }, refused)).toEqual(['deny', 'deny', 'deny', 'allow']);
  });

  test(`denyWrite ${pattern} holds for ${file} in lines and by tools, and reading stays free`, async () => {
    const calls = [
      shell(`echo x > ${file}`),
      shell(`touch ${file}`),
      write(file),
      shell(`cat ${file}`),
      write('open.md'),
    ];
    expect(await judge({ denyWrite: [pattern] }, calls)).toEqual(['deny', 'deny', 'deny', 'allow', 'allow']);
  });
}

test('a search that may meet a closed file is not run without a question', async () => {
  const [below, beside] = await judge({ denyRead: ['**/n.cfg'] }, [
    shell('grep -r text src'),
    shell('grep text open.md'),
  ]);
  expect([below, beside]).toEqual(['ask', 'allow']);
});

test('what allowRead shows is not closed by denyRead around it, in lines and by tools', async () => {
  const place = newPlace();
  const around = join(place.cwd, '..');
  mkdirSync(join(place.cwd, '.cadre'), { recursive: true });
  writeFileSync(join(place.cwd, 'open.md'), 'text\n');
  const outside = join(around, 'closed.md');
  writeFileSync(outside, 'text\n');
  const filesystem = { denyRead: [around], allowRead: [place.cwd] };
  mkdirSync(place.home, { recursive: true });
  writeFileSync(join(place.home, 'settings.json'), JSON.stringify({ sandbox: { filesystem } }));
  const calls = [shell('cat open.md'), read('open.md'), shell('ls'), shell(`cat ${outside}`), read(outside)];
  const input = calls.map((call, id) => JSON.stringify({ id, ...call })).join('\n');
  const { out } = await cadre(['why', '--batch', '--no-sandbox'], { place, input });
  expect(
    out
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line).decision),
  ).toEqual(['allow', 'allow', 'allow', 'deny', 'deny']);
});
