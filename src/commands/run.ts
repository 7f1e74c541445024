import { complain } from '../headless/complain.ts';
import { processIo } from '../headless/process-io.ts';
import type { Result } from '../lib/result.ts';
import type { RipgrepSource } from '../tools/search/ripgrep.ts';
import type { CompletedShell } from './complete/request.ts';
import { findLongPath } from './directory.ts';
import type { CommandPath, commandTable, FlagsOf } from './table/commands.ts';

/** A command that runs something, not a group. */
export type RunPath = {
  [Path in CommandPath]: (typeof commandTable)[Path] extends { isGroup: true } ? never : Path;
}[CommandPath];

/** The exit code, or what is left to print. */
type Ended = number | Result<string>;

type Runs = {
  [Path in RunPath]: (words: string[], flags: FlagsOf<Path>, ripgrep: RipgrepSource) => Promise<Ended>;
};

/** Runs a command. Each is loaded only when it is called. */
export async function runCommand<Path extends RunPath>(
  path: Path,
  words: string[],
  flags: FlagsOf<Path>,
  ripgrep: RipgrepSource,
): Promise<number> {
  const long = withoutDirectory.has(path) ? undefined : findLongPath();
  if (long) return complain(processIo(), long);
  if (!withoutHome.has(path)) {
    const { checkHome, lookAround } = await import('../session/surroundings.ts');
    const home = checkHome(lookAround({}));
    if (!home.ok) return complain(processIo(), home.problem);
  }
  const ended = await runs[path](words, flags, ripgrep);
  if (typeof ended === 'number') return ended;
  if (!ended.ok) return complain(processIo(), ended.problem);
  return ended.value === '' || (await processIo().writeOut(ended.value)) ? 0 : 1;
}

const withoutDirectory: ReadonlySet<string> = new Set<RunPath>(['demo', 'completions', 'man']);

/** The doctor reports on it; the others have nothing to do with it. */
const withoutHome: ReadonlySet<string> = new Set<RunPath>(['doctor', 'demo', 'completions', 'man']);

const board = () => import('./board/board.ts');
const handoff = () => import('./handoff/handoff.ts');
const mcp = () => import('./mcp/mcp.ts');
const providers = () => import('./models/providers.ts');
const workflowRuns = () => import('./workflow/list-runs.ts');
const tasks = () => import('./tasks/tasks.ts');
const team = () => import('./team/team.ts');
const worktree = () => import('./worktree/worktree.ts');

const runs: Runs = {
  setup: async () => (await import('./models/setup.ts')).setUp(),
  demo: async ([story], flags, ripgrep) => (await import('./demo/start.ts')).startDemo(story, flags, ripgrep),
  doctor: async (_, flags, ripgrep) => (await import('./doctor/doctor.ts')).examine(flags, ripgrep),
  models: async (_, flags) => (await import('./models/models.ts')).printModels(flags),
  'key set': async (words) => (await import('./models/key.ts')).manageKey('set', words),
  'key list': async (words) => (await import('./models/key.ts')).manageKey('list', words),
  'key remove': async (words) => (await import('./models/key.ts')).manageKey('remove', words),
  'providers add': async (words, flags) => (await providers()).manageProviders('add', words, flags),
  'providers list': async (words, flags) => (await providers()).manageProviders('list', words, flags),
  'providers remove': async (words, flags) => (await providers()).manageProviders('remove', words, flags),
  run: async (words, flags, ripgrep) =>
    (await import('./workflow/run-workflow.ts')).runWorkflow(words, flags, ripgrep),
  'workflows list': async (_, flags) => (await import('./workflow/list-workflows.ts')).listWorkflows(flags),
  'workflows runs': async (_, flags) => (await workflowRuns()).listRuns(flags),
  'workflows show': async ([run = ''], flags) => (await workflowRuns()).showRun(run, flags),
  sessions: async (_, flags) => (await import('./sessions/sessions.ts')).printSessions(flags),
  attach: async ([session], flags) => (await import('./attach/attach.ts')).attach(session, flags),
  move: async ([session = ''], flags) => (await import('./attach/move.ts')).moveSession(session, flags),
  'sessions rewind': async ([session = ''], flags) =>
    (await import('./rewind/rewind.ts')).rewindSession(session, flags),
  verify: async ([run = ''], flags) => (await import('./sessions/verify.ts')).verify(run, flags),
  checks: async (names, flags) => (await import('./checks.ts')).runProjectChecks(names, flags),
  cost: async ([session], flags) => (await import('./sessions/cost.ts')).printCost(session, flags),
  'tasks list': async (words, flags) => (await tasks()).manageTasks('list', words, flags),
  'tasks show': async (words, flags) => (await tasks()).manageTasks('show', words, flags),
  'tasks output': async (words, flags) => (await tasks()).manageTasks('output', words, flags),
  'tasks follow': async (words, flags) => (await tasks()).manageTasks('follow', words, flags),
  'tasks stop': async (words, flags) => (await tasks()).manageTasks('stop', words, flags),
  'team list': async (_, flags) => (await team()).printTeams(flags),
  'team show': async ([name], flags) => (await team()).showTeam(name, flags),
  'team waits': async ([name], flags) => (await team()).printWaits(name, flags),
  'team join': async ([name], flags, ripgrep) =>
    (await import('./team/join-team.ts')).joinTeam(name, flags, ripgrep),
  'team end': async ([name], flags) => (await import('./team/end-team.ts')).endTeam(name, flags),
  'board list': async (words, flags) => (await board()).manageBoard('list', words, flags),
  'board ready': async (words, flags) => (await board()).manageBoard('ready', words, flags),
  'board show': async (words, flags) => (await board()).manageBoard('show', words, flags),
  'board add': async (words, flags) => (await board()).manageBoard('add', words, flags),
  'board claim': async (words, flags) => (await board()).manageBoard('claim', words, flags),
  'board done': async (words, flags) => (await board()).manageBoard('done', words, flags),
  'board graph': async (words, flags) => (await board()).manageBoard('graph', words, flags),
  'mail send': async ([to = '', ...words], flags) =>
    (await import('./mail/send-mail.ts')).sendMail(to, words, flags),
  'mail read': async ([box], flags) => (await import('./mail/read-mail.ts')).readMail(box, flags),
  'mail watch': async ([box], flags) => (await import('./mail/watch-mail.ts')).watchMail(box, flags),
  'mail status': async ([id], flags) => (await import('./mail/mail-status.ts')).printMailStatus(id, flags),
  'handoff templates': async (_, flags) => (await handoff()).listHandoffFiles('templates', flags),
  'handoff profiles': async (_, flags) => (await handoff()).listHandoffFiles('profiles', flags),
  'handoff show': async ([name = ''], flags) => (await handoff()).showHandoffFile(name, flags),
  'handoff schema': async ([name]) => (await handoff()).printHandoffSchema(name),
  'handoff init': async (_, flags) => (await handoff()).initHandoffFiles(flags),
  agents: async ([action, name], flags, ripgrep) =>
    (await import('./definitions/agents.ts')).printAgents(action, name, flags, ripgrep),
  skills: async (_, flags) => (await import('./definitions/skills.ts')).printSkills('skill', flags),
  commands: async (_, flags) => (await import('./definitions/skills.ts')).printSkills('command', flags),
  hooks: async (_, flags) => (await import('./definitions/hooks.ts')).printHooks(flags),
  dream: async ([action, id], flags, ripgrep) =>
    (await import('./dream.ts')).manageDreams(action, id, flags, ripgrep),
  'mcp list': async (words, flags) => (await mcp()).manageMcp('list', words, flags),
  'mcp add': async (words, flags) => (await mcp()).manageMcp('add', words, flags),
  'mcp remove': async (words, flags) => (await mcp()).manageMcp('remove', words, flags),
  'mcp test': async (words, flags) => (await mcp()).manageMcp('test', words, flags),
  'mcp login': async (words, flags) => (await mcp()).manageMcp('login', words, flags),
  why: async ([call], flags, ripgrep) => (await import('./why/why.ts')).explainCall(call, flags, ripgrep),
  trust: async ([directory], flags) => (await import('./trust/trust.ts')).manageTrust(directory, flags),
  audit: async (_, flags) => (await import('./sessions/audit.ts')).printAudit(flags),
  'worktree list': async (names, flags) => (await worktree()).manageWorktrees('list', names, flags),
  'worktree diff': async (names, flags) => (await worktree()).manageWorktrees('diff', names, flags),
  'worktree forecast': async (names, flags) => (await worktree()).manageWorktrees('forecast', names, flags),
  'worktree land': async (names, flags) => (await worktree()).manageWorktrees('land', names, flags),
  'worktree return': async (words, flags) => (await worktree()).manageWorktrees('return', words, flags),
  'worktree pr': async (names, flags) => (await worktree()).manageWorktrees('pr', names, flags),
  'worktree drop': async (names, flags) => (await worktree()).manageWorktrees('drop', names, flags),
  'worker run': async (_, flags) => (await import('./worker/run-worker.ts')).runWorker(flags),
  'worker doctor': async (_, flags) => (await import('./worker/worker-doctor.ts')).examineWorker(flags),
  'worker key': async () => (await import('./worker/worker-keys.ts')).printKey(),
  'worker trust': async ([key = '', ...note]) =>
    (await import('./worker/worker-keys.ts')).acceptKey(key, note),
  'worker prepare': async (_, flags) => (await import('./worker/prepare.ts')).prepare(flags),
  workers: async (_, flags) => (await import('./worker/list-workers.ts')).printWorkers(flags),
  completions: async ([shell]) =>
    (await import('./complete/completions.ts')).printCompletions(shell as CompletedShell),
  man: async ([page], flags) => (await import('./help/man.ts')).printManual(page, flags),
};
