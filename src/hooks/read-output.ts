import { isRecord } from '../lib/fields/field-values.ts';
import { boundText, visibleLine } from '../lib/text/text.ts';
import type { HookEvent } from '../protocol/index.ts';
import { eventFacts } from './events.ts';
import { type HookRun, maxCharacters } from './hook-run.ts';
import { buildBlock, readJson } from './read-json.ts';
import type { HookWord } from './word.ts';

/** The meaning of a hook's run at this event. Output that cannot be understood blocks nothing, and is reported. */
export function readOutput(event: HookEvent, run: HookRun): HookWord {
  if (run.kind === 'detached' || run.kind === 'cancelled') return {};
  if (run.kind === 'failed') return { problem: run.problem ?? 'it could not be started' };
  if (run.kind === 'timed_out') return { problem: 'it took too long and was stopped' };
  const { exitCode = 0, stdout, stderr, value } = run;
  if (exitCode === 2) return refusal(event, stderr);
  if (exitCode !== 0) return { problem: `it exited with code ${exitCode}${firstLine(stderr)}` };
  if (value !== undefined)
    return isRecord(value) ? readJson(event, value) : { problem: 'its answer is not an object' };
  const text = stdout.trim();
  if (text.startsWith('{')) return readText(event, text);
  return eventFacts[event].plain && text !== '' ? { context: boundText(text, maxCharacters) } : {};
}

/** Exit code 2. If it is too late to block, the model, or else the user, reads why. */
function refusal(event: HookEvent, stderr: string): HookWord {
  const said = boundText(stderr.trim(), maxCharacters);
  const reason = said === '' ? 'A hook blocked it and gave no reason.' : said;
  if (eventFacts[event].block !== 'nothing') return buildBlock(event, reason);
  return { problem: `it exited with code 2, which does not block this event${firstLine(stderr)}` };
}

function readText(event: HookEvent, text: string): HookWord {
  try {
    const json: unknown = JSON.parse(text);
    return isRecord(json) ? readJson(event, json) : { problem: 'its output is not a JSON object' };
  } catch {
    return { problem: `its output starts with { but is not valid JSON: ${visibleLine(text, 100)}` };
  }
}

function firstLine(stderr: string): string {
  const line = visibleLine(stderr, 300);
  return line === '' ? '' : `: ${line}`;
}
