/**
 * Builds the packages to publish, under `dist/npm/`: one package per platform with the program in it, and the
 * main package with the launcher, the library and the others as optional dependencies. Publishes nothing.
 *
 *   npm run packages                      this machine's program, from `dist/cadre`
 *   npm run packages -- --all             every platform, with Bun's executables fetched from npm
 */
import {
  chmodSync,
  copyFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { type Platform, platformFor, platforms, usesMusl } from '../bin/platform.js';
import { listManualPages } from '../src/commands/help/list-pages.ts';
import { compileProgram } from './compile.ts';
import { tryRun } from './run.ts';

const repository = join(import.meta.dirname, '..');
const target = join(repository, 'dist', 'npm');
const { values: flags } = parseArgs({ options: { all: { type: 'boolean', default: false } } });
const ripgrepVersion = JSON.parse(
  readFileSync(join(repository, 'node_modules/@vscode/ripgrep/package.json'), 'utf8'),
).version;
const main = JSON.parse(readFileSync(join(repository, 'package.json'), 'utf8'));

rmSync(target, { recursive: true, force: true });
const local = platformFor(process.platform, process.arch, usesMusl());
const prepared: Platform[] = [];
for (const platform of platforms) {
  const problem = await prepare(platform);
  if (problem) console.log(`${platform.name}: left out, ${problem}`);
  else prepared.push(platform);
}
prepareMain(prepared);
console.log(`dist/npm: cadre, ${prepared.map((platform) => platform.name).join(', ')}`);

/** Makes one platform's package, or says why not. */
async function prepare(platform: Platform): Promise<string | undefined> {
  const directory = join(target, platform.name);
  const program = join(directory, 'bin', 'cadre');
  mkdirSync(join(directory, 'bin'), { recursive: true });
  const problem =
    platform === local
      ? copyLocal(program)
      : flags.all
        ? await crossCompile(platform, program)
        : 'not asked for (--all)';
  if (problem) {
    rmSync(directory, { recursive: true, force: true });
    return problem;
  }
  chmodSync(program, 0o755);
  copyFileSync(join(repository, 'LICENSE'), join(directory, 'LICENSE'));
  writeJson(join(directory, 'package.json'), {
    name: platform.name,
    version: main.version,
    description: `The program of cadre for ${platform.os} on ${platform.cpu}`,
    license: main.license,
    os: [platform.os],
    cpu: [platform.cpu],
    ...(platform.libc ? { libc: [platform.libc] } : {}),
    files: ['bin'],
  });
  return undefined;
}

function copyLocal(program: string): string | undefined {
  const built = join(repository, 'dist', 'cadre');
  if (!existsSync(built)) return 'dist/cadre is not there: npm run build';
  copyFileSync(built, program);
  return undefined;
}

/** Bun's and ripgrep's executables for other machines are npm packages; ours take the versions that we build with. */
async function crossCompile(platform: Platform, program: string): Promise<string | undefined> {
  const scratch = mkdtempSync(join(tmpdir(), 'cadre-packages-'));
  try {
    const bunPackage = `@oven/${platform.bun.replace('arm64', 'aarch64')}`;
    const executable = await fetchProgram(`${bunPackage}@${Bun.version}`, 'bin/bun', join(scratch, 'bun'));
    if (!executable) return `${bunPackage}@${Bun.version} could not be fetched from npm`;
    const ripgrepPackage = `@vscode/ripgrep-${platform.os}-${platform.cpu}@${ripgrepVersion}`;
    const ripgrep = await fetchProgram(ripgrepPackage, 'bin/rg', join(scratch, 'ripgrep'));
    if (!ripgrep) return `${ripgrepPackage} could not be fetched from npm`;
    await compileProgram({
      repository,
      output: program,
      ripgrep,
      foreign: { target: platform.bun, executable },
    });
    return undefined;
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
}

/** The path of one file of an npm package, unpacked into `directory`; undefined where it cannot be had. */
async function fetchProgram(name: string, file: string, directory: string): Promise<string | undefined> {
  mkdirSync(directory);
  const packed = await tryRun(['npm', 'pack', '--silent', name], directory);
  if (packed.code !== 0) return undefined;
  await tryRun(['tar', 'xzf', packed.output.trim().split('\n').at(-1) ?? ''], directory);
  const path = join(directory, 'package', file);
  return existsSync(path) ? path : undefined;
}

function prepareMain(prepared: Platform[]): void {
  const directory = join(target, 'cadre');
  mkdirSync(directory, { recursive: true });
  for (const path of [...main.files, 'README.md', 'LICENSE', 'CHANGELOG.md'])
    if (existsSync(join(repository, path)))
      cpSync(join(repository, path), join(directory, path), { recursive: true });
  const { scripts: _scripts, devDependencies: _devDependencies, private: _private, ...published } = main;
  const optionalDependencies = Object.fromEntries(prepared.map((platform) => [platform.name, main.version]));
  // npm links these where man(1) looks, for a global installation.
  const man = listManualPages().map(({ name, section }) => `./dist/man/man${section}/${name}.${section}`);
  writeJson(join(directory, 'package.json'), { ...published, man, optionalDependencies });
}

function writeJson(path: string, value: unknown): void {
  writeFileSync(path, `${JSON.stringify(value, null, 2)}\n`);
}
