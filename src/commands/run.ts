import { complain } from '../headless/complain.ts';
import { processIo } from '../headless/process-io.ts';
import type { RipgrepSource } from '../tools/search/ripgrep.ts';
import type { CompletedShell } from './complete/request.ts';
import { findLongPath } from './directory.ts';
import type { CommandPath, commandTable, FlagsOf } from './table/commands.ts';

/** A command that runs something, not a group. */
export type RunPath = {
  [Path in CommandPath]: (typeof commandTable)[Path] extends { isGroup: true } ? never : Path;
}[CommandPath];

type Runs = {
  [Path in RunPath]: (words: string[], flags: FlagsOf<Path>, ripgrep: RipgrepSource) => Promise<number>;
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
  return runs[path](words, flags, ripgrep);
}

const withoutDirectory: ReadonlySet<string> = new Set<RunPath>(['demo', 'completions', 'man']);

/** The doctor reports on it; the others have nothing to do with it. */
const withoutHome: ReadonlySet<string> = new Set<RunPath>(['doctor', 'demo', 'completions', 'man']);

const runs: Runs = {
  setup: async () => (await import('./setup/setup.ts')).setUp(),
  demo: async ([story], flags, ripgrep) => (await import('./demo/start.ts')).startDemo(story, flags, ripgrep),
  doctor: async (_, flags, ripgrep) => (await import('./doctor.ts')).examine(flags, ripgrep),
  models: async (_, flags) => (await import('./models.ts')).printModels(flags),
  'key set': async ([provider]) => (await import('./key.ts')).manageKey('set', provider),
  'key list': async () => (await import('./key.ts')).manageKey('list'),
  'key remove': async ([provider]) => (await import('./key.ts')).manageKey('remove', provider),
  'providers add': async ([name], flags) =>
    (await import('./providers.ts')).manageProviders('add', name, flags),
  'providers list': async (_, flags) =>
    (await import('./providers.ts')).manageProviders('list', undefined, flags),
  'providers remove': async ([name], flags) =>
    (await import('./providers.ts')).manageProviders('remove', name, flags),
  run: async (words, flags, ripgrep) =>
    (await import('./workflow/run-workflow.ts')).runWorkflow(words, flags, ripgrep),
  'workflows list': async (_, flags) => (await import('./workflow/list-workflows.ts')).listWorkflows(flags),
  'workflows runs': async (_, flags) => (await import('./workflow/list-runs.ts')).listRuns(flags),
  'workflows show': async ([run = ''], flags) =>
    (await import('./workflow/list-runs.ts')).showRun(run, flags),
  sessions: async (_, flags) => (await import('./sessions.ts')).printSessions(flags),
  attach: async ([session], flags) => (await import('./attach/attach.ts')).attach(session, flags),
  move: async ([session = ''], flags) => (await import('./attach/move.ts')).moveSession(session, flags),
  'sessions rewind': async ([session = ''], flags) =>
    (await import('./rewind/rewind.ts')).rewindSession(session, flags),
  verify: async ([run = ''], flags) => (await import('./verify.ts')).verify(run, flags),
  checks: async (names, flags) => (await import('./checks.ts')).runProjectChecks(names, flags),
  cost: async ([session], flags) => (await import('./cost.ts')).printCost(session, flags),
  'tasks list': async (_, flags) => (await import('./tasks/tasks.ts')).manageTasks('list', '', flags),
  'tasks show': async ([id = ''], flags) => (await import('./tasks/tasks.ts')).manageTasks('show', id, flags),
  'tasks output': async ([id = ''], flags) =>
    (await import('./tasks/tasks.ts')).manageTasks('output', id, flags),
  'tasks follow': async ([id = ''], flags) =>
    (await import('./tasks/tasks.ts')).manageTasks('follow', id, flags),
  'tasks stop': async ([id = ''], flags) => (await import('./tasks/tasks.ts')).manageTasks('stop', id, flags),
  'team list': async (_, flags) => (await import('./team/team.ts')).printTeams(flags),
  'team show': async ([name], flags) => (await import('./team/team.ts')).showTeam(name, flags),
  'team waits': async ([name], flags) => (await import('./team/team.ts')).printWaits(name, flags),
  'team join': async ([name], flags, ripgrep) =>
    (await import('./team/join-team.ts')).joinTeam(name, flags, ripgrep),
  'team end': async ([name], flags) => (await import('./team/end-team.ts')).endTeam(name, flags),
  'board list': async (_, flags) => (await import('./board/board.ts')).manageBoard('list', undefined, flags),
  'board ready': async (_, flags) =>
    (await import('./board/board.ts')).manageBoard('ready', undefined, flags),
  'board show': async ([word], flags) => (await import('./board/board.ts')).manageBoard('show', word, flags),
  'board add': async ([word], flags) => (await import('./board/board.ts')).manageBoard('add', word, flags),
  'board claim': async ([word], flags) =>
    (await import('./board/board.ts')).manageBoard('claim', word, flags),
  'board done': async ([word], flags) => (await import('./board/board.ts')).manageBoard('done', word, flags),
  'board graph': async (_, flags) =>
    (await import('./board/board.ts')).manageBoard('graph', undefined, flags),
  'mail send': async ([to = '', ...words], flags) =>
    (await import('./mail/send-mail.ts')).sendMail(to, words, flags),
  'mail read': async ([box], flags) => (await import('./mail/read-mail.ts')).readMail(box, flags),
  'mail watch': async ([box], flags) => (await import('./mail/watch-mail.ts')).watchMail(box, flags),
  'mail status': async ([id], flags) => (await import('./mail/mail-status.ts')).printMailStatus(id, flags),
  'handoff templates': async (_, flags) =>
    (await import('./handoff/handoff.ts')).listHandoffFiles('templates', flags),
  'handoff profiles': async (_, flags) =>
    (await import('./handoff/handoff.ts')).listHandoffFiles('profiles', flags),
  'handoff show': async ([name = ''], flags) =>
    (await import('./handoff/handoff.ts')).showHandoffFile(name, flags),
  'handoff schema': async ([name]) => (await import('./handoff/handoff.ts')).printHandoffSchema(name),
  'handoff init': async (_, flags) => (await import('./handoff/handoff.ts')).initHandoffFiles(flags),
  agents: async ([action, name], flags, ripgrep) =>
    (await import('./agents.ts')).printAgents(action, name, flags, ripgrep),
  skills: async (_, flags) => (await import('./skills.ts')).printSkills('skill', flags),
  commands: async (_, flags) => (await import('./skills.ts')).printSkills('command', flags),
  hooks: async (_, flags) => (await import('./hooks.ts')).printHooks(flags),
  dream: async ([action, id], flags, ripgrep) =>
    (await import('./dream.ts')).manageDreams(action, id, flags, ripgrep),
  'mcp list': async (words, flags) => (await import('./mcp/mcp.ts')).manageMcp('list', words, flags),
  'mcp add': async (words, flags) => (await import('./mcp/mcp.ts')).manageMcp('add', words, flags),
  'mcp remove': async (words, flags) => (await import('./mcp/mcp.ts')).manageMcp('remove', words, flags),
  'mcp test': async (words, flags) => (await import('./mcp/mcp.ts')).manageMcp('test', words, flags),
  'mcp login': async (words, flags) => (await import('./mcp/mcp.ts')).manageMcp('login', words, flags),
  why: async ([call], flags, ripgrep) => (await import('./why.ts')).explainCall(call, flags, ripgrep),
  trust: async ([directory], flags) => (await import('./trust/trust.ts')).manageTrust(directory, flags),
  audit: async (_, flags) => (await import('./audit.ts')).printAudit(flags),
  'worktree list': async (names, flags) =>
    (await import('./worktree.ts')).manageWorktrees('list', names, flags),
  'worktree diff': async (names, flags) =>
    (await import('./worktree.ts')).manageWorktrees('diff', names, flags),
  'worktree forecast': async (names, flags) =>
    (await import('./worktree.ts')).manageWorktrees('forecast', names, flags),
  'worktree land': async (names, flags) =>
    (await import('./worktree.ts')).manageWorktrees('land', names, flags),
  'worktree return': async (words, flags) =>
    (await import('./worktree.ts')).manageWorktrees('return', words, flags),
  'worktree pr': async (names, flags) => (await import('./worktree.ts')).manageWorktrees('pr', names, flags),
  'worktree drop': async (names, flags) =>
    (await import('./worktree.ts')).manageWorktrees('drop', names, flags),
  'worker run': async (_, flags) => (await import('./worker/run-worker.ts')).runWorker(flags),
  'worker doctor': async (_, flags) => (await import('./worker/worker-doctor.ts')).examineWorker(flags),
  'worker key': async () => (await import('./worker/worker-keys.ts')).printKey(),
  'worker trust': async ([key = '', ...note]) =>
    (await import('./worker/worker-keys.ts')).acceptKey(key, note),
  'worker prepare': async (_, flags) => (await import('./worker/prepare.ts')).prepare(flags),
  workers: async (_, flags) => (await import('./worker/list-workers.ts')).printWorkers(flags),
  completions: async ([shell]) =>
    (await import('./completions.ts')).printCompletions(shell as CompletedShell),
  man: async ([page], flags) => (await import('./man.ts')).printManual(page, flags),
};
