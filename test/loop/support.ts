import { z } from 'zod';
import { manualClock } from '../../src/lib/clock.ts';
import { countedIds } from '../../src/lib/ids.ts';
import { ok } from '../../src/lib/result.ts';
import type { AgentContext } from '../../src/loop/agent-context.ts';
import { Conversation } from '../../src/loop/conversation.ts';
import { query } from '../../src/loop/query.ts';
import { withWholeAnswers } from '../../src/models/whole-answers.ts';
import { fullRole, openCeiling } from '../../src/permissions/ceiling.ts';
import {
  type Access,
  type AgentEvent,
  type Answer,
  defineTool,
  type ModelFacts,
  type Outcome,
  type Tool,
  type ToolResult,
  type ToolResultBlock,
  textResult,
} from '../../src/protocol/index.ts';
import { Inbox } from '../../src/tasks/inbox.ts';
import { type ScriptedModel, scriptedModel, type Turn, type TurnMaker } from '../../src/testing/index.ts';
import { resolveRealPath } from '../../src/workspace/real-path.ts';

export interface Stage {
  agent: AgentContext;
  model: ScriptedModel;
  controller: AbortController;
  prompt(text: string, delivery?: 'steer' | 'queue'): void;
}

export interface StageOptions {
  tools?: Tool[];
  system?: string[];
  answer?: (question: { toolName: string }) => Answer;
  limits?: Partial<AgentContext['limits']>;
  permissions?: Partial<AgentContext['permissions']>;
  cwd?: string;
  facts?: Partial<ModelFacts>;
  hands?: Partial<AgentContext['hands']>;
}

/** An agent with a scripted model and hands that touch nothing. */
export function stage(turns: Turn[] | TurnMaker, options: StageOptions = {}): Stage {
  const model = scriptedModel(turns, options.facts ? { facts: options.facts } : {});
  const clock = manualClock();
  const inbox = new Inbox();
  const controller = new AbortController();
  const cwd = options.cwd ?? '/workspace';
  const agent: AgentContext = {
    agentId: null,
    identity: { sessionId: 's', parentToolUseId: null, depth: 0, source: 'lead', chainId: 'chain' },
    conversation: new Conversation(),
    inbox,
    clock,
    ids: countedIds(),
    signal: controller.signal,
    model: withWholeAnswers(model, clock),
    system: options.system ?? ['You are under test.'],
    tools: options.tools ?? [],
    thinking: { type: 'off' },
    priority: 'foreground',
    limits: {
      maxOutputTokens: 1_000,
      maxResultCharacters: 10_000,
      maxConcurrentCalls: 10,
      ...options.limits,
    },
    permissions: {
      ceiling: openCeiling,
      role: fullRole,
      mode: 'default',
      rules: [],
      workspace: {
        cwd,
        directories: [],
        home: '/home/user/.cadre',
        userHome: '/home/user',
        realPath: resolveRealPath,
      },
      ...options.permissions,
    },
    approval: {
      ask: async (question) =>
        options.answer?.(question) ?? { behaviour: 'deny', message: 'nobody is there' },
    },
    hands: { ...idleHands(cwd), ...options.hands },
  };
  const prompt = (text: string, delivery: 'steer' | 'queue' = 'queue') =>
    inbox.post({ delivery, content: [{ type: 'text', text }], origin: { kind: 'human' } });
  return { agent, model, controller, prompt };
}

function idleHands(cwd: string): AgentContext['hands'] {
  return {
    directory: { root: cwd, current: cwd, move() {} },
    files: { get: () => undefined, set() {} },
    history: { keep: async () => ok(undefined) },
    outputs: { pathFor: (name) => `/nowhere/${name}` },
    shell: { shell: '/bin/sh', environment: async () => ({}) } as AgentContext['hands']['shell'],
    tasks: {
      spawn: () => {
        throw new Error('no tasks here');
      },
      find: () => undefined,
    },
    todos: { replace() {} },
  };
}

/** Runs the loop to its end and hands over everything it yielded. */
export async function play(
  agent: AgentContext,
  onEvent?: (event: AgentEvent) => void,
): Promise<{ outcome: Outcome; events: AgentEvent[] }> {
  const events: AgentEvent[] = [];
  const loop = query(agent);
  for (;;) {
    const step = await loop.next();
    if (step.done) return { outcome: step.value, events };
    events.push(step.value);
    onEvent?.(step.value);
  }
}

/** A tool of the test's own. It reads nothing unless told otherwise, and echoes `text`. */
export function testTool(
  name: string,
  options: {
    concurrent?: boolean;
    access?: (input: { text: string }) => Access[];
    run?: (text: string, signal: AbortSignal) => Promise<ToolResult>;
  } = {},
): Tool {
  return defineTool({
    name,
    description: `${name} for tests`,
    schema: z.strictObject({ text: z.string() }),
    access: (input) => options.access?.(input) ?? [{ kind: 'none' }],
    concurrent: () => options.concurrent ?? true,
    summary: (input) => input.text,
    // biome-ignore lint/correctness/useYield: a tool need not report progress.
    async *run(input, context) {
      return options.run ? options.run(input.text, context.signal) : textResult(input.text);
    },
  }) as Tool;
}

export function resultsOf(events: AgentEvent[]): { id: string; text: string; isError: boolean }[] {
  return events.flatMap((event) =>
    event.type !== 'message_added' || event.record.type !== 'user'
      ? []
      : event.record.message.content
          .filter((block): block is ToolResultBlock => block.type === 'tool_result')
          .map((block) => ({
            id: block.tool_use_id,
            text: block.content.map((part) => (part.type === 'text' ? part.text : '[image]')).join(''),
            isError: block.is_error === true,
          })),
  );
}
