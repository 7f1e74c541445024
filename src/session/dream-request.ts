import { existsSync } from 'node:fs';
import { basename, join } from 'node:path';
import type { DreamRequest } from '../agents/dream.ts';
import { dreamDirectory, saveProposal } from '../knowledge/dream-files.ts';
import { readTarget } from '../knowledge/dream-target.ts';
import { labelled } from '../knowledge/label.ts';
import { boundText } from '../lib/text.ts';
import { textOf } from '../protocol/index.ts';
import type { TranscriptRecord } from '../protocol/record.ts';
import { dream } from '../settings/table/settings.ts';
import { listSessions } from '../store/sessions.ts';
import { loadTranscript } from '../store/transcript.ts';
import type { Surroundings } from './surroundings.ts';

export interface DreamWish {
  about?: string;
  model?: string;
  maxTokens?: number;
}

const maxSessions = 8;
const largestSession = 8_000;
const largestDigest = 40_000;
const longestSaying = 1_500;

export function dreamsOf({ home, layout, root }: Pick<Surroundings, 'home' | 'layout' | 'root'>): string {
  return dreamDirectory(home, basename(layout.projectDirectory(root)));
}

/** What a dream is given: past sessions of this directory, but not the one that it is part of. */
export async function dreamRequest(
  around: Surroundings,
  ownId: string,
  { about, model, maxTokens = dream.members.maxTokens.usual }: DreamWish,
): Promise<DreamRequest> {
  const { root } = around;
  const target = targetIn(root);
  const notes = readTarget(root, target);
  return {
    ...(about === undefined ? {} : { about }),
    ...(model === undefined ? {} : { model }),
    maxTokens,
    digest: await digestOf(around, ownId),
    notes: notes.ok ? boundText(notes.value.text, 100_000) : '',
    target,
    project: root,
    save: (proposal) => saveProposal(dreamsOf(around), proposal),
  };
}

/** The memory file that there is, or one of our own. */
function targetIn(root: string): string {
  const found = ['AGENTS.md', 'CLAUDE.md', '.claude/CLAUDE.md'].find((name) => existsSync(join(root, name)));
  return found ?? '.cadre/AGENTS.md';
}

async function digestOf({ layout, cwd }: Surroundings, ownId: string): Promise<string> {
  const sessions = (await listSessions(layout, cwd, maxSessions + 1)).filter(({ id }) => id !== ownId);
  const parts: string[] = [];
  let room = largestDigest;
  for (const { id, path, modifiedAt } of sessions.slice(0, maxSessions)) {
    const loaded = await loadTranscript(path);
    if (!loaded.ok) continue;
    const said = loaded.value.records.flatMap(sayingOf).join('\n\n');
    if (said === '') continue;
    const part = labelled(
      'transcript',
      { session: id, date: new Date(modifiedAt).toISOString().slice(0, 10) },
      boundText(said, Math.min(largestSession, room)),
    );
    room -= part.length;
    if (room < 0) break;
    parts.push(part);
  }
  return parts.join('\n\n');
}

/** What people and agents said, and what went wrong. What tools returned otherwise is long, and rarely a lesson. */
function sayingOf(record: TranscriptRecord): string[] {
  if (record.type !== 'user' && record.type !== 'assistant') return [];
  const { content } = record.message;
  if (record.type === 'assistant') return saying('agent', textOf(content));
  if (record.origin.kind === 'human') return saying('user', textOf(content));
  return content.flatMap((block) =>
    block.type === 'tool_result' && block.is_error
      ? saying('a call failed', textOf(block.content).slice(0, 300))
      : [],
  );
}

function saying(who: string, text: string): string[] {
  return text.trim() === '' ? [] : [`[${who}] ${boundText(text.trim(), longestSaying)}`];
}
