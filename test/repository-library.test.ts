/** The built library as a program would use it: installed under its name, on Bun and on Node. */
import { expect, test } from 'bun:test';
import { spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fakeProvider, say } from '../src/testing/index.ts';
import { needsThat, temporaryDirectory } from './support/index.ts';

const repository = join(import.meta.dirname, '..');
const node = findNode();
const examples = [
  'library',
  'events',
  'own-tool',
  'own-feature',
  'approve',
  'agents',
  'coordinator',
  'team',
  'handoffs',
  'workflow',
  'remote',
];

test('every example is run here', () => {
  const files = readdirSync(join(repository, 'examples')).filter((name) => name.endsWith('.ts'));
  expect(files.sort()).toEqual(examples.map((name) => `${name}.ts`).sort());
});

test('the example of the README is the one that runs here', () => {
  if (!existsSync(join(repository, 'README.md'))) return;
  expect(read('README.md')).toContain(read('examples/library.ts').trim());
});

test('the examples compile against the published types', () => {
  const project = installLibrary();
  for (const name of examples) writeFileSync(join(project, `${name}.ts`), read(`examples/${name}.ts`));
  const checked = spawnSync(
    join(repository, 'node_modules', '.bin', 'tsc'),
    [...compilerFlags, ...examples.map((name) => `${name}.ts`)],
    {
      cwd: project,
      encoding: 'utf8',
    },
  );
  expect(checked.stdout).toBe('');
  expect(checked.status).toBe(0);
});

const runtimes: [name: string, program: string | undefined][] = [
  ['Bun', process.execPath],
  ['Node', node],
];
for (const [name, program] of runtimes) {
  needsThat(program !== undefined, 'Node 22 or later')(
    `on ${name}, the library answers through a provider`,
    async () => {
      await using provider = await fakeProvider({ script: () => say('It is a sample.') });
      const ended = await runExample(program ?? '', 'library', {
        ANTHROPIC_BASE_URL: provider.url,
        ANTHROPIC_API_KEY: 'key',
        ANTHROPIC_MODEL: 'anthropic/claude-sample',
      });
      expect(ended).toEqual({ code: 0, output: 'completed It is a sample.\n' });
    },
  );

  needsThat(program !== undefined, 'Node 22 or later')(
    `on ${name}, a scripted session shows its events`,
    async () => {
      const ended = await runExample(program ?? '', 'events', {});
      expect(ended.output).toMatch(/^> Bash: .*\ncompleted: The shell works\.\n$/);
      expect(ended.code).toBe(0);
    },
  );

  needsThat(program !== undefined, 'Node 22 or later')(
    `on ${name}, a tool of one's own is called and its failure told`,
    async () => {
      const ended = await runExample(program ?? '', 'own-tool', {});
      expect(ended).toEqual({
        code: 0,
        output: 'completed: An apple is 1.20, the moon is not for sale.\n',
      });
    },
  );

  needsThat(program !== undefined, 'Node 22 or later')(
    `TS7 RM1 on ${name}, an agent runs on a worker in the same process`,
    async () => {
      const ended = await runExample(program ?? '', 'remote', {});
      expect(ended).toEqual({ code: 0, output: 'completed: Added. (notes.txt)\n' });
    },
    30_000,
  );

  needsThat(program !== undefined, 'Node 22 or later')(
    `on ${name}, a feature of one's own brings a tool, a part of the prompt and a notice`,
    async () => {
      const ended = await runExample(program ?? '', 'own-feature', {});
      expect(ended).toEqual({
        code: 0,
        output: 'told: notes are lost\ncompleted: Noted.\nclosed with 1 note\n',
      });
    },
  );

  needsThat(program !== undefined, 'Node 22 or later')(
    `on ${name}, questions are answered, and a granted rule is not asked about again`,
    async () => {
      const ended = await runExample(program ?? '', 'approve', {});
      expect(ended.code).toBe(0);
      expect(ended.output.match(/^asked: .*$/gm)).toHaveLength(2);
      expect(ended.output).toEndWith('completed: Touched twice, pushed nothing.\n');
    },
  );

  needsThat(program !== undefined, 'Node 22 or later')(
    `on ${name}, agents of a program's own run side by side and report`,
    async () => {
      const ended = await runExample(program ?? '', 'agents', {});
      expect(ended).toEqual({
        code: 0,
        output: '> an agent: Glob\n> an agent: Glob\ncompleted: One program and one data file.\n',
      });
    },
  );

  needsThat(program !== undefined, 'Node 22 or later')(
    `on ${name}, a chain of hand-offs returns to its writer once`,
    async () => {
      const ended = await runExample(program ?? '', 'handoffs', {});
      const called = [...ended.output.matchAll(/^> ([\w-]+) /gm)].map(([, role]) => role);
      expect(called).toEqual(['researcher', 'writer', 'validator', 'writer', 'validator']);
      expect(ended.output).toEndWith('coverage: 87\n');
      expect(ended.code).toBe(0);
    },
  );

  needsThat(program !== undefined, 'Node 22 or later')(
    `on ${name}, a workflow directs agents from a script`,
    async () => {
      const ended = await runExample(program ?? '', 'workflow', {});
      expect(ended).toEqual({ code: 0, output: 'completed: The longest is three. (4 calls)\n' });
    },
  );

  needsThat(program !== undefined, 'Node 22 or later')(
    `on ${name}, the teammates of a team write to each other, report, and shut down`,
    async () => {
      const ended = await runExample(program ?? '', 'team', {});
      expect(ended).toEqual({
        code: 0,
        output: 'ada to bo: Which file is first?\nbo to ada: package.json is.\nThe team has ended.\n',
      });
    },
  );

  needsThat(program !== undefined, 'Node 22 or later')(
    `on ${name}, a coordinator directs workers until all have reported`,
    async () => {
      const ended = await runExample(program ?? '', 'coordinator', {});
      const lines = ended.output.trimEnd().split('\n');
      expect(lines[0]).toBe('tools of the coordinator: TaskStop, Agent, SendMessage');
      // Either worker may be first.
      expect(lines.slice(1, 3).toSorted()).toEqual([
        'Read coordinator.js: I have read coordinator.js',
        'Read package.json: I have read package.json',
      ]);
      expect(lines.at(-1)).toBe('Both files are read.');
      expect(ended.code).toBe(0);
    },
  );
}

const compilerFlags = [
  '--noEmit',
  '--strict',
  '--target',
  'esnext',
  '--module',
  'nodenext',
  '--moduleResolution',
  'nodenext',
  '--types',
  'node',
  '--typeRoots',
  join(repository, 'node_modules', '@types'),
  '--skipLibCheck',
];

/** A directory in which `cadre` resolves to what was built here, and `zod` to what it was built with. */
function installLibrary(): string {
  const project = temporaryDirectory().path;
  mkdirSync(join(project, 'node_modules'));
  symlinkSync(repository, join(project, 'node_modules', 'cadre'));
  symlinkSync(join(repository, 'node_modules', 'zod'), join(project, 'node_modules', 'zod'));
  writeFileSync(join(project, 'package.json'), '{ "type": "module" }');
  return project;
}

async function runExample(program: string, name: string, environment: Record<string, string>) {
  const project = installLibrary();
  const code = new Bun.Transpiler({ loader: 'ts' }).transformSync(read(`examples/${name}.ts`));
  writeFileSync(join(project, `${name}.js`), code);
  const child = spawn(program, [`${name}.js`], {
    cwd: project,
    env: { PATH: process.env.PATH, HOME: project, CADRE_HOME: join(project, 'home'), ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk: Buffer) => {
      output += chunk;
    });
  return new Promise<{ code: number | null; output: string }>((resolve) =>
    child.once('close', (code) => resolve({ code, output })),
  );
}

/** The one on the path if it is new enough, else the one that `npm run setup:test` fetched. */
function findNode(): string | undefined {
  const fetched = join(
    repository,
    'node_modules',
    '.cache',
    'cadre-node',
    'node_modules',
    'node',
    'bin',
    'node',
  );
  return ['node', fetched].find((program) => {
    const { stdout } = spawnSync(program, ['--print', 'parseInt(process.versions.node)'], {
      encoding: 'utf8',
    });
    return Number(stdout) >= 22;
  });
}

function read(path: string): string {
  return readFileSync(join(repository, path), 'utf8');
}
