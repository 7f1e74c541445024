import { visibleLine, visibleProse } from '../lib/text/text.ts';
import type { PhaseRecord } from './phase-records.ts';
import type { PatternResult } from './run-pattern.ts';
import type { PhaseSavings, SavingsReport } from './savings.ts';

/** The end of a pattern for a terminal or a pipe. */
export function renderResult(result: PatternResult): string {
  const { outcome, reason, suggestion, questions = [], failed_checks = [], raw_answer, issues } = result;
  const lines = [
    `${outcome.replaceAll('_', ' ')}${reason === undefined ? '' : `: ${visibleLine(reason, 2_000)}`}`,
    ...questions.map((question) => `  ? ${visibleLine(question, 1_000)}`),
    ...failed_checks.flatMap(({ check, errors }) => [
      `  failed: ${visibleLine(check, 200)}`,
      ...errors.slice(0, 10).map((error) => `    ${visibleLine(error, 500)}`),
    ]),
    ...(raw_answer === undefined ? [] : [`  raw answer: ${raw_answer}`]),
    ...issues.slice(0, 20).map((issue) => `  issue: ${visibleLine(issue, 500)}`),
    ...(result.checked === false ? [`  not checked by the harness: ${listUnchecked(result)}`] : []),
    ...(suggestion === undefined ? [] : [`  next: ${visibleLine(suggestion, 1_000)}`]),
    '',
    ...result.phases.flatMap(renderPhase),
    ...renderSavings(result.savings),
  ];
  return `${lines.join('\n')}\n`;
}

/** Validations whose checks the project does not have, or that the harness did not run. */
function listUnchecked({ phases }: PatternResult): string {
  const labels = phases.flatMap(({ phase, end, checked, label }) =>
    phase === 'validate' && end === 'answered' && !checked ? [visibleLine(label, 100)] : [],
  );
  return [...new Set(labels)].join(', ');
}

function renderPhase({ label, decision, end, context_summary, reason }: PhaseRecord): string[] {
  const text = [...(decision === 'PROCEED' ? [] : [reason]), context_summary].filter(Boolean).join('\n');
  return [
    `${visibleLine(label, 100)}: ${decision ?? end.replace('_', ' ')}`,
    ...(text === ''
      ? []
      : visibleProse(text)
          .split('\n')
          .map((line) => `  ${line}`)),
  ];
}

/** The figures are those of `computeSavings`. */
export function renderSavings({ phases, used, used_in_one, basis }: SavingsReport): string[] {
  if (phases.length === 0) return [];
  const isKnown = basis === 'requests';
  const width = Math.max(5, ...phases.map(({ label }) => Math.min(40, label.length)));
  const row = ([name = '', ...cells]: readonly string[]) =>
    [visibleLine(name, 40).padEnd(width), ...cells.map((cell) => cell.padStart(10))].join('  ').trimEnd();
  const format = (count = 0) => count.toLocaleString('en');
  const context = ({ held, held_in_one }: PhaseSavings) =>
    isKnown ? [format(held), format(held_in_one)] : [];
  return [
    '',
    row(['phase', 'tokens', isKnown ? 'in one' : 'at least', ...(isKnown ? ['context', 'in one'] : [])]),
    ...phases.map((phase) =>
      row([phase.label, format(phase.used), format(phase.used_in_one), ...context(phase)]),
    ),
    row(['all', format(used), format(used_in_one)]),
    isKnown
      ? '"in one": the same work in one long conversation'
      : '"at least": the same work in one long conversation would have used so many',
  ];
}
