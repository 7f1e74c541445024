import { closeSync, readFileSync } from 'node:fs';
import { formatFields, renderValue } from '../../lib/fields/describe-value.ts';
import { ok, type Result } from '../../lib/result.ts';
import { diffLines } from '../../lib/text/diff.ts';
import { visibleBySigns } from '../../lib/text/text.ts';
import type { Question } from '../../protocol/index.ts';
import { resolvePath } from '../../workspace/paths.ts';
import { resolveRealPath } from '../../workspace/real-path.ts';
import { replaceText } from './edit-text.ts';
import { changeCells, formatNotebook, parseNotebook } from './notebook-edit-cells.ts';
import { openFile } from './open-file.ts';
import { decodeText } from './text-file.ts';

/**
 * The effect of a call, for the user who is asked: complete, decoded, and free of terminal control sequences. Nothing is
 * cut: the user must have seen what they approve.
 */
export type Preview =
  | { kind: 'command'; text: string }
  | { kind: 'diff'; path: string; isNew: boolean; text: string }
  /** `note`: why there is no diff. */
  | { kind: 'input'; text: string; note?: string };

/** Computed when shown, not when asked: it may never be viewed. */
export function buildPreview(question: Pick<Question, 'toolName' | 'input' | 'cwd' | 'preview'>): Preview {
  const { toolName, input, cwd, preview } = question;
  if (preview !== undefined) return { kind: 'input', text: visibleBySigns(preview) };
  if (typeof input.command === 'string' && (toolName === 'Bash' || toolName === 'Monitor'))
    return { kind: 'command', text: formatCommand(input, cwd) };
  if (toolName === 'Dream' && typeof input.diff === 'string') return givenDiff(input, input.diff, cwd);
  const named = input.file_path ?? input.notebook_path;
  const change = typeof named === 'string' ? changes[toolName] : undefined;
  if (!change || typeof named !== 'string') return { kind: 'input', text: inputText(input) };
  const path = resolvePath(cwd, named);
  const before = readText(path);
  if (!before.ok)
    return { kind: 'input', text: inputText(input), note: visibleBySigns(before.problem.message) };
  const after = change(before.value, input);
  if (!after.ok) return { kind: 'input', text: inputText(input), note: visibleBySigns(after.problem) };
  const text = visibleBySigns(renderWhole(before.value ?? '', after.value));
  return { kind: 'diff', path: visibleBySigns(path), isNew: before.value === undefined, text };
}

/** Not for a tool: a dream's change to a memory file, taken from the question itself. */
function givenDiff({ file_path: named }: Record<string, unknown>, diff: string, cwd: string): Preview {
  const path = resolvePath(cwd, renderValue(named));
  const before = readText(path);
  return {
    kind: 'diff',
    path: visibleBySigns(path),
    isNew: before.ok && before.value === undefined,
    text: visibleBySigns(diff),
  };
}

/** Other relevant options appear beside the command; that it runs outside the sandbox is one of its risks. */
function formatCommand({ command, ...others }: Record<string, unknown>, cwd: string): string {
  const { description: _, dangerouslyDisableSandbox: __, run_in_background, timeout, ...rest } = others;
  const facts = [
    ...(run_in_background === true ? ['in the background'] : []),
    ...(typeof timeout === 'number' ? [`for at most ${timeout / 1000} s`] : []),
    ...Object.entries(rest).map(([key, value]) => `${key}: ${JSON.stringify(value)}`),
  ];
  const more = facts.length > 0 ? `\n(${facts.join(', ')})` : '';
  return visibleBySigns(`${renderValue(command)}${more}\n(in ${cwd})`);
}

type Change = (before: string | undefined, input: Record<string, unknown>) => Result<string, string>;

const changes: Readonly<Record<string, Change>> = {
  Write: (_, input) => ok(renderValue(input.content ?? '')),
  Edit: (before, input) => {
    const edit = {
      old_string: renderValue(input.old_string ?? ''),
      new_string: renderValue(input.new_string ?? ''),
      replace_all: input.replace_all === true,
    };
    const replaced = replaceText(before ?? '', edit);
    return replaced.ok
      ? ok(replaced.value.text)
      : { ok: false, problem: `The edit will fail: ${replaced.problem}` };
  },
  NotebookEdit: (before, input) => {
    const notebook = before === undefined ? undefined : parseNotebook(before);
    if (!notebook || before === undefined) return { ok: false, problem: 'The notebook cannot be read.' };
    const changed = changeCells(notebook, input, 'preview');
    return changed.ok ? ok(formatNotebook(notebook, before)) : changed;
  },
};

const maxBytes = 50 * 1024 * 1024;

function readText(path: string): Result<string | undefined> {
  const opened = openFile(path, resolveRealPath(path));
  if (!opened.ok) return opened;
  if (!opened.value) return ok(undefined);
  const { descriptor, stat } = opened.value;
  try {
    if (stat.size > maxBytes)
      return { ok: false, problem: { kind: 'failure', message: `${path} is too large to compare.` } };
    return ok(decodeText(readFileSync(descriptor)).text);
  } finally {
    closeSync(descriptor);
  }
}

/** All changes, with their positions. */
export function renderWhole(before: string, after: string): string {
  const hunks = diffLines(before, after);
  if (hunks.length === 0) return '(no change)';
  return hunks
    .flatMap((hunk) => [
      `@@ -${hunk.oldStart},${hunk.oldLines} +${hunk.newStart},${hunk.newLines} @@`,
      ...hunk.lines,
    ])
    .join('\n');
}

/** The input of a call, a field to a line. */
export function inputText(input: Record<string, unknown>): string {
  return visibleBySigns(formatFields(input));
}
