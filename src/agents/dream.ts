import type { Proposal } from '../knowledge/dream-proposal.ts';
import type { Result } from '../lib/result.ts';
import { escapeHarnessTags } from '../lib/text/harness-tags.ts';
import { findSteering } from '../lib/text/steering.ts';
import { visibleLine } from '../lib/text/text.ts';
import type { RunningTask, TaskEnd } from '../protocol/index.ts';
import type { AgentDefinition } from './definition.ts';
import type { AgentKernel } from './kernel.ts';
import { endAgent, prepareAgent } from './prepare-agent.ts';
import dreamPrompt from './prompts/dream.md' with { type: 'text' };
import type { LiveAgent } from './roster.ts';
import { runAgent } from './run-agent.ts';
import { writeOpening } from './start-agent.ts';

export interface DreamRequest {
  /** The topic to look for, in the user's words. */
  about?: string | undefined;
  model?: string | undefined;
  /** Limits for the whole run. */
  maxTokens: number;
  /** Parts of past sessions, labelled; empty if there are none. */
  digest: string;
  /** The memory file as it is now. */
  notes: string;
  target: string;
  project: string;
  save(proposal: Proposal): Result<string>;
}

const maxLines = 12;
const maxLineLength = 400;
const maxWhyLength = 1_000;

/** No tools at all: it reads its input, and its answer is its only effect. */
const dreamer: AgentDefinition = {
  name: 'dream',
  description: 'Reviews past sessions and proposes better notes.',
  prompt: dreamPrompt.trim(),
  source: 'built-in',
  tools: [],
  disallowedTools: [],
  background: true,
  mcpServers: [],
  skills: [],
  omitProjectMemory: false,
  role: { tools: [], denied: [], shell: 'none', writes: false },
  notes: [],
};

/**
 * One dream: a single request without tools, in the background, with its own budget. Its answer is screened and kept as
 * a proposal; its end says where that is, but not what it contains.
 */
export async function dream(
  agents: AgentKernel,
  parent: LiveAgent,
  request: DreamRequest,
  task: RunningTask,
): Promise<TaskEnd> {
  if (request.digest === '') return done('No finished sessions to review yet.');
  const settings = { ...agents.settings, maxTurns: 1, maxTokens: request.maxTokens, timeoutSeconds: 600 };
  const wished = {
    toolUseId: task.id,
    description: 'dream',
    model: request.model,
    background: true,
    type: dreamer,
    isolation: 'shared' as const,
    prompt: `${request.about ? `Look mainly for: ${escapeHarnessTags(request.about)}\n\n` : ''}${request.digest}`,
    isLabelled: true,
  };
  const options = { id: task.id, signal: task.signal, settings };
  const made = await prepareAgent(agents, parent, wished, options, (prepared) => prepared);
  if (!made.ok) return { status: 'failed', text: '', reason: made.problem.message };
  const spec = made.value;
  const context = spec.makeContext(task.signal);
  writeOpening(spec, agents, context, []);
  const { content } = spec.conversation;
  context.inbox.post({ delivery: 'steer', content: [...content], origin: { kind: 'delegation' } });
  const { outcome } = await runAgent(agents, spec, task).finally(() => endAgent(agents, spec, context));
  if (outcome.kind !== 'completed')
    return { status: 'failed', text: '', outcome: outcome.kind, reason: outcome.reason ?? outcome.kind };
  return keep(request, task.id, outcome.text, new Date(agents.clock.now()).toISOString());
}

function keep(request: DreamRequest, id: string, answer: string, createdAt: string): TaskEnd {
  const read = readAnswer(answer);
  if (!read) return { status: 'failed', text: '', reason: 'The answer did not have the requested form.' };
  const { add, dropped } = screen(read.add);
  const existing = new Set(request.notes.split('\n'));
  const remove = read.remove.filter((line) => existing.has(line) && line.trim() !== '');
  const fresh = add.filter((line) => !existing.has(line));
  if (fresh.length + remove.length === 0)
    return done(`Nothing worth a note was found.${sayDropped(dropped)}`);
  const { project, target } = request;
  const saved = request.save({
    id,
    createdAt,
    project,
    target,
    state: 'open',
    why: read.why + sayDropped(dropped),
    add: fresh,
    remove,
  });
  if (!saved.ok) return { status: 'failed', text: '', reason: saved.problem.message };
  return done(`A proposal for ${target}: cadre dream show ${id}`);
}

function done(text: string): TaskEnd {
  return { status: 'completed', text };
}

/** The JSON in an answer, whatever a model put around it; every part bounded and on one line. */
function readAnswer(text: string): { why: string; add: string[]; remove: string[] } | undefined {
  try {
    const found: unknown = JSON.parse(text.slice(text.indexOf('{'), text.lastIndexOf('}') + 1));
    if (typeof found !== 'object' || found === null) return undefined;
    const list = (name: string): string[] => {
      const value: unknown = Reflect.get(found, name);
      return (Array.isArray(value) ? value : [])
        .filter((item): item is string => typeof item === 'string' && item.trim() !== '')
        .slice(0, maxLines);
    };
    const why: unknown = Reflect.get(found, 'why');
    return {
      why: visibleLine(typeof why === 'string' ? why : '', maxWhyLength).replaceAll('```', ''),
      add: list('add').map((line) => visibleLine(line, maxLineLength)),
      remove: list('remove'),
    };
  } catch {
    return undefined;
  }
}

/**
 * The same check as for an agent's report: lines that try to steer their reader are removed before a tired user could
 * accept them.
 */
function screen(lines: readonly string[]): { add: string[]; dropped: number } {
  const add = lines.filter(
    (line) => findSteering(line.replace(/[`">]/g, '')).length === 0 && !/@[~./\w]/.test(line),
  );
  return { add, dropped: lines.length - add.length };
}

function sayDropped(count: number): string {
  if (count === 0) return '';
  return ` (${count === 1 ? 'One line' : `${count} lines`} that looked like instructions or imports ${count === 1 ? 'was' : 'were'} left out.)`;
}
