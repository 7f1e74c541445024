import type { Dropped } from './drop.ts';
import type { Outlook } from './forecast.ts';
import type { Conflict, Landing, LandReport, Owner } from './types.ts';

/** For people and models alike: what landed, what did not, and what to do about it. */
export function renderReport({ target, from, to, landings, refusal }: LandReport): string {
  const lines = landings.map((landing) => renderLanding(landing, target));
  const end = refusal
    ? `Nothing was landed on ${target}: ${refusal.reason}${listed(refusal.files)}.`
    : from === to
      ? `Nothing was landed on ${target}.`
      : `${target} is at ${to.slice(0, 12)} now.`;
  return [...lines, end].join('\n');
}

function renderLanding(landing: Landing, target: string): string {
  const { name, owner } = landing;
  const whose = nameOwner(owner);
  switch (landing.status) {
    case 'landed': {
      const commits = landing.commits === 1 ? '1 commit' : `${landing.commits} commits`;
      return `landed    ${name}: ${commits}${listed(landing.files)}`;
    }
    case 'empty':
      return `empty     ${name}: nothing that ${target} does not have`;
    case 'busy':
      return `busy      ${name}: ${whose} is at work in it`;
    case 'gate':
      return `gate      ${name} (${whose}) does not pass:\n${indent(landing.output)}`;
    case 'failed':
      return `failed    ${name} (${whose}): ${landing.reason}`;
    case 'conflict':
      return `conflict  ${name} (${whose}) with ${target}:\n${indent(renderConflicts(landing.conflicts))}`;
  }
}

export function renderForecast({
  target,
  worktrees,
}: {
  target: string;
  worktrees: readonly Outlook[];
}): string {
  if (worktrees.length === 0) return 'There are no worktrees.';
  return worktrees
    .map(({ name, owner, isBusy, files, overlaps }) => {
      const state = isBusy ? 'at work' : 'at rest';
      const changed = files.length === 0 ? 'nothing changed' : `${files.length} changed${listed(files)}`;
      const lines = overlaps.map((one) => {
        const paths = one.conflicts.length > 0 ? one.conflicts.map(({ path }) => path) : one.files;
        if (one.with === target || one.conflicts.length > 0)
          return `  conflict with ${one.with}${listed(paths)}`;
        return `  same files as ${one.with}${listed(paths)}`;
      });
      return [`${name} (${nameOwner(owner)}, ${state}): ${changed}`, ...lines].join('\n');
    })
    .join('\n');
}

export function renderDropped(dropped: readonly Dropped[]): string {
  return dropped
    .map(({ name, dropped: gone, reason }) =>
      gone ? `${name} is gone.` : `${name} is still there: ${reason ?? 'git refused'}.`,
    )
    .join('\n');
}

export function nameOwner({ agentId, name }: Owner): string {
  if (agentId === null) return 'the session itself';
  return name === undefined ? `agent ${agentId}` : `agent ${name}, ${agentId}`;
}

function renderConflicts(conflicts: readonly Conflict[]): string {
  return conflicts
    .map(({ path, hunks }) =>
      [path, ...(hunks.length > 0 ? hunks : ['(deleted on one side, or no text)'])].join('\n'),
    )
    .join('\n');
}

const mostListed = 10;

function listed(files: readonly string[]): string {
  if (files.length === 0) return '';
  const more = files.length > mostListed ? ` and ${files.length - mostListed} more` : '';
  return `: ${files.slice(0, mostListed).join(', ')}${more}`;
}

function indent(text: string): string {
  return text.replaceAll(/^/gm, '    ');
}
