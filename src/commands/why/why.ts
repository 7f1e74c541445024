import { createInterface } from 'node:readline';
import { Readable } from 'node:stream';
import type { Io } from '../../headless/io.ts';
import { processIo } from '../../headless/process-io.ts';
import { HarnessCommands } from '../../hooks/harness-commands.ts';
import { systemClock } from '../../lib/clock.ts';
import { findUserHome } from '../../lib/files/user-home.ts';
import { ok, type Result, usage } from '../../lib/result.ts';
import { visibleLine } from '../../lib/text/text.ts';
import { fullRole, openCeiling } from '../../permissions/ceiling.ts';
import type { PermissionContext } from '../../permissions/context.ts';
import { openRunsLater } from '../../places/find-runs-later.ts';
import type { Role } from '../../places/types.ts';
import type { Tool } from '../../protocol/tool.ts';
import { buildTerms } from '../../sandbox/open.ts';
import { type ConfinementState, checkConfinement } from '../../session/sandbox.ts';
import { lookAround, type Surroundings } from '../../session/surroundings.ts';
import type { LoadedSettings } from '../../settings/load.ts';
import { lookAtFiles } from '../../shell/look-files.ts';
import { openCommandPrograms } from '../../tools/bash/command-programs.ts';
import { shellDialect } from '../../tools/bash/environment.ts';
import { coreTools } from '../../tools/index.ts';
import type { RipgrepSource } from '../../tools/search/ripgrep.ts';
import { openRealPaths, resolveRealPath } from '../../workspace/real-path.ts';
import { workPlaces } from '../../workspace/search-path.ts';
import { openStarts } from '../../workspace/worktrees/twins.ts';
import { readSettings } from '../read-settings.ts';
import type { FlagsOf } from '../table/commands.ts';
import { type CallVerdict, judgeLine, readCall, type WhyCall, type WhyContext } from './why-call.ts';

type WhyFlags = FlagsOf<'why'>;

/** `cadre why`: how a call would be decided here, and why; with `--batch`, many calls. */
export async function explainCall(
  call: string | undefined,
  flags: WhyFlags,
  ripgrep: RipgrepSource,
): Promise<number | Result<never>> {
  const io = processIo();
  const context = await settle(flags, ripgrep);
  if (!context.ok) return context;
  if (flags.batch) return judgeAll(io, context.value);
  const read =
    call === undefined
      ? usage('cadre why needs a call.', example)
      : readCall(call, context.value.permissions.workspace.userHome);
  if (!read.ok) return read;
  const verdict = judgeLine(read.value, context.value);
  const text = flags.json
    ? `${JSON.stringify(verdict)}\n`
    : describe(read.value, verdict, describeSandbox(context.value.confinement, flags));
  if (!(await io.writeOut(text))) return 1;
  // It could not be judged at all: a script can tell that from a denied call.
  return verdict.by === 'input' ? 2 : 0;
}

const example = "For example: cadre why 'Bash(git log | tee x)', or cadre why 'Read(.env)'.";

async function settle(flags: WhyFlags, ripgrep: RipgrepSource): Promise<Result<WhyContext>> {
  const around = lookAround({});
  const settings = await readSettings(around, { trusted: flags.trust === true });
  if (!settings.ok) return settings;
  const tools = coreTools(ripgrep, around.home);
  const role = await findRole(flags.agent, around, tools);
  if (!role.ok) return role;
  const confinement = await findConfinement(flags, settings.value, around);
  const mode = flags.mode ?? settings.value.permissions.defaultMode ?? 'default';
  const ownCommands = new HarnessCommands(settings.value);
  const permissions: PermissionContext = {
    ceiling: openCeiling,
    role: role.value,
    mode,
    rules: settings.value.rules,
    workspace: {
      cwd: around.cwd,
      directories: settings.value.permissions.additionalDirectories,
      home: around.home,
      userHome: around.userHome,
      findHome: findUserHome,
      ...shellDialect(settings.value.env.PATH ?? around.environment.PATH ?? ''),
      sandbox: confinement.state === 'on' ? buildTerms(settings.value.sandbox) : undefined,
      realPath: resolveRealPath,
      openPaths: openRealPaths,
      findStarts: openStarts(around.home),
      runsLater: openRunsLater({
        userHome: around.userHome,
        environment: around.environment,
        home: around.home,
        commands: () => ownCommands.list(),
      }),
      look: lookAtFiles(
        [around.cwd, ...settings.value.permissions.additionalDirectories],
        systemClock,
        around.environment,
        openCommandPrograms({
          env: { ...around.environment, ...settings.value.env },
          shell: undefined,
          userHome: around.userHome,
          places: () => [
            ...[around.root, ...workPlaces(around.cwd)],
            ...settings.value.permissions.additionalDirectories,
          ],
        }).current,
      ),
    },
  };
  return ok({ permissions, tools, confinement });
}

/** As in a session here, unless a flag says otherwise. */
async function findConfinement(
  { sandbox }: WhyFlags,
  settings: LoadedSettings,
  around: Surroundings,
): Promise<ConfinementState> {
  if (sandbox !== undefined) return sandbox ? { state: 'on' } : { state: 'off' };
  return checkConfinement({}, settings, around);
}

function describeSandbox(confinement: ConfinementState, { sandbox }: WhyFlags): string {
  if (sandbox !== undefined) return sandbox ? 'on (--sandbox)' : 'off (--no-sandbox)';
  if (confinement.state === 'on') return 'on, as in a session here (--no-sandbox to judge without it)';
  if (confinement.state === 'off')
    return 'off by the setting sandbox.enabled, as in a session here (--sandbox to judge with it)';
  return `not available here: ${confinement.reason} (--sandbox to judge with it)`;
}

/** The permissions of an agent of this type: built in, or from any place where definitions are found. */
async function findRole(
  name: string | undefined,
  { cwd, root, home, userHome }: Surroundings,
  tools: readonly Tool[],
): Promise<Result<Role>> {
  if (name === undefined) return ok(fullRole);
  const { loadAgents } = await import('../../agents/definitions/load-agents.ts');
  const { findType } = await import('../../agents/steps/type.ts');
  const { resolveTools } = await import('../../agents/tool-filter.ts');
  const { definitions } = await loadAgents({ cwd, root, home, userHome });
  const isNamed = (one: { name: string }) => one.name.toLowerCase() === name.toLowerCase();
  const definition = findType(definitions, name) ?? definitions.find(isNamed);
  if (!definition)
    return usage(
      `Unknown agent type ${visibleLine(name, 100)}.`,
      `Available: ${definitions
        .map((one) => one.name)
        .sort()
        .join(', ')}.`,
    );
  if (definition.source === 'built-in') return ok(definition.role);
  const options = { definition, background: false, depth: 1, maxDepth: 1 } as const;
  return ok(resolveTools(tools, options).role);
}

/** An unreadable line is answered too, so answers and questions stay in step. */
async function judgeAll(io: Io, context: WhyContext): Promise<number> {
  let pending = '';
  for await (const line of createInterface({
    input: Readable.from(io.input),
    crlfDelay: Number.POSITIVE_INFINITY,
  })) {
    if (line.trim() === '') continue;
    pending += `${JSON.stringify(judgeText(line, context))}\n`;
    if (pending.length < 64 * 1024) continue;
    if (!(await io.writeOut(pending))) return 1;
    pending = '';
  }
  return pending === '' || (await io.writeOut(pending)) ? 0 : 1;
}

function judgeText(line: string, context: WhyContext): CallVerdict {
  try {
    return judgeLine(JSON.parse(line) as WhyCall, context);
  } catch {
    return { id: null, decision: 'deny', by: 'input', reason: 'the line is not JSON' };
  }
}

const verbs = { allow: 'runs without asking', ask: 'is asked about', deny: 'is denied' };

function describe(call: WhyCall, verdict: CallVerdict, sandbox: string): string {
  const head = `${call.tool} ${verbs[verdict.decision]}: ${verdict.reason} (by: ${verdict.by})`;
  const parts = (verdict.parts ?? []).map((part) => ({ ...part, command: visibleLine(part.command, 200) }));
  const width = Math.min(50, Math.max(0, ...parts.map((part) => part.command.length)));
  const rows = parts.map(
    ({ command, decision, reason }) => `  ${command.padEnd(width)}  ${decision}: ${visibleLine(reason, 500)}`,
  );
  const last = verdict.sandbox === undefined ? [] : [`sandbox: ${visibleLine(sandbox, 500)}`];
  return `${[visibleLine(head, 2000), ...rows, ...last].join('\n')}\n`;
}
