import { visible } from '../lib/text/text.ts';
import { describeAge, formatSession } from '../workspace/worktrees/identity.ts';
import { countCommits, nameFile, nameFiles } from '../workspace/worktrees/words.ts';
import type { Dropped, ToDrop } from './drop.ts';
import type { Outlook } from './forecast.ts';
import type { About, Conflict, Landing, LandReport, Owner } from './types.ts';

/** For users and models: what landed, what did not, and what to do next. */
export function renderReport({ target, from, to, landings, refusal, ...after }: LandReport): string {
  const lines = landings.map((landing) => renderLanding(landing, target));
  const end = refusal
    ? `Nothing was landed on ${target}: ${plain(refusal.reason)}${listed(refusal.files)}.${refusal.hint ? `\n${refusal.hint}` : ''}`
    : from === to
      ? landings.length === 0
        ? 'There are no worktrees to land.'
        : landings.every((landing) => landing.status === 'empty' && landing.isThere)
          ? `There was nothing left to land: ${target} has all of it.`
          : `Nothing was landed on ${target}.`
      : `${target} is at ${to.slice(0, 12)} now.`;
  return [...lines, end, ...describeSubmodules(after)].join('\n');
}

/** Git leaves the files of a submodule to the user: fetching its commit may need a login. */
function describeSubmodules({ submodules = [], top = '' }: Pick<LandReport, 'submodules' | 'top'>): string[] {
  if (submodules.length === 0) return [];
  const names = nameFiles(submodules);
  const are = submodules.length === 1 ? `submodule ${names}` : `submodules ${names}`;
  const state = submodules.length === 1 ? 'is not at its landed commit' : 'are not at their landed commits';
  const command = `git submodule update --init -- ${submodules.map((path) => quoteName(nameFile(path))).join(' ')}`;
  return [`The ${are} in ${nameFile(top)} ${state}. Run there: ${command}`];
}

function quoteName(name: string): string {
  return /^[\w./-]+$/.test(name) ? name : `'${name.replaceAll("'", `'\\''`)}'`;
}

export function renderLanding(landing: Landing, target: string): string {
  const { name, owner } = landing;
  const whose = nameOwner(owner);
  switch (landing.status) {
    case 'landed':
      return `landed    ${name}: ${countCommits(landing.commits)}${listed(landing.files)}${guarded(landing)}${stays(landing)}`;
    case 'empty':
      return `empty     ${name}: ${describeEmpty(landing.isThere === true, target)}${stays(landing)}`;
    case 'busy':
      return `busy      ${name}: ${whose} is working in it`;
    case 'blocked':
      return `blocked   ${name} (${whose}): ${plain(landing.reason)}${listed(landing.files)}.${landing.hint ? ` ${landing.hint}` : ''}`;
    case 'gate':
      return `gate      ${name} (${whose}) does not pass:\n${indent(visible(landing.output))}`;
    case 'failed':
      return `failed    ${name} (${whose}): ${plain(landing.reason)}`;
    case 'conflict': {
      const users =
        landing.with &&
        `${landing.with}, which it began with and ${target} does not have. Commit them, then land again`;
      return `conflict  ${name} (${whose}) with ${users ?? target}:\n${indent(renderConflicts(landing.conflicts))}`;
    }
    case 'waiting':
      return `waiting   ${name} (${whose}): it was not landed and stays as it is`;
  }
}

export function describeEmpty(isThere: boolean, target: string): string {
  return isThere ? `all of its work is on ${target} already` : `nothing to land on ${target}`;
}

/** All of them: the user should not approve a path that the list left out. */
export function guarded({ protected: paths = [] }: { protected?: string[] }): string {
  return paths.map((path) => `\n    changes a protected path: ${nameFile(path)}`).join('');
}

function stays({ kept }: { kept?: string }): string {
  return kept === undefined ? '' : `\n    its worktree stays: ${plain(kept)}`;
}

/** `now`: for a reader who sees the worktrees of all sessions. */
export function renderForecast(
  { target, worktrees }: { target: string; worktrees: readonly Outlook[] },
  now?: number,
): string {
  if (worktrees.length === 0) return 'There are no worktrees.';
  return worktrees
    .map(({ isBusy, files, overlaps, obstacle, ...outlook }) => {
      const state = isBusy ? 'running' : 'idle';
      const changed = files.length === 0 ? 'nothing changed' : `${files.length} changed${listed(files)}`;
      const lines = overlaps.map((one) => {
        const paths = one.conflicts.length > 0 ? one.conflicts.map(({ path }) => path) : one.files;
        if (one.with === target || one.conflicts.length > 0)
          return `  conflict with ${one.with}${listed(paths)}`;
        return `  same files as ${one.with}${listed(paths)}`;
      });
      const hindered = obstacle === undefined ? [] : [`  cannot land: ${plain(obstacle)}`];
      const head = `${outlook.name} (${nameOrigin(outlook, now)}, ${state}): ${changed}${guarded(outlook)}`;
      return [head, ...hindered, ...lines].join('\n');
    })
    .join('\n');
}

export function renderToDrop(plan: readonly ToDrop[], now?: number): string {
  return plan.map((one) => `${one.name} (${nameOrigin(one, now)}): ${plain(one.holds)}`).join('\n');
}

export function renderDropped(dropped: readonly Dropped[]): string {
  return dropped
    .map(({ name, dropped: gone, reason }) =>
      gone ? `${name} was removed.` : `${name} was not removed: ${plain(reason ?? 'git refused')}.`,
    )
    .join('\n');
}

/** Whose it is; for a reader who sees those of all sessions also which session's, and how old. */
export function nameOrigin({ owner, session, createdAt }: About, now: number | undefined): string {
  if (now === undefined) return nameOwner(owner);
  return `${nameOwner(owner)}, session ${formatSession(session)}, ${describeAge(createdAt, now)}`;
}

export function nameOwner({ agentId, name }: Owner): string {
  if (agentId === null) return 'the session itself';
  return name === undefined ? `agent ${agentId}` : `agent ${name}, ${agentId}`;
}

function renderConflicts(conflicts: readonly Conflict[]): string {
  return conflicts
    .map(({ path, hunks, note }) =>
      [
        nameFile(path),
        ...(hunks.length > 0
          ? hunks.map(visible)
          : [note === undefined ? '(deleted on one side, or not text)' : `(${nameFile(note)})`]),
      ].join('\n'),
    )
    .join('\n');
}

function listed(files: readonly string[]): string {
  return files.length === 0 ? '' : `: ${nameFiles(files)}`;
}

/** Lines after the first are indented, so that none looks like a line of the report. */
function plain(text: string): string {
  return visible(text).replaceAll('\n', '\n    ');
}

function indent(text: string): string {
  return text.replaceAll(/^/gm, '    ');
}
