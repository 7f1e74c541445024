import { visibleLine } from '../../lib/text/text.ts';
import type { Surroundings } from '../../session/surroundings.ts';
import { lookAround } from '../../session/surroundings.ts';
import type { ValueKind } from '../table/flag.ts';
import type { Choice, WordPlace } from './find-place.ts';

/** Kinds that this program looks up; files are the shell's own. */
export type FoundKind = Exclude<ValueKind, 'file' | 'directory'>;

/** Only names are read: no provider is asked, no program started, and nothing of a repository is run. */
export async function findValues(kind: FoundKind, given: WordPlace['given']): Promise<Choice[]> {
  const around = lookAround({});
  const found = await finders[kind](around, given);
  return found.map(({ value, about }) => ({ value, about: visibleLine(about, 80) }));
}

type Finder = (around: Surroundings, given: WordPlace['given']) => Promise<Choice[]>;

const maxSessions = 30;
const maxRuns = 30;
/** A transcript is read as a whole for its tasks, and Tab must not take seconds. */
const maxTranscriptBytes = 8 * 1024 * 1024;

const finders: Readonly<Record<FoundKind, Finder>> = {
  agent: findAgents,
  'board-item': findItems,
  member: findMembers,
  model: async ({ home }) => {
    const { readListed } = await import('../../models/listed-models.ts');
    return readListed(home).map(({ name, about }) => ({ value: name, about }));
  },
  page: async () => (await import('../help/list-pages.ts')).listPages(),
  proposal: findProposals,
  provider: findProviders,
  run: findRuns,
  record: async (around) => [...(await findSessions(around)), ...(await findRuns(around))],
  server: findServers,
  session: findSessions,
  task: findTasks,
  team: async ({ home, machine }) => {
    const { listTeams } = await import('../../team/team-record.ts');
    return listTeams(home, machine).teams.map(({ name, description = '', endedAt }) => ({
      value: name,
      about: endedAt === undefined ? description : 'ended',
    }));
  },
  workflow: findWorkflows,
  worktree: findWorktrees,
};

async function findAgents({ cwd, root, home, userHome }: Surroundings): Promise<Choice[]> {
  const { loadAgents } = await import('../../agents/definitions/load-agents.ts');
  // Nothing is stored: pressing Tab leaves no files behind.
  const { definitions } = await loadAgents({ cwd, root, home, userHome, later: () => {} });
  return definitions.map(({ name, description }) => ({ value: name, about: description }));
}

async function findSessions({ layout, cwd }: Surroundings): Promise<Choice[]> {
  const { listSessions } = await import('../../store/sessions.ts');
  const here = await listSessions(layout, cwd, maxSessions);
  const found = here.length > 0 ? here : await listSessions(layout, undefined, maxSessions);
  return found.map(({ id, title }) => ({ value: id, about: title }));
}

async function findTasks(around: Surroundings, given: WordPlace['given']): Promise<Choice[]> {
  const { findSession, latestSession } = await import('../../store/sessions.ts');
  const { readTasks } = await import('../../store/task-records.ts');
  const named = given.get('--session');
  const found = named === undefined ? undefined : await findSession(around.layout, named);
  const session = found?.ok ? found.value : await latestSession(around.layout, around.cwd);
  const size = session && around.machine.disk.stat(session.path)?.size;
  if (!session || size === undefined || size > maxTranscriptBytes) return [];
  const read = await readTasks(session.path);
  if (!read.ok) return [];
  return read.value
    .toReversed()
    .map(({ task: { id, description, status } }) => ({ value: id, about: `${status}: ${description}` }));
}

async function findRuns({ home, machine }: Surroundings): Promise<Choice[]> {
  const { listNewestRuns } = await import('../../workflows/list-runs.ts');
  const { locateRuns } = await import('../../workflows/read-journal.ts');
  const runs = await listNewestRuns(locateRuns(home), machine, maxRuns);
  return runs.map(({ runId, name, status }) => ({ value: runId, about: `${name}, ${status}` }));
}

async function findWorkflows(around: Surroundings): Promise<Choice[]> {
  const { findScripts } = await import('../../workflows/find-scripts.ts');
  const { openTrust } = await import('../../settings/trust.ts');
  const { builtInPrograms } = await import('../../session/workflows/programs.ts');
  const { cwd, root, home, userHome } = around;
  const { scripts } = findScripts({ cwd, root, home, userHome }, openTrust({ home, root }));
  const own = Object.entries(builtInPrograms).flatMap(([value, { about }]) =>
    about === undefined ? [] : [{ value, about }],
  );
  return [...own, ...scripts.map(({ meta }) => ({ value: meta.name, about: meta.description }))];
}

async function findWorktrees({ home, mainRoot }: Surroundings): Promise<Choice[]> {
  const { listRecords } = await import('../../workspace/worktrees/record.ts');
  const { formatIdentity } = await import('../../workspace/worktrees/identity.ts');
  const records = listRecords(home).filter(({ main }) => main === mainRoot);
  return records.map((record) => {
    const isAlone = records.filter(({ slug }) => slug === record.slug).length === 1;
    return { value: isAlone ? record.slug : formatIdentity(record), about: record.title ?? '' };
  });
}

async function findMembers(around: Surroundings, given: WordPlace['given']): Promise<Choice[]> {
  const { findTeam } = await import('../mail/find-team.ts');
  const { openMembers } = await import('../../team/members.ts');
  const team = findTeam(around, given.get('--team'));
  if (!team.ok) return [];
  const members = openMembers(team.value, around.machine, around.clock).list();
  return members.map(({ name, state }) => ({ value: name, about: state }));
}

async function findItems(around: Surroundings, given: WordPlace['given']): Promise<Choice[]> {
  const { findBoard } = await import('../board/find-board.ts');
  const which = { team: given.get('--team'), session: given.get('--session') };
  const found = await findBoard(around, which, () => {});
  if (!found.ok) return [];
  return found.value.board
    .list()
    .filter(({ status }) => status !== 'completed')
    .map(({ id, subject }) => ({ value: id, about: subject }));
}

async function findProviders({ home }: Surroundings): Promise<Choice[]> {
  const { isLocalName, providerNames } = await import('../../models/providers/providers.ts');
  const { openProviderDirectory } = await import('../../models/providers/directory.ts');
  const added = openProviderDirectory(home).list();
  return [
    ...providerNames.filter((name) => !isLocalName(name)).map((value) => ({ value, about: '' })),
    ...(added.ok ? added.value.map(({ name, package: about }) => ({ value: name, about })) : []),
  ];
}

async function findServers(): Promise<Choice[]> {
  const { openMcpAdmin } = await import('../mcp/admin.ts');
  const admin = await openMcpAdmin();
  if (!admin.ok) return [];
  return admin.value.found.servers.map(({ name, source }) => ({ value: name, about: source }));
}

async function findProposals(around: Surroundings): Promise<Choice[]> {
  const { findDreams } = await import('../../session/dreams/proposals.ts');
  const { listProposals } = await import('../../knowledge/dream-files.ts');
  const { proposals } = await listProposals(findDreams(around));
  return proposals.map(({ id, state }) => ({ value: id, about: state }));
}
