import { expect } from 'bun:test';
import { execFileSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { mkdirSync as makeExact, writeFileSync as writeExact } from '../../../src/lib/files/exact-files.ts';
import { pathBytes } from '../../../src/lib/files/exact-paths.ts';
import { needs } from '../../support/index.ts';
import { begin, held, pretendKilled, type Room, room, roomIn, run } from './support.ts';

const test = needs('bwrap');

/** A path in the workspace, of which each `\xNN` is a byte that is not valid UTF-8. */
const place = ({ cwd }: Room, name: string) =>
  Buffer.concat([Buffer.from(`${cwd}/`), Buffer.from(name, 'latin1')]);

function put(at: Room, name: string, text: string): void {
  const path = place(at, name);
  mkdirSync(path.subarray(0, path.lastIndexOf('/')), { recursive: true });
  writeFileSync(path, text);
}

const text = (at: Room, name: string) => readFileSync(place(at, name), 'utf8');

function makeRepository(at: Room, name: string): void {
  mkdirSync(place(at, name), { recursive: true });
  // A shell gives bytes to git.
  execFileSync('bash', ['-c', `git init -q -- $'${escapeBytes(name)}'`], { cwd: at.cwd });
}

/** A Python program that gets paths as bytes. */
const python = (program: string) => `python3 - <<'PYTHON'\nimport os\n${program}\nPYTHON`;

const append = (name: string) =>
  python(
    `try:\n  open(b'${escapeBytes(name)}', 'ab').write(b'evil')\n  print('written')\nexcept OSError as e: print(e.strerror)`,
  );

function escapeBytes(name: string): string {
  return name.replace(/[^ -~]/g, (sign) => `\\x${sign.charCodeAt(0).toString(16)}`);
}

for (const name of [
  're\xe9',
  'ok/re\xe9',
  'r\xe9/\xff/\xed\xa0\x80',
  '\ufffd/re\xe9'.replace('\ufffd', '\xef\xbf\xbd'),
])
  test(`the configuration of a repository at ${JSON.stringify(name)} cannot be written`, async () => {
    const at = room();
    makeRepository(at, name);
    const before = text(at, `${name}/.git/config`);
    const { text: said } = await run(at, append(`${name}/.git/config`));
    expect(said).toBe('Read-only file system\n');
    expect(text(at, `${name}/.git/config`)).toBe(before);
    expect((await run(at, append(`${name}/.git/objects/a`))).text).toBe('written\n');
  });

for (const name of [
  'caf\xe9/.vscode/tasks.json',
  'caf\xe9/.npmrc',
  'x\xe9.code-workspace',
  '\xff/.github/workflows/\xfe.yml',
])
  test(`${JSON.stringify(name)} that exists cannot be written`, async () => {
    const at = room();
    put(at, name, 'mine');
    expect((await run(at, append(name))).text).toBe('Read-only file system\n');
    expect(text(at, name)).toBe('mine');
  });

for (const name of ['caf\xe9/.envrc', 'x\xe9.code-workspace', 'Jenkinsfile\xe9', 'a/\xff/.vscode/tasks.json'])
  test(`${JSON.stringify(name)} that a command makes is taken away`, async () => {
    const at = room();
    put(at, 'caf\xe9/a', '');
    put(at, 'a/\xff/b', '');
    const folder = name.includes('/') ? escapeBytes(name.slice(0, name.lastIndexOf('/'))) : '.';
    const { notes } = await run(
      at,
      python(`os.makedirs(b'${folder}', exist_ok=True)\nopen(b'${escapeBytes(name)}', 'wb').write(b'evil')`),
    );
    expect(notes.join()).toContain('Protected paths');
    expect(existsSync(place(at, name))).toBe(false);
  });

test('a directory that is made, filled and renamed by three sessions keeps nothing that is protected', async () => {
  const at = room();
  put(at, 'pkg/a', '');
  const again = () => roomIn(join(at.cwd, '..'));
  await run(again(), python(`os.makedirs(b'pkg/caf\\xe9/deep')`));
  const second = await run(
    again(),
    python(
      `os.chdir(b'pkg/caf\\xe9/deep')\nos.mkdir('.vscode')\nopen('.vscode/tasks.json', 'w').write('x')\nos.system('git init -q r')\nopen('r/.git/config', 'a').write('[core]\\n')`,
    ),
  );
  expect(second.notes.join()).toContain('caf\\xe9/deep/.vscode');
  await run(again(), python(`os.rename(b'pkg/caf\\xe9', b'pkg/tool')`));
  expect(readdirSync(join(at.cwd, 'pkg/tool/deep'))).toEqual(['r']);
  expect(readdirSync(join(at.cwd, 'pkg/tool/deep/r'))).toEqual([]);
});

test('of a directory of the user only the protected name is moved, and where it was can be told to the byte', async () => {
  const at = room();
  put(at, 'z\xe9/q/mine', 'z');
  const { notes } = await run(at, python(`open(b'z\\xe9/q/.envrc', 'w').write('evil')`));
  expect(text(at, 'z\xe9/q/mine')).toBe('z');
  expect(notes.join()).toContain('z\\xe9/q/.envrc');
  expect(held(at).map((path) => pathBytes(path).toString('latin1'))).toEqual([
    place(at, 'z\xe9/q/.envrc').toString('latin1'),
  ]);
});

test('a name as long as a name can be is taken away, whatever it is made of', async () => {
  const at = room();
  const [wide, odd] = [`${'あ'.repeat(80)}.code-workspace`, `${'\\xe9'.repeat(240)}.code-workspace`];
  await run(at, `touch ${wide} $'${odd}'`);
  expect(readdirSync(at.cwd)).toEqual([]);
  expect(held(at).length).toBe(2);
});

test('a copy of a file with such a name is put back, and a link', async () => {
  const at = room();
  for (let index = 0; index < 32; index++) put(at, `p${index}/.npmrc`, 'mine');
  put(at, 'z/caf\xe9/.npmrc', 'mine');
  await run(at, python(`open(b'z/caf\\xe9/.npmrc', 'w').write('evil')`));
  expect(text(at, 'z/caf\xe9/.npmrc')).toBe('mine');
});

test('what a killed session left is found below such a name', async () => {
  const at = room();
  put(at, 'caf\xe9/a', '');
  const running = await begin(
    at,
    `${python(`open(b'caf\\xe9/.envrc', 'w').write('x')`)}\necho made; sleep 60`,
  );
  for (;;) {
    if (existsSync(place(at, 'caf\xe9/.envrc'))) break;
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
  pretendKilled(at);
  const { recoverConfined } = await import('../../../src/sandbox/guard/recover.ts');
  const said = recoverConfined(at.home);
  expect(said.join()).toContain('caf\\xe9/.envrc');
  expect(existsSync(place(at, 'caf\xe9/.envrc'))).toBe(false);
  renameSync(join(at.home, 'aside'), join(at.home, 'confined', 'x.json'));
  await running.end();
});

test('entries of a home with such names are hidden, also in a home with many entries', async () => {
  for (const count of [0, 40]) {
    const at = room();
    for (let index = 0; index < count; index++) writeFileSync(join(at.userHome, `f${index}`), '');
    for (const name of ['.s\udce9c', 'shown\udce9']) makeExact(exactly(at.userHome, name));
    writeExact(exactly(at.userHome, '.s\udce9c/token'), 'secret');
    writeExact(exactly(at.userHome, '.tok\udce9n'), 'secret');
    writeExact(exactly(at.userHome, 'cred\udce9.pem'), 'secret');
    writeExact(exactly(at.userHome, 'shown\udce9/a'), 'seen');
    const { text: said } = await run(
      at,
      `cd ~; cat $'.s\\xe9c/token' $'.tok\\xe9n' $'cred\\xe9.pem' 2>/dev/null; cat $'shown\\xe9/a'`,
    );
    expect(said).toBe('seen');
  }
});

const exactly = (directory: string, name: string) => `${directory}/${name}`;

test('the private directory of a command may have such a name beside it, and nothing is left of its mounts', async () => {
  const at = room();
  put(at, 'caf\xe9/.npmrc', 'mine');
  await run(at, 'true');
  expect(readdirSync(at.directory).filter((name) => name.startsWith('mounts-'))).toEqual([]);
  expect(statSync(place(at, 'caf\xe9/.npmrc')).size).toBe(4);
});

test('a directory whose paths are too long for the kernel is read-only, and one that a command makes is taken away', async () => {
  const at = room();
  const make = (top: string, end: string) =>
    python(
      `os.mkdir('${top}'); os.chdir('${top}')\nfor i in range(17):\n  os.mkdir('d' * 250); os.chdir('d' * 250)\n${end}`,
    );
  execFileSync('bash', ['-c', make('old', `open('mine', 'w').write('mine')`)], { cwd: at.cwd });
  const enter = `os.chdir('old')\nfor i in range(17): os.chdir('d' * 250)\n`;
  const { text: said } = await run(
    at,
    python(
      `${enter}try:\n  open('.envrc', 'w')\n  print('written')\nexcept OSError as e: print(e.strerror)\nprint(open('mine').read())`,
    ),
  );
  expect(said).toBe('Read-only file system\nmine\n');
  const second = await run(at, make('new', `open('.envrc', 'w').write('evil')`));
  expect(second.notes.join()).toContain('Protected paths');
  const found = execFileSync('find', ['new', '-name', '.envrc'], { cwd: at.cwd, encoding: 'utf8' });
  expect(found).toBe('');
});
