import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { loadSkills } from '../../src/knowledge/load-skills.ts';
import { projectMemory } from '../../src/knowledge/memory.ts';
import { findNamedFiles, readNamedFiles } from '../../src/knowledge/named-files.ts';
import { openSkill } from '../../src/knowledge/open-skill.ts';
import { encodeBytePath, readFileIdentity } from '../../src/landing/moving/byte-path.ts';
import { locateStaging } from '../../src/landing/moving/journal.ts';
import { placeFiles } from '../../src/landing/moving/place.ts';
import { systemClock } from '../../src/lib/clock.ts';
import { ok } from '../../src/lib/result.ts';
import { SyncBatch } from '../../src/lib/sync-batch.ts';
import { textOf } from '../../src/protocol/message.ts';
import {
  errorResult,
  type FileState,
  type Tool,
  type ToolContext,
  type ToolResult,
} from '../../src/protocol/tool.ts';
import { openTrust } from '../../src/settings/trust.ts';
import { forgetBytes, lookAt } from '../../src/store/files/present-file.ts';
import { putBack } from '../../src/store/files/put-back.ts';
import { coreTools, installedRipgrep } from '../../src/tools/index.ts';
import { isWithin } from '../../src/workspace/paths.ts';
import { resolveRealPath } from '../../src/workspace/real-path.ts';
import { type RaceGround, secret } from './race-ground.ts';

/** One call of something that opens files. Gives all that could reach a model. */
export interface Racer {
  name: string;
  /** Many times slower than others: it is asked less often in the reduced form. */
  isSlow?: boolean;
  run(ground: RaceGround, turn: number): Promise<string>;
}

/** Said of a call that never began, since its path led out of the workspace when it was judged. */
export const denied = 'Permission denied.';

const tools = coreTools(installedRipgrep(), '/nonexistent');

export const racers: readonly Racer[] = [
  calling('Read', (turn) => ({ file_path: turn % 2 ? 'f.txt' : 'd/a.txt' })),
  {
    name: 'Write',
    async run(ground, turn) {
      const name = ['f.txt', 'd/a.txt', 'h.txt', `d/new-${turn}/x.txt`][turn % 4] ?? '';
      const files = new Map<string, FileState>();
      const read = await call('Read', { file_path: name }, ground, files);
      const wrote = await call('Write', { file_path: name, content: 'needle public\n' }, ground, files);
      if (name.includes('new-'))
        rmSync(join(ground.workspace, 'd', `new-${turn}`), { recursive: true, force: true });
      return `${textOf(read.content)}${textOf(wrote.content)}`;
    },
  },
  changing('Edit', (turn) => {
    const file_path = ['f.txt', 'd/a.txt', 'h.txt'][turn % 3] ?? '';
    const [old_string, new_string] =
      turn % 2 ? ['needle public', 'needle, public'] : ['needle, public', 'needle public'];
    return [file_path, { file_path, old_string, new_string }];
  }),
  changing('NotebookEdit', () => [
    'd/n.ipynb',
    { notebook_path: 'd/n.ipynb', cell_number: 1, new_source: 'public', edit_mode: 'replace' },
  ]),
  {
    ...calling('Grep', () => ({ pattern: 'needle', output_mode: 'content' })),
    name: 'Grep content',
    isSlow: true,
  },
  searching('count', 'Grep count'),
  searching('files_with_matches', 'Grep files'),
  {
    ...calling('Grep', () => ({ pattern: 'needle', path: 'd/a.txt', output_mode: 'content' })),
    name: 'Grep one file',
  },
  { ...calling('Glob', () => ({ pattern: '**/*' })), isSlow: true },
  {
    name: '@file',
    async run(ground) {
      const cwd = ground.workspace;
      const named = findNamedFiles('Look at @f.txt and @d/a.txt', cwd, '/nonexistent');
      const read = (path: string) => call('Read', { file_path: path }, ground);
      const hands = { cwd, userHome: '/nonexistent', read, run: async () => errorResult('none') };
      return (await readNamedFiles(named, hands)).texts.join('\n');
    },
  },
  {
    name: 'memory import',
    async run({ workspace }) {
      const { files } = await projectMemory({ ...placesOf(workspace) });
      return files.map(({ text }) => text).join('\n');
    },
  },
  {
    name: 'skill',
    async run({ workspace }) {
      const { skills } = await loadSkills(placesOf(workspace));
      const [skill] = skills;
      if (!skill) return '';
      const trust = openTrust({ home: join(workspace, '.home'), root: workspace });
      const opened = await openSkill(skill, { root: workspace, cwd: workspace, trust });
      return `${skill.description}\n${opened.ok ? opened.value.body : ''}`;
    },
  },
  { name: 'landing', run: land },
  {
    name: 'rewind',
    async run({ workspace }, turn) {
      const path = join(workspace, turn % 2 ? 'f.txt' : 'd/a.txt');
      const seen = lookAt(path);
      const batch = new SyncBatch();
      const wanted = { bytes: Buffer.from('needle public\n'), mode: 0o644 };
      const back = putBack(path, forgetBytes(seen), wanted, batch);
      await batch.flush();
      const was = seen.kind === 'file' ? Buffer.from(seen.bytes).toString('utf8') : '';
      return back.ok ? was : '';
    },
  },
];

/** The old way: a path is judged, and then opened by its name. */
export const careless: Racer = {
  name: 'by name',
  async run({ workspace }, turn) {
    const path = join(workspace, turn % 2 ? 'f.txt' : 'd/a.txt');
    if (!isWithin(resolveRealPath(path), workspace)) return denied;
    try {
      return readFileSync(path, 'utf8');
    } catch {
      return '';
    }
  },
};

function calling(name: string, input: (turn: number) => object): Racer {
  return { name, run: async (ground, turn) => textOf((await call(name, input(turn), ground)).content) };
}

/**
 * A search that shows names and numbers only. Every second one is for what no file of the workspace holds: whatever that
 * finds was read outside.
 */
function searching(mode: string, name: string): Racer {
  return {
    name,
    isSlow: true,
    async run(ground, turn) {
      const isForSecret = turn % 2 === 0;
      const input = { pattern: isForSecret ? secret : 'public', output_mode: mode };
      const text = textOf((await call('Grep', input, ground)).content);
      return isForSecret && /^\S+\.\w+(?::\d+)?$/m.test(text) ? `${secret} in ${text}` : text;
    },
  };
}

/** Reads the file first, as an agent must. */
function changing(name: string, input: (turn: number) => [path: string, input: object]): Racer {
  return {
    name,
    async run(ground, turn) {
      const [path, change] = input(turn);
      const files = new Map<string, FileState>();
      const read = await call('Read', { file_path: path }, ground, files);
      const changed = await call(name, change, ground, files);
      return `${textOf(read.content)}${textOf(changed.content)}`;
    },
  };
}

/** Puts a new file into the directory that is swapped, as a landing does, and takes it away again. */
async function land({ workspace }: RaceGround, turn: number): Promise<string> {
  const path = `d/landed-${turn}`;
  const ground = { top: workspace, common: join(workspace, '.landing'), id: `t${turn}` };
  const staged = join(locateStaging(ground), 'new', path);
  mkdirSync(dirname(staged), { recursive: true });
  writeFileSync(staged, 'public\n');
  const side = { mode: '100644', blob: '', identity: readFileIdentity(encodeBytePath(staged)) ?? '' };
  const placed = await placeFiles({ ...ground, files: [{ path, new: side }] }, true);
  rmSync(join(workspace, path), { force: true });
  rmSync(locateStaging(ground), { recursive: true, force: true });
  return placed.ok && placed.value.length === 0 ? 'public' : '';
}

/** Judged as the loop judges it: all that lies in the workspace, by where it leads at that moment, may be touched. */
async function call(
  name: string,
  input: object,
  { workspace }: RaceGround,
  files = new Map<string, FileState>(),
): Promise<ToolResult> {
  const tool = tools.find((one): one is Tool => one.name === name);
  if (!tool) throw new Error(name);
  const parsed = tool.schema.parse(input);
  const paths = tool.access(parsed, workspace).flatMap((access) => ('path' in access ? [access.path] : []));
  const judged = new Map(paths.map((path) => [path, resolveRealPath(path)]));
  if ([...judged.values()].some((real) => !isWithin(real, workspace))) return errorResult(denied);
  const context = contextIn(workspace, (path) => judged.get(path), files);
  const running = tool.run(parsed, context);
  for (;;) {
    const step = await running.next();
    if (step.done) return step.value;
  }
}

function contextIn(
  workspace: string,
  judged: ToolContext['judged'],
  files: Map<string, FileState>,
): ToolContext {
  const context: Partial<ToolContext> = {
    ...{ agentId: null, toolUseId: 'toolu_race', signal: new AbortController().signal, clock: systemClock },
    directory: { root: workspace, current: workspace, move() {} },
    ...{ judged, mayRead: () => true, unseen: true },
    files: { get: (path) => files.get(path), set: (path, state) => void files.set(path, state) },
    history: { keep: async () => ok(undefined) },
  };
  return context as ToolContext;
}

function placesOf(workspace: string) {
  const home = join(workspace, '.home');
  return { cwd: workspace, root: workspace, home, userHome: home };
}
