import { listCheckCommands, toCheckFindings } from '../checks/check-findings.ts';
import { findChecks } from '../checks/find-checks.ts';
import { systemProjectFiles } from '../checks/project-files.ts';
import { type CommandPort, runChecks } from '../checks/run-checks.ts';
import {
  type CheckOutcome,
  checkNames,
  type FoundChecks,
  isCheckName,
  isFound,
  type ProjectCheckName,
  type ProjectReport,
} from '../checks/types.ts';
import { processIo } from '../headless/process-io.ts';
import { type ConfinedShell, runConfined } from '../landing/run-confined.ts';
import { formatJson } from '../lib/fields/parse-json.ts';
import { ok, type Result, usage } from '../lib/result.ts';
import { visibleLine } from '../lib/text/text.ts';
import { watchRunningCommands } from '../sandbox/running-commands.ts';
import { lookAround, type Surroundings } from '../session/surroundings.ts';
import { watchStops } from './ask/stop-signals.ts';
import { openCommandSandbox } from './command-sandbox.ts';
import { readSettings } from './read-settings.ts';
import type { FlagsOf } from './table/commands.ts';

type ChecksFlags = FlagsOf<'checks'>;

/** As much of an output is read as a report may need. */
const maxOutput = 32 * 1024 * 1024;

/** `cadre checks`: what the project's own files say its checks are, and what they come to. */
export async function runProjectChecks(
  names: readonly string[],
  flags: ChecksFlags,
): Promise<number | Result<string>> {
  const io = processIo();
  const only = readNames(names);
  if (!only.ok) return only;
  const around = lookAround({});
  const settings = await readSettings(around, {
    trusted: flags.trust === true,
    flagSettings: flags.settings,
  });
  if (!settings.ok) return settings;
  for (const { key, file } of settings.value.held)
    if (key.startsWith('checks'))
      io.writeErr(
        `${key} in ${file} is ignored: the repository is not trusted. cadre trust shows it and asks.\n`,
      );
  const found = findChecks({
    ...{ cwd: around.cwd, root: around.root, listing: systemProjectFiles },
    settings: settings.value.checks,
  });
  if (flags.list) return ok(renderFound(found, only.value, flags.json === true));
  const forget = watchRunningCommands(around.home);
  const sandbox = await openCommandSandbox(around, settings.value, (text) => io.writeErr(`${text}\n`));
  if (!sandbox.ok) return sandbox;
  try {
    const { rules } = settings.value;
    const shell = { env: { ...around.environment }, clock: around.clock, sandbox: sandbox.value, rules };
    return await runFound({ found, only: only.value, around, shell }, flags.json === true);
  } finally {
    await sandbox.value?.close();
    forget();
  }
}

function readNames(names: readonly string[]): Result<readonly ProjectCheckName[]> {
  const unknown = names.find((name) => !isCheckName(name));
  if (unknown !== undefined)
    return usage(`There is no check "${visibleLine(unknown, 60)}".`, `Choose from ${checkNames.join(', ')}.`);
  return ok(names.length === 0 ? checkNames : names.filter(isCheckName));
}

function renderFound(found: FoundChecks, only: readonly ProjectCheckName[], isJson: boolean): string {
  const lines = only.map((name) => {
    const lookup = found[name];
    return isFound(lookup)
      ? `${name.padEnd(9)} ${lookup.command}  (${lookup.source})`
      : `${name.padEnd(9)} none: ${lookup.missing}`;
  });
  const listed = Object.fromEntries(only.map((name) => [name, { ...found[name], definition: undefined }]));
  return isJson
    ? formatJson({ checks: listed, commands: listCheckCommands(found) })
    : `${lines.join('\n')}\n`;
}

interface Runs {
  found: FoundChecks;
  only: readonly ProjectCheckName[];
  around: Surroundings;
  shell: ConfinedShell;
}

async function runFound(
  { found, only, around, shell }: Runs,
  isJson: boolean,
): Promise<number | Result<string>> {
  const io = processIo();
  if (only.every((name) => !isFound(found[name]))) {
    await io.writeOut(renderFound(found, only, isJson));
    return usage('There is no check to run.');
  }
  const stops = watchStops();
  const report = await runChecks({
    ...{ found, only, listing: systemProjectFiles, clock: around.clock, signal: stops.signal },
    port: confinedPort(shell),
    ...(isJson ? {} : { onEnd: (outcome: CheckOutcome) => void io.writeOut(renderOutcome(outcome)) }),
  });
  stops.release();
  const code = stops.code();
  if (code !== undefined) return code;
  if (isJson) await io.writeOut(formatJson({ findings: toCheckFindings(report), outcomes: report }));
  return isGood(found, report) ? 0 : 1;
}

/** What is missing does not fail: the project has no such check. */
function isGood(found: FoundChecks, report: ProjectReport): boolean {
  return Object.values(report).every(({ name, passed }) => passed || !isFound(found[name]));
}

function confinedPort(shell: ConfinedShell): CommandPort {
  return {
    async runCommand(command, { cwd, signal, timeoutMs }) {
      const ran = await runConfined(shell, { command, cwd, timeoutMs, maxOutput, signal });
      if (!ran.ok) return { exitCode: null, output: '', refused: ran.problem.message };
      const { end, output, digest, notes } = ran.value;
      if (end.problem !== undefined) return { exitCode: null, output, refused: end.problem };
      const noted = notes.map((note) => `[${note}]\n`).join('');
      return { exitCode: end.code, output: `${output}${noted}`, digest, timedOut: end.timedOut };
    },
  };
}

function renderOutcome({
  name,
  passed,
  notRun,
  command,
  tests,
  coverage,
  problems,
  durationMs,
}: CheckOutcome): string {
  if (notRun !== undefined) return `${name.padEnd(9)} not run: ${visibleLine(notRun, 300)}\n`;
  const counts = [
    ...(tests ? [`${tests.run} tests`] : []),
    ...(tests && tests.skipped > 0 ? [`${tests.skipped} skipped`] : []),
    ...(coverage === undefined ? [] : [`${coverage} % of lines covered`]),
    `${(durationMs / 1000).toFixed(1)} s`,
  ];
  const head = `${name.padEnd(9)} ${passed ? 'passed' : 'FAILED'}  ${visibleLine(command ?? '', 200)}  (${counts.join(', ')})\n`;
  const shown = problems.slice(0, maxShown).map((text) => `  ${visibleLine(text, 300)}\n`);
  const more = problems.length > maxShown ? `  and ${problems.length - maxShown} more\n` : '';
  return `${head}${shown.join('')}${more}`;
}

const maxShown = 20;
