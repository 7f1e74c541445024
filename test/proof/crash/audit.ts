import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { findOwned } from '../../../src/lib/processes/process.ts';
import type { TaskRecord, TranscriptRecord } from '../../../src/protocol/index.ts';
import { readAnchors } from '../../../src/store/anchors/anchors.ts';
import { LineChain } from '../../../src/store/anchors/line-chain.ts';
import { leadFile } from '../../../src/store/anchors/record-chain.ts';
import { locateAnchors } from '../../../src/store/layout.ts';
import { readWork, type Scene } from './scenes.ts';

/** Transcripts by their paths, as far as their lines are whole: what is there was acknowledged. */
export type Acknowledged = ReadonlyMap<string, string>;

export function readAcknowledged({ home }: Scene): Acknowledged {
  const projects = join(home, 'projects');
  const names = existsSync(projects) ? readdirSync(projects, { recursive: true, encoding: 'utf8' }) : [];
  return new Map(
    names.filter(isTranscript).map((name) => {
      const text = readFileSync(join(projects, name), 'latin1');
      return [join(projects, name), text.slice(0, text.lastIndexOf('\n') + 1)];
    }),
  );
}

function isTranscript(name: string): boolean {
  return /(?:^|\/)(?:agent-\w+|[0-9a-f-]{36})\.jsonl$/.test(name);
}

export interface Faults {
  lost: string[];
  doubled: string[];
  repeated: string[];
  unreported: string[];
  differing: string[];
  left: string[];
  /** A crash is not tampering: no anchor may say so. */
  alarms: string[];
}

/** What is wrong after a crash and one start. `wanted`: the files of a run that nothing disturbed. */
export function audit(
  scene: Scene,
  acknowledged: Acknowledged,
  wanted: Readonly<Record<string, string>>,
): Faults {
  const now = readAcknowledged(scene);
  const transcripts = [...now].map(
    ([path, text]): Transcript => [basename(path, '.jsonl'), readRecords(text)],
  );
  return {
    lost: [...acknowledged].filter(([path, text]) => !now.get(path)?.startsWith(text)).map(([path]) => path),
    doubled: transcripts.flatMap(findDoubled),
    repeated: findRepeated(Object.values(readWork(scene)).flatMap((text) => text.match(/mark-\S+/g) ?? [])),
    unreported: findUnreported(transcripts),
    differing: compareFiles(withoutMarks(readWork(scene)), wanted),
    left: [...findLeftFiles(scene), ...findLeftProcesses(transcripts)],
    alarms: [...now].flatMap(([path]) => findAlarms(scene, path)),
  };
}

/** Anchors that the file contradicts. Of a file without any, such as one that a kill left before the first, nothing can be said. */
function findAlarms({ home }: Scene, path: string): string[] {
  const name = basename(path);
  const isAgent = name.startsWith('agent-');
  const session = isAgent ? basename(dirname(dirname(path))) : name.replace(/\.jsonl$/, '');
  const bytes = readFileSync(path);
  const file = isAgent ? name : leadFile;
  return readAnchors(locateAnchors(home, session))
    .filter((anchor) => anchor.file === file)
    .filter(({ from, bytes: end, hash }) => {
      const chain = new LineChain(from);
      chain.push(bytes.subarray(from, end));
      return chain.point.hash !== hash || end > bytes.length;
    })
    .map(({ bytes: end }) => `${name} is not what the anchor at ${end} says`);
}

type Transcript = readonly [name: string, records: readonly TranscriptRecord[]];

function readRecords(text: string): TranscriptRecord[] {
  return text
    .split('\n')
    .filter((line) => line !== '')
    .flatMap((line) => {
      try {
        return [JSON.parse(line) as TranscriptRecord];
      } catch {
        // Half a line, which the next record closed off.
        return [];
      }
    });
}

/** Without what differs between two runs. */
export function withoutMarks(files: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(files).map(([name, text]) => [name, text.replaceAll(/ mark-\S+/g, '')]),
  );
}

function compareFiles(
  found: Readonly<Record<string, string>>,
  wanted: Readonly<Record<string, string>>,
): string[] {
  const names = new Set([...Object.keys(found), ...Object.keys(wanted)]);
  return [...names]
    .filter((name) => found[name] !== wanted[name])
    .map((name) => `${name}: ${JSON.stringify(found[name])} instead of ${JSON.stringify(wanted[name])}`);
}

function findRepeated(values: readonly string[]): string[] {
  return [...new Set(values.filter((value, index) => values.indexOf(value) !== index))];
}

/** Copies that a compaction keeps are meant. */
function findDoubled([name, records]: Transcript): string[] {
  const originals = records.filter((record) => !('copyOf' in record));
  const uuids = originals.flatMap((record) =>
    'uuid' in record && record.type !== 'rewind' ? [record.uuid] : [],
  );
  return [...findRepeated(uuids), ...findRepeated(listAnswered(originals))].map((id) => `${name}: ${id}`);
}

function listAnswered(records: readonly TranscriptRecord[]): string[] {
  return records.flatMap((record) =>
    record.type === 'user'
      ? record.message.content.flatMap((block) => (block.type === 'tool_result' ? [block.tool_use_id] : []))
      : [],
  );
}

/** Every run of an agent reaches whoever started it exactly once, and every agent that asked a model has one. */
function findUnreported(transcripts: readonly Transcript[]): string[] {
  const newest = new Map<string, TaskRecord>();
  for (const [, records] of transcripts)
    for (const record of records) if (record.type === 'task-state') newest.set(record.task.runId, record);
  const runs = [...newest.values()].filter(({ task }) => task.kind === 'local_agent');
  const agents = transcripts.filter(([name]) => name.startsWith('agent-'));
  return [
    ...runs.flatMap(({ task, end }) => {
      const owner = task.owner === null ? findLead(transcripts) : `agent-${task.owner}`;
      const [, records = []] = transcripts.find(([name]) => name === owner) ?? [];
      const times = task.isBackgrounded
        ? records.filter(
            ({ ...record }) =>
              record.type === 'user' &&
              !('copyOf' in record && record.copyOf) &&
              record.origin.kind === 'task-notification' &&
              record.origin.runId === task.runId,
          ).length
        : listAnswered(records.filter((record) => !('copyOf' in record))).filter(
            (id) => id === task.toolUseId,
          ).length;
      const how = task.isBackgrounded ? 'told' : 'answered';
      return times === 1 ? [] : [`${task.description} (${end?.status ?? 'no end'}): ${how} ${times} times`];
    }),
    ...agents
      .filter(([, records]) => records.some(({ type }) => type === 'assistant'))
      .filter(([name]) => !runs.some(({ task }) => `agent-${task.id}` === name))
      .map(([name]) => `${name} has no task`),
  ];
}

/** Killed before anything was asked, a session has a header and nothing else. */
function findLead(transcripts: readonly Transcript[]): string | undefined {
  const leads = transcripts.filter(([name]) => !name.startsWith('agent-'));
  return leads.toSorted(([, one], [, other]) => other.length - one.length)[0]?.[0];
}

/** Folders of which every entry belongs to something that runs. */
const fleeting = ['running', 'sockets', 'pipes', 'confined', 'sandboxes', 'looks', 'landing', 'replays'];

function findLeftFiles({ top, home, work }: Scene): string[] {
  const all = readdirSync(home, { recursive: true, encoding: 'utf8' });
  const git = join(work, '.git');
  const inGit = existsSync(git) ? readdirSync(git, { recursive: true, encoding: 'utf8' }) : [];
  const trees = join(work, '.cadre', 'worktrees');
  return [
    ...all.filter((name) => fleeting.some((folder) => name.startsWith(`${folder}/`))),
    ...all.filter((name) => /\.(?:tmp|new|dead|lock)(?:\.|$)|\.self-test|\/sandbox$|\.cwd$/.test(name)),
    ...all.filter((name) => /^(?:self-test-|\.cadre-)/.test(name)),
    ...inGit.filter((name) => /\.lock(?:\.|$)|^cadre-landing\//.test(name)),
    ...(existsSync(trees) ? readdirSync(trees).map((name) => `worktree ${name}`) : []),
    ...[top, work].flatMap((place) => readdirSync(place).filter((name) => /^\.cadre-|\.tmp$/.test(name))),
    ...all.filter((name) => /^worktrees\/.*\.json/.test(name)),
  ];
}

function findLeftProcesses(transcripts: readonly Transcript[]): string[] {
  const owner = findLead(transcripts);
  return owner === undefined ? [] : findOwned({ owner }).map(({ pid }) => `process ${pid}`);
}
