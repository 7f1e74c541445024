import { cpSync, mkdtempSync, readFileSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A copy of the repository in which files can be changed: the checkout itself never is. */
export interface MutantCopy extends Disposable {
  readonly directory: string;
  /** Writes another text into a file of the copy until the next call. */
  change(file: string, text: string): void;
}

const copied = [
  'src',
  'test',
  'scripts',
  'docs',
  'bin',
  'examples',
  'package.json',
  'tsconfig.json',
  'README.md',
  'AGENTS.md',
];
const linked = ['node_modules', 'dist'];

export function copyRepository(repository: string): MutantCopy {
  const directory = realpathSync(mkdtempSync(join(tmpdir(), 'cadre-mutant-')));
  for (const name of copied) cpSync(join(repository, name), join(directory, name), { recursive: true });
  for (const name of linked) symlinkSync(join(repository, name), join(directory, name));
  let changed: string | undefined;
  return {
    directory,
    change(file, text) {
      if (changed !== undefined)
        writeFileSync(join(directory, changed), readFileSync(join(repository, changed)));
      writeFileSync(join(directory, file), text);
      changed = file;
    },
    [Symbol.dispose]: () => rmSync(directory, { recursive: true, force: true }),
  };
}
