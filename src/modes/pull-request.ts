import { z } from 'zod';
import { failure, formatError, ok, type Result } from '../lib/result.ts';
import { boundText, visible, visibleLine } from '../lib/text/text.ts';

/** A pull request as a forge shows it, in our own words. All text in it was written by other people. */
export interface PullRequest {
  title: string;
  state: 'open' | 'closed' | 'merged';
  /** Reviews and comments by their ids: one line or more each. */
  said: ReadonlyMap<string, string>;
  /** The state of each check. */
  checks: ReadonlyMap<string, string>;
}

const text = z.string().nullish();
const author = z.looseObject({ login: text }).nullish();

const github = z.looseObject({
  title: z.string(),
  state: z.string(),
  reviews: z.array(z.looseObject({ id: z.string(), author, state: text, body: text })).nullish(),
  comments: z.array(z.looseObject({ id: z.string(), author, body: text })).nullish(),
  statusCheckRollup: z
    .array(z.looseObject({ name: text, context: text, status: text, conclusion: text, state: text }))
    .nullish(),
});

export function readGithub(json: string): Result<PullRequest> {
  const read = parse(github, json, 'gh');
  if (!read.ok) return read;
  const { title, state, reviews, comments, statusCheckRollup } = read.value;
  const said = new Map<string, string>();
  for (const { id, author: by, state: how, body } of reviews ?? [])
    said.set(id, line(`review by ${by?.login ?? 'unknown'}: ${words(how ?? 'commented')}`, body));
  for (const { id, author: by, body } of comments ?? [])
    said.set(id, line(`comment by ${by?.login ?? 'unknown'}`, body));
  const checks = new Map<string, string>();
  for (const { name, context, status, conclusion, state: how } of statusCheckRollup ?? [])
    checks.set(short(name || context || 'check'), words(conclusion || how || status || 'unknown'));
  return ok({ title: short(title), state: readState(state), said, checks });
}

const mergeRequest = z.looseObject({
  title: z.string(),
  state: z.string(),
  head_pipeline: z.looseObject({ status: text }).nullish(),
});
const note = z.looseObject({
  id: z.union([z.number(), z.string()]),
  body: text,
  system: z.boolean().nullish(),
  author: z.looseObject({ username: text }).nullish(),
});

export function readGitlab(request: string, notes: string): Result<PullRequest> {
  const read = parse(mergeRequest, request, 'glab');
  if (!read.ok) return read;
  const listed = parse(z.array(note), notes, 'glab');
  if (!listed.ok) return listed;
  const said = new Map<string, string>();
  for (const { id, body, system, author: by } of [...listed.value].reverse())
    said.set(String(id), line(`${system ? 'activity' : 'comment'} by ${by?.username ?? 'unknown'}`, body));
  const { title, state, head_pipeline } = read.value;
  const status = head_pipeline?.status;
  const checks = new Map(status ? [['pipeline', words(status)] as const] : []);
  return ok({ title: short(title), state: readState(state), said, checks });
}

/** Everything in the second that was not in the first, one line or more for each. */
export function newsBetween(before: PullRequest, now: PullRequest): string[] {
  const said = [...now.said].flatMap(([id, what]) => (before.said.has(id) ? [] : [what]));
  const checks = [...now.checks].flatMap(([name, how]) =>
    before.checks.get(name) === how ? [] : [`- check ${name}: ${how}`],
  );
  const state = now.state === before.state ? [] : [`- it is ${now.state}`];
  return [...said, ...checks, ...state];
}

/** Each item is reported once, even when it drops out of a list and comes back. */
export function remembering(before: PullRequest, now: PullRequest): PullRequest {
  return { ...now, said: new Map([...before.said, ...now.said]) };
}

/** Its state in one line. */
export function describePullRequest({ title, state, said, checks }: PullRequest): string {
  const counts = new Map<string, number>();
  for (const how of checks.values()) counts.set(how, (counts.get(how) ?? 0) + 1);
  const listed = [...counts].map(([how, count]) => `${count} ${how}`).join(', ') || 'none';
  return `"${title}", ${state}; ${said.size} reviews and comments; checks: ${listed}`;
}

function parse<Schema extends z.ZodType>(
  schema: Schema,
  json: string,
  program: string,
): Result<z.output<Schema>> {
  try {
    const read = schema.safeParse(JSON.parse(json));
    if (read.success) return ok(read.data);
    const issue = read.error.issues[0];
    return failure(
      `${program} gave an unexpected answer: ${issue?.path.map(String).join('.')}: ${issue?.message}.`,
    );
  } catch (error) {
    return failure(`${program} did not answer with JSON: ${formatError(error)}`);
  }
}

function readState(state: string): PullRequest['state'] {
  const word = state.toLowerCase();
  return word === 'merged' || word === 'closed' ? word : 'open';
}

function line(head: string, body: string | null | undefined): string {
  const shown = boundText(visible(body ?? '').trim(), 1_500);
  return `- ${visibleLine(head, 200)}${shown === '' ? '' : `\n  ${shown.replaceAll('\n', '\n  ')}`}`;
}

/** `CHANGES_REQUESTED` reads better as words. */
function words(constant: string): string {
  return visibleLine(constant.toLowerCase().replaceAll('_', ' '), 100);
}

function short(given: string): string {
  return visibleLine(given, 200);
}
