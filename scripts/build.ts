/** `npm run build`: the program, the library, its types, the manual pages. All of it goes to `dist/`. Types are checked by `npm run lint`. */
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { writeManual } from '../src/commands/help/man.ts';
import { installedRipgrep } from '../src/tools/search/ripgrep.ts';
import { compileProgram } from './compile.ts';
import { run } from './run.ts';

const repository = join(import.meta.dirname, '..');
const dist = join(repository, 'dist');
const libraryEntries = [
  'src/index.ts',
  'src/protocol/index.ts',
  'src/testing/index.ts',
  'src/convert/main.ts',
  'src/workflows/host/main.ts',
];

for (const part of ['lib', 'types', 'man']) rmSync(join(dist, part), { recursive: true, force: true });
await Promise.all([buildProgram(), buildLibrary(), buildTypes()]);
buildManual();

async function buildProgram(): Promise<void> {
  const ripgrep = installedRipgrep();
  if (ripgrep.kind !== 'path') throw new Error('The npm package @vscode/ripgrep is not installed: npm ci');
  await compileProgram({ repository, output: join(dist, 'cadre'), ripgrep: ripgrep.path });
  console.log('dist/cadre   the program');
}

/** From the tables of the command line, as `cadre man --write` makes them. */
function buildManual(): void {
  const written = writeManual(join(dist, 'man'));
  if (!written.ok) throw new Error(written.problem.message);
  console.log('dist/man     its manual pages');
}

/** Packages stay outside; Markdown goes in, since Node cannot import it. */
async function buildLibrary(): Promise<void> {
  await run(
    [
      process.execPath,
      'build',
      ...libraryEntries,
      '--target=node',
      '--format=esm',
      '--splitting',
      '--packages=external',
      '--root=src',
      `--outdir=${join(dist, 'lib')}`,
    ],
    repository,
  );
  console.log('dist/lib     the library');
}

async function buildTypes(): Promise<void> {
  await run([join(repository, 'node_modules', '.bin', 'tsc'), '-p', 'tsconfig.build.json'], repository);
  for (const path of readdirSync(join(dist, 'types'), { recursive: true, encoding: 'utf8' }))
    if (path.endsWith('.d.ts')) nameCompiledFiles(join(dist, 'types', path));
  console.log('dist/types   its types');
}

/** Declarations keep the `.ts` of their source's imports, which not every compiler finds from here. */
function nameCompiledFiles(path: string): void {
  const text = readFileSync(path, 'utf8');
  writeFileSync(path, text.replace(/((?:from|import\()\s*['"]\.[^'"]*)\.ts(['"])/g, '$1.js$2'));
}
