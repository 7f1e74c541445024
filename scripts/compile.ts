import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';

export interface Compilation {
  repository: string;
  output: string;
  /** The ripgrep executable of the target platform, to be carried inside. */
  ripgrep: string;
  /** Another machine's program: Bun's name of the target, and a Bun executable for it. */
  foreign?: { target: string; executable: string };
  /** For a build that only tests use. */
  plugins?: readonly Bun.BunPlugin[];
}

/** One executable file. It must not read anything of the directory it is started in. */
export async function compileProgram({
  repository,
  output,
  ripgrep,
  foreign,
  plugins = [],
}: Compilation): Promise<void> {
  const scratch = `${output}.new`;
  const place = plugins.length > 0 ? 'test' : (foreign?.target ?? 'local');
  const entry = writeEntry(repository, join(repository, 'dist', 'build', place), ripgrep);
  const built = await Bun.build({
    entrypoints: [entry],
    root: repository,
    tsconfig: join(repository, 'tsconfig.json'),
    bytecode: true,
    minify: true,
    format: 'esm',
    // Without it the built-in modules of every lazy part are loaded at the start, node:crypto and node:http among them.
    splitting: true,
    define: { 'process.env.NODE_ENV': '"production"' },
    plugins: [withoutLocales, withLazyUtil, withTextInside, ...plugins],
    compile: {
      outfile: scratch,
      autoloadDotenv: false,
      autoloadBunfig: false,
      autoloadTsconfig: false,
      autoloadPackageJson: false,
      ...(foreign
        ? { target: foreign.target as Bun.Build.CompileTarget, executablePath: foreign.executable }
        : {}),
    },
  });
  if (!built.success) throw new Error(built.logs.join('\n'));
  // Renamed into place: a program that is running keeps its file.
  renameSync(scratch, output);
}

/** Zod brings its messages in fifty languages, and all of them are loaded at every start. */
const withoutLocales: Bun.BunPlugin = {
  name: 'without-locales',
  setup(build) {
    build.onLoad({ filter: /[\\/]zod[\\/]v4[\\/]locales[\\/]index\.js$/ }, () => ({
      contents: "export { default as en } from './en.js';",
      loader: 'js',
    }));
  },
};

/** Commander strips colours with `node:util`, and naming its function in an import loads all that prints values, at every start. */
const withLazyUtil: Bun.BunPlugin = {
  name: 'with-lazy-util',
  setup(build) {
    build.onLoad({ filter: /[\\/]commander[\\/]lib[\\/](?:command|help)\.js$/ }, ({ path }) => {
      const text = readFileSync(path, 'utf8');
      const named = "import { stripVTControlCharacters } from 'node:util';";
      if (!text.includes(named))
        throw new Error(`${path} no longer imports node:util like this. Adapt withLazyUtil.`);
      const contents = text
        .replace(named, "import util from 'node:util';")
        .replaceAll('stripVTControlCharacters(', 'util.stripVTControlCharacters(');
      return { contents, loader: 'js' };
    });
  },
};

/** Otherwise each prompt and description is a file of its own inside the program, and forty of them are opened at every start. */
const withTextInside: Bun.BunPlugin = {
  name: 'with-text-inside',
  setup(build) {
    build.onLoad({ filter: /\.md$/ }, ({ path }) => ({
      contents: `export default ${JSON.stringify(readFileSync(path, 'utf8'))};`,
      loader: 'js',
    }));
  },
};

/** The program's own entry: `main`, and ripgrep as bytes with the hash that they must have when they are extracted. */
function writeEntry(repository: string, directory: string, ripgrep: string): string {
  const hash = createHash('sha256').update(readFileSync(ripgrep)).digest('hex');
  const source = (path: string) => JSON.stringify(`./${relative(directory, join(repository, path))}`);
  const entry = join(directory, 'entry.ts');
  mkdirSync(directory, { recursive: true });
  writeFileSync(
    entry,
    `import { readFileSync } from 'node:fs';
import file from ${JSON.stringify(ripgrep)} with { type: 'file' };
import { refuseLowLimits } from ${source('src/commands/low-limits.ts')};
const refused = refuseLowLimits();
if (refused !== undefined) process.exit(refused);
// Only now: threads are started while it is loaded.
const { main } = await import(${source('src/cli.ts')});
const ripgrep = { kind: 'embedded', hash: '${hash}', bytes: async () => readFileSync(file) };
process.exit(await main(process.argv.slice(2), ripgrep));
`,
  );
  return entry;
}
