import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { run } from './run.ts';

export interface Compilation {
  repository: string;
  output: string;
  /** The ripgrep executable of the target platform, to be carried inside. */
  ripgrep: string;
  /** Another machine's program: Bun's name of the target, and a Bun executable for it. */
  foreign?: { target: string; executable: string };
}

/** One executable file. It must not read anything of the directory it is started in. */
export async function compileProgram({ repository, output, ripgrep, foreign }: Compilation): Promise<void> {
  const scratch = `${output}.new`;
  const entry = writeEntry(
    repository,
    join(repository, 'dist', 'build', foreign?.target ?? 'local'),
    ripgrep,
  );
  await run(
    [
      process.execPath,
      'build',
      entry,
      '--compile',
      '--bytecode',
      '--minify',
      '--format=esm',
      // Without it the built-in modules of every lazy part are loaded at the start, node:crypto and node:http among them.
      '--splitting',
      '--no-compile-autoload-dotenv',
      '--no-compile-autoload-bunfig',
      '--no-compile-autoload-tsconfig',
      '--no-compile-autoload-package-json',
      ...(foreign ? [`--target=${foreign.target}`, `--compile-executable-path=${foreign.executable}`] : []),
      `--outfile=${scratch}`,
    ],
    repository,
  );
  // Renamed into place: a program that is running keeps its file.
  renameSync(scratch, output);
}

/** The program's own entry: `main`, and ripgrep as bytes with the hash that they must have when they are extracted. */
function writeEntry(repository: string, directory: string, ripgrep: string): string {
  const hash = createHash('sha256').update(readFileSync(ripgrep)).digest('hex');
  const cli = `./${relative(directory, join(repository, 'src/cli.ts'))}`;
  const entry = join(directory, 'entry.ts');
  mkdirSync(directory, { recursive: true });
  writeFileSync(
    entry,
    `import { readFileSync } from 'node:fs';
import file from ${JSON.stringify(ripgrep)} with { type: 'file' };
import { main } from ${JSON.stringify(cli)};
const ripgrep = { kind: 'embedded', hash: '${hash}', bytes: async () => readFileSync(file) };
process.exit(await main(process.argv.slice(2), ripgrep));
`,
  );
  return entry;
}
