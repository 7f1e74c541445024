import { type Command, CommanderError } from 'commander';
import type { AgentsFlags } from './commands/agents.ts';
import type { AuditFlags } from './commands/audit.ts';
import type { DemoFlags } from './commands/demo/start.ts';
import type { DoctorFlags } from './commands/doctor.ts';
import type { DreamFlags } from './commands/dream.ts';
import type { Flags } from './commands/flags.ts';
import type { HooksFlags } from './commands/hooks.ts';
import { findLaterFlag } from './commands/later-flags.ts';
import { type Actions, buildProgram } from './commands/program.ts';
import type { SkillsFlags } from './commands/skills.ts';
import type { TrustFlags } from './commands/trust.ts';
import type { WhyFlags } from './commands/why.ts';
import { convertArgument } from './convert/request.ts';
import { visible } from './lib/text.ts';
import { installedRipgrep, type RipgrepSource } from './tools/ripgrep.ts';

/** Reads the arguments and picks a surface. Everything else is loaded only when it is needed. */
export async function main(argv: string[], ripgrep: RipgrepSource): Promise<number> {
  if (argv[0] === convertArgument) return await (await import('./convert/serve.ts')).serveConversion();
  let code = 0;
  const program = buildProgram(
    {
      main: (prompt, flags) => runMain(prompt, flags, ripgrep),
      demo: (flags) => runDemo(flags, ripgrep),
      setup,
      completions: printCompletions,
      sessions: listSessions,
      rewind: rewindSession,
      agents: (action, name, flags) => showAgents(action, name, flags, ripgrep),
      skills: listSkills,
      dream: (action, id, flags) => manageDreams(action, id, flags, ripgrep),
      hooks: listHooks,
      trust: manageTrust,
      why: (call, flags) => explainCall(call, flags, ripgrep),
      doctor: (flags) => examine(flags, ripgrep),
      key: manageKey,
      cost: showCost,
      tasks: manageTasks,
      audit: showAudit,
      worktree: manageWorktrees,
      models: listModels,
      providers: manageProviders,
      mcp: manageMcp,
    },
    (result) => {
      code = result;
    },
    argv,
  );
  program.exitOverride().configureOutput(complaintsOf('cadre'));
  passSettingsOn(program, 'cadre');
  try {
    await program.parseAsync(argv, { from: 'user' });
    return code;
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2;
    process.stderr.write(visible(describeBug(error, argv)));
    return 1;
  }
}

/** Commands copy these from their parents when they are made, which was before they were set. */
function passSettingsOn(parent: Command, path: string): void {
  for (const command of parent.commands) {
    const own = `${path} ${command.name()}`;
    command.exitOverride().copyInheritedSettings(parent).configureOutput(complaintsOf(own));
    passSettingsOn(command as Command, own);
  }
}

/** Whoever is wrong about a command is sent to the help of that one. */
function complaintsOf(command: string): { outputError(text: string, write: (text: string) => void): void } {
  return { outputError: (text, write) => write(visible(explain(text, command))) };
}

async function runMain(prompt: string | undefined, flags: Flags, ripgrep: RipgrepSource): Promise<number> {
  const { runFromFlags } = await import('./commands/main.ts');
  return runFromFlags(flags, prompt, ripgrep);
}

async function runDemo(flags: DemoFlags, ripgrep: RipgrepSource): Promise<number> {
  const { startDemo } = await import('./commands/demo/start.ts');
  return startDemo(flags, ripgrep);
}

async function setup(): Promise<number> {
  const { setUp } = await import('./commands/setup/setup.ts');
  return setUp();
}

async function printCompletions(...given: Parameters<Actions['completions']>): Promise<number> {
  const { printCompletions } = await import('./commands/completions.ts');
  return printCompletions(...given);
}

async function listSessions(flags: { json?: boolean; all?: boolean }): Promise<number> {
  const { printSessions } = await import('./commands/sessions.ts');
  return printSessions(flags);
}

async function rewindSession(...given: Parameters<Actions['rewind']>): Promise<number> {
  const { rewindSession } = await import('./commands/rewind.ts');
  return rewindSession(...given);
}

async function showAgents(
  action: string | undefined,
  name: string | undefined,
  flags: AgentsFlags,
  ripgrep: RipgrepSource,
): Promise<number> {
  const { printAgents } = await import('./commands/agents.ts');
  return printAgents(action, name, flags, ripgrep);
}

async function listSkills(kind: 'skill' | 'command', flags: SkillsFlags): Promise<number> {
  const { printSkills } = await import('./commands/skills.ts');
  return printSkills(kind, flags);
}

async function manageDreams(
  action: string | undefined,
  id: string | undefined,
  flags: DreamFlags,
  ripgrep: RipgrepSource,
): Promise<number> {
  const { manageDreams } = await import('./commands/dream.ts');
  return manageDreams(action, id, flags, ripgrep);
}

async function explainCall(
  call: string | undefined,
  flags: WhyFlags,
  ripgrep: RipgrepSource,
): Promise<number> {
  const { explainCall } = await import('./commands/why.ts');
  return explainCall(call, flags, ripgrep);
}

async function listHooks(flags: HooksFlags): Promise<number> {
  const { printHooks } = await import('./commands/hooks.ts');
  return printHooks(flags);
}

async function examine(flags: DoctorFlags, ripgrep: RipgrepSource): Promise<number> {
  const { examine } = await import('./commands/doctor.ts');
  return examine(flags, ripgrep);
}

async function manageTrust(directory: string | undefined, flags: TrustFlags): Promise<number> {
  const { manageTrust } = await import('./commands/trust.ts');
  return manageTrust(directory, flags);
}

async function manageKey(action: 'set' | 'list' | 'remove', provider?: string): Promise<number> {
  const { manageKey } = await import('./commands/key.ts');
  return manageKey(action, provider);
}

async function showCost(session: string | undefined, flags: { json?: boolean }): Promise<number> {
  const { printCost } = await import('./commands/cost.ts');
  return printCost(session, flags);
}

async function manageWorktrees(...given: Parameters<Actions['worktree']>): Promise<number> {
  const { manageWorktrees } = await import('./commands/worktree.ts');
  return manageWorktrees(...given);
}

async function manageTasks(...given: Parameters<Actions['tasks']>): Promise<number> {
  const { manageTasks } = await import('./commands/tasks/tasks.ts');
  return manageTasks(...given);
}

async function showAudit(flags: AuditFlags): Promise<number> {
  const { printAudit } = await import('./commands/audit.ts');
  return printAudit(flags);
}

async function listModels(flags: { json?: boolean; all?: boolean }): Promise<number> {
  const { printModels } = await import('./commands/models.ts');
  return printModels(flags);
}

async function manageProviders(...given: Parameters<Actions['providers']>): Promise<number> {
  const { manageProviders } = await import('./commands/providers.ts');
  return manageProviders(...given);
}

async function manageMcp(...given: Parameters<Actions['mcp']>): Promise<number> {
  const { manageMcp } = await import('./commands/mcp.ts');
  return manageMcp(...given);
}

function explain(text: string, command: string): string {
  const flag = findLaterFlag(/unknown option '([^']*)'/.exec(text)?.[1] ?? '');
  const message = text.replace(/^error: /, 'cadre: ');
  if (flag)
    return `cadre: ${flag} is not in this version.\nLeave it out; ${command} --help lists what there is.\n`;
  return message.includes('--help') ? message : `${message.trimEnd()}\nSee ${command} --help.\n`;
}

function describeBug(error: unknown, argv: string[]): string {
  const debug = argv.includes('--debug') || argv.includes('-d');
  const text = error instanceof Error ? (debug ? error.stack : error.message) : String(error);
  return `cadre: an error that should not happen: ${text}\n${debug ? '' : 'Run it again with --debug for details.\n'}`;
}

/** Only in development: the compiled program has an entry of its own, with ripgrep inside. */
if (import.meta.main) process.exit(await main(process.argv.slice(2), installedRipgrep()));
