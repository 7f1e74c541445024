import { existsSync, mkdirSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join, sep } from 'node:path';
import { compileProgram } from '../../../scripts/compile.ts';
import { installedRipgrep } from '../../../src/tools/search/ripgrep.ts';

const repository = join(import.meta.dirname, '..', '..', '..');
const sources = join(repository, 'src') + sep;

/** The program with points at which it can end itself: `points.ts`. Built again when a source is newer. */
export async function buildCrashProgram(): Promise<string> {
  const output = join(repository, 'dist', 'proof', 'cadre-crash');
  if (existsSync(output) && statSync(output).mtimeMs > findNewest([sources, import.meta.dirname]))
    return output;
  const ripgrep = installedRipgrep();
  if (ripgrep.kind !== 'path') throw new Error('The npm package @vscode/ripgrep is not installed: npm ci');
  mkdirSync(join(repository, 'dist', 'proof'), { recursive: true });
  await compileProgram({ repository, output, ripgrep: ripgrep.path, plugins: [withPoints] });
  return output;
}

/** Only the program's own calls: what its packages and the points themselves do is left alone. */
const withPoints: Bun.BunPlugin = {
  name: 'with-points',
  setup(build) {
    build.onLoad({ filter: /\.ts$/ }, ({ path }) =>
      path.startsWith(sources)
        ? { contents: addPoints(readFileSync(path, 'utf8')), loader: 'ts' }
        : undefined,
    );
  },
};

function addPoints(source: string): string {
  return source.replace(
    /(from |import\()'node:(fs|child_process)'/g,
    (_, how, name) => `${how}'${join(import.meta.dirname, `${name.replace('_', '-')}.ts`)}'`,
  );
}

function findNewest(directories: readonly string[]): number {
  return Math.max(
    ...directories.flatMap((directory) =>
      readdirSync(directory, { recursive: true, encoding: 'utf8' }).map(
        (name) => statSync(join(directory, name)).mtimeMs,
      ),
    ),
  );
}
