import { formatFields } from '../../lib/fields/describe-value.ts';
import type { Entry, ShownCall } from '../../view/index.ts';
import type { Drawing } from '../drawing.ts';
import type { FullCall } from '../panels/full-calls.ts';
import { renderOutput, renderShown } from '../text/index.ts';
import { callHead, changeLines, edgeLines, remarkLines } from './call-lines.ts';
import { entryLines, thinkingLines } from './entry-lines.ts';
import { styled } from './layout.ts';

export type FindFull = (call: ShownCall) => FullCall | undefined;

/** An entry with nothing left out: all of the thinking, the input and the output of a call. */
export function fullLines(entry: Entry, find: FindFull, drawing: Drawing): string[] {
  if (entry.kind === 'thinking') return thinkingLines(entry.text, drawing, Number.POSITIVE_INFINITY);
  if (entry.kind === 'call') return ['', ...fullCallLines(entry.call, find, drawing)];
  if (entry.kind === 'agents')
    return [...entryLines(entry, drawing), ...entry.calls.flatMap((call) => inputLines(call, find, drawing))];
  return entryLines(entry, drawing);
}

function fullCallLines(call: ShownCall, find: FindFull, drawing: Drawing): string[] {
  const result = find(call)?.result ?? call.result?.text ?? call.progress;
  const output = call.diff && call.state === 'done' ? '' : result.trimEnd();
  return [
    callHead(call, drawing),
    ...edgeLines(remarkLines(call, drawing), drawing),
    ...inputLines(call, find, drawing),
    ...(call.diff ? changeLines(call, drawing, Number.POSITIVE_INFINITY) : []),
    ...(output === '' ? [] : edgeLines(renderOutput(output, options(drawing)), drawing)),
  ];
}

/** What the line above does not say. A change is shown as such. */
function inputLines(call: ShownCall, find: FindFull, drawing: Drawing): string[] {
  const input = find(call)?.input ?? call.input;
  const fields = Object.entries(input).filter(
    ([name, value]) => value !== call.summary && !(call.diff && changed.has(name)),
  );
  const lines =
    fields.length === 0 ? [] : renderShown(formatFields(Object.fromEntries(fields)), options(drawing));
  return edgeLines(
    lines.map((line) => styled(drawing, 'dim', line)),
    drawing,
  );
}

const changed: ReadonlySet<string> = new Set(['file_path', 'old_string', 'new_string', 'content']);

function options({ width, theme }: Drawing) {
  return { width: Math.max(10, width - 4), theme, maxLines: Number.POSITIVE_INFINITY };
}
