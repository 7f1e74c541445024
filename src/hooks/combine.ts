import { escapeHarnessTags, remind } from '../lib/text/harness-tags.ts';
import { boundText } from '../lib/text/text.ts';
import type { AfterTool, Answer, BeforeTool, HookEvent, Note, ResultContent } from '../protocol/index.ts';
import { maxCharacters } from './hook-run.ts';
import type { Heard } from './runner.ts';
import type { HookDecision } from './word.ts';

/** Strictest first. */
const order: readonly HookDecision[] = ['deny', 'defer', 'ask', 'allow'];

/**
 * Combines the words of all hooks before a call: the strictest decision, and of several inputs the last one written.
 */
export function beforeTool(heard: readonly Heard[], coversWhole: (one: Heard) => boolean): BeforeTool {
  const changing = heard.findLast(({ input }) => input !== undefined);
  const counts = (one: Heard) =>
    one.decision !== 'allow' || (coversWhole(one) && isAboutWhatRuns(one, changing));
  const decisive = heard.filter((one) => one.decision !== undefined && counts(one));
  const decision = order.find((known) => decisive.some((one) => one.decision === known));
  const stop = findStopReason(heard);
  const word: BeforeTool = { notes: collectNotes('PreToolUse', heard), input: changing?.input, stop };
  if (!decision) return word;
  const reason = joinReasons(decisive.filter((one) => one.decision === decision));
  if (decision !== 'defer') return { ...word, decision: { behaviour: decision, reason } };
  // Another program will run the call later: it is not run now, and the agent does not continue without it.
  return {
    ...word,
    decision: { behaviour: 'deny', reason: `deferred, not run: ${reason}` },
    stop: stop ?? `A hook deferred a call: ${reason}`,
  };
}

/** A yes to the model's input is not a yes to another hook's changed input. */
function isAboutWhatRuns(one: Heard, changing: Heard | undefined): boolean {
  return !changing?.input || JSON.stringify(one.input) === JSON.stringify(changing.input);
}

function joinReasons(heard: readonly Heard[]): string {
  const reasons = heard.map(({ reason, entry }) => reason ?? `decided by a hook of ${entry.source.file}`);
  return boundText([...new Set(reasons)].join('; '), maxCharacters);
}

export function afterTool(event: HookEvent, heard: readonly Heard[]): AfterTool {
  const changed = heard.findLast(({ toolOutput }) => toolOutput !== undefined);
  const blocks = heard.flatMap(({ block }) => (block === undefined ? [] : [labelHookNote(event, block)]));
  return {
    notes: [...blocks, ...collectNotes(event, heard)],
    content: changed ? buildContent(changed.toolOutput) : undefined,
    stop: findStopReason(heard),
  };
}

function buildContent(output: unknown): ResultContent[] {
  return [{ type: 'text', text: typeof output === 'string' ? output : JSON.stringify(output) }];
}

/** A no wins; of several yeses the first is used. */
export function combineAnswers(heard: readonly Heard[]): Answer | undefined {
  const answers = heard.flatMap(({ answer }) => (answer ? [answer] : []));
  return answers.find(({ behaviour }) => behaviour === 'deny') ?? answers[0];
}

export function collectNotes(event: HookEvent, heard: readonly Heard[]): Note[] {
  return heard.flatMap(({ context }) => (context === undefined ? [] : [labelHookNote(event, context)]));
}

/** Why it must not happen, if one of them says so; `continue: false` says it too. */
export function findHookRefusal(heard: readonly Heard[]): { refusal?: string } {
  const found = heard.find(({ block, stop }) => block !== undefined || stop !== undefined);
  return { refusal: found?.block ?? found?.stop };
}

export function findStopReason(heard: readonly Heard[]): string | undefined {
  return heard.find(({ stop }) => stop !== undefined)?.stop;
}

/** A hook's text for the model: labelled, and unable to pass for the harness itself. */
export function labelHookNote(event: HookEvent, text: string, how = 'adds'): Note {
  return remind(`The user's ${event} hook ${how}:\n${escapeHarnessTags(text)}`);
}
