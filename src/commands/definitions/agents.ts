import { resolve } from 'node:path';
import { describeLists } from '../../agents/definition.ts';
import { flagProblem, type LoadedAgents, loadAgents } from '../../agents/definitions/load-agents.ts';
import { processIo } from '../../headless/process-io.ts';
import { formatJson } from '../../lib/fields/parse-json.ts';
import { fail, ok, type Result, usage } from '../../lib/result.ts';
import { isOn } from '../../lib/switch.ts';
import { visibleLine } from '../../lib/text/text.ts';
import { lookAround, type Surroundings } from '../../session/surroundings.ts';
import type { RipgrepSource } from '../../tools/search/ripgrep.ts';
import { resolveRealPath } from '../../workspace/real-path.ts';
import { openListJudge } from '../list-judge.ts';
import type { FlagsOf } from '../table/commands.ts';
import { describeBroken, joinSections, section } from './sections.ts';

type AgentsFlags = FlagsOf<'agents'>;

/** `cadre agents`: every agent type here; `cadre agents show NAME`: the setup of one. */
export async function printAgents(
  action: string | undefined,
  name: string | undefined,
  flags: AgentsFlags,
  ripgrep: RipgrepSource,
): Promise<Result<string>> {
  const used = checkWords(action, name);
  if (!used.ok) return used;
  const around = lookAround({});
  const found = await loadHere(around, flags);
  if (!found.ok) return found;
  const loaded = found.value;
  const problem = flagProblem(loaded);
  if (action === 'show' && name !== undefined) {
    if (problem) return fail(problem);
    const { describeAgent } = await import('./show-agent.ts');
    return describeAgent(name, { around, loaded, ripgrep, json: flags.json === true });
  }
  const text = flags.json ? formatJson(buildReport(loaded)) : page(loaded, await findHeldFiles());
  if (!problem) return ok(text);
  await processIo().writeOut(text);
  return fail(problem);
}

function checkWords(action: string | undefined, name: string | undefined): Result<void> {
  const hint = 'Use cadre agents, or cadre agents show NAME.';
  if (action === 'show' && name === undefined) return usage('cadre agents show needs a name.', hint);
  const isKnown = action === undefined || action === 'show' || (action === 'list' && name === undefined);
  if (isKnown) return ok(undefined);
  const given = name === undefined ? action : `${action} ${name}`;
  return usage(`cadre agents ${visibleLine(given, 100)}: unknown command.`, hint);
}

async function loadHere(around: Surroundings, flags: AgentsFlags): Promise<Result<LoadedAgents>> {
  const { cwd, root, home, userHome, environment } = around;
  const absolute = (paths: string[] = []) => paths.map((path) => resolve(cwd, path));
  const judge = await openListJudge(around, absolute(flags.addDir));
  if (!judge.ok) return judge;
  const loaded = await loadAgents({
    ...{ cwd, root, home, userHome, judge: judge.value },
    additionalDirectories: absolute(flags.addDir),
    pluginDirectories: absolute(flags.pluginDir),
    flagAgents: flags.agents,
    simple: isOn(environment.CADRE_SIMPLE) || isOn(environment.CLAUDE_CODE_SIMPLE),
  });
  return ok(loaded);
}

/** Without the prompts, which may be long: they are in the files. */
function buildReport({ definitions, broken, shadowed }: LoadedAgents): object {
  return { agents: definitions.map(({ prompt: _, role: __, ...shown }) => shown), broken, shadowed };
}

/** Files of the repository whose privileges, such as hooks and servers, the user has not trusted. */
async function findHeldFiles(): Promise<ReadonlySet<string>> {
  const { describeTrust } = await import('../trust/repository-trust.ts');
  const found = await describeTrust();
  if (!found.ok) return new Set();
  const { root, pieces } = found.value;
  const held = pieces.filter(({ standing }) => standing === 'new' || standing === 'changed');
  return new Set(held.map(({ piece }) => resolve(root, piece.file)));
}

function page({ definitions, broken, shadowed }: LoadedAgents, held: ReadonlySet<string>): string {
  const nameWidth = Math.min(40, Math.max(...definitions.map(({ name }) => name.length)));
  const rows = definitions.flatMap((definition) => {
    const { name, source, model = 'inherit', file, notes } = definition;
    const head = `${visibleLine(name, 200).padEnd(nameWidth)}  ${source.padEnd(8)}  ${visibleLine(model, 60).padEnd(8)}`;
    return [
      `${head}  ${describeLists(definition)}`,
      ...(file === undefined ? [] : [`    ${visibleLine(file, 500)}`]),
      ...(file !== undefined && held.has(resolveRealPath(file)) ? [`    ${heldNote}`] : []),
      ...notes.map((note) => `    note: ${visibleLine(note, 500)}`),
    ];
  });
  return joinSections([
    rows.join('\n'),
    ...section('Broken, not loaded:', describeBroken(broken)),
    ...section(
      'Hidden by another one with the same name:',
      shadowed.map((one) => `${one.name} (${formatOrigin(one)}), by ${formatOrigin(one.by)}`),
    ),
  ]);
}

const heldNote =
  'note: its hooks, servers and other privileges are inactive until you trust them: cadre trust';

function formatOrigin({ source, file }: { source: string; file?: string }): string {
  return file === undefined ? source : `${source}, ${file}`;
}
