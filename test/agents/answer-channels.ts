import { connectSession } from '../../src/door/door-client.ts';
import { HostQuestions } from '../../src/headless/host/host-questions.ts';
import type { Io } from '../../src/headless/io.ts';
import { systemClock } from '../../src/lib/clock.ts';
import { countedIds } from '../../src/lib/ids.ts';
import type { SessionOptions } from '../../src/session/options.ts';
import type { Story } from './support.ts';

type Input = Record<string, unknown>;

/** What is said to the n-th question about a call of this tool: the input to go on with. */
export interface Answering {
  tool: string;
  /** Called while the question is open; what it returns is the input of the yes. */
  answer(input: Input, asked: number): Input;
}

/** A way in which a yes with an input reaches a session. */
export interface Channel {
  name: string;
  options(answering: Answering): SessionOptions;
  attach?(story: Story, answering: Answering): Promise<void> | void;
}

export const channels: readonly Channel[] = [
  {
    name: 'the library’s onQuestion',
    options: (answering) => {
      const next = counted(answering);
      return {
        onQuestion: async ({ toolName, input }) =>
          toolName === answering.tool ? { behaviour: 'allow', input: next(input) } : { behaviour: 'allow' },
      };
    },
  },
  {
    name: 'a host on the wire',
    options: () => ({ attended: true }),
    attach: ({ session }, answering) => {
      const next = counted(answering);
      const questions: HostQuestions = new HostQuestions(
        session,
        {
          writeOut: async (text: string) => {
            const { request_id, request, type } = JSON.parse(text);
            if (type !== 'control_request') return true;
            const isOurs = request.tool_name === answering.tool;
            const response = {
              behavior: 'allow',
              ...(isOurs ? { updatedInput: next(request.input) } : {}),
            };
            questions.answer({
              type: 'control_response',
              response: { subtype: 'success', request_id, response },
            });
            return true;
          },
        } as unknown as Io,
        countedIds(),
      );
      void (async () => {
        for await (const event of session.events()) await questions.accept(event);
      })();
    },
  },
  {
    name: 'the door’s answer command',
    options: () => ({ attended: true }),
    attach: ({ session, at }, answering) => answerAtDoor(session.id, at.home, answering),
  },
  {
    name: 'a PermissionRequest hook',
    options: (answering) => {
      const next = counted(answering);
      return {
        onQuestion: async () => ({ behaviour: 'deny', message: 'a person was asked' }),
        hooks: {
          PermissionRequest: [
            {
              run: (given) => {
                const { tool_name, tool_input } = given as unknown as {
                  tool_name: string;
                  tool_input: Input;
                };
                const updatedInput = tool_name === answering.tool ? next(tool_input) : undefined;
                return say('PermissionRequest', { decision: { behavior: 'allow', updatedInput } });
              },
            },
          ],
        },
      };
    },
  },
  {
    name: 'a PreToolUse hook that asks, and a yes',
    options: (answering) => {
      const next = counted(answering);
      return {
        onQuestion: async ({ toolName, input }) =>
          toolName === answering.tool ? { behaviour: 'allow', input: next(input) } : { behaviour: 'allow' },
        hooks: {
          PreToolUse: [
            {
              matcher: answering.tool,
              run: (given) =>
                say('PreToolUse', {
                  permissionDecision: 'ask',
                  updatedInput: (given as unknown as { tool_input: Input }).tool_input,
                }),
            },
          ],
        },
      };
    },
  },
];

/** Fields in another order, as a host may send them back. */
export function sentBack(input: Input): Input {
  return JSON.parse(JSON.stringify(Object.fromEntries(Object.entries(input).reverse())));
}

async function answerAtDoor(sessionId: string, home: string, answering: Answering): Promise<void> {
  const next = counted(answering);
  const connected = await connectSession(
    { home, sessionId, pid: process.pid },
    { client: 'test', clock: systemClock, patienceMs: 30_000, events: 'all' },
  );
  if (!connected.ok) throw new Error(connected.problem.message);
  const client = connected.value;
  client.follow((event) => {
    if (event.type !== 'question_asked') return;
    const { id: questionId, toolName, input } = event.question;
    const more = toolName === answering.tool ? { input: next(input) } : {};
    void client.send({ type: 'answer', questionId, answer: { behaviour: 'allow', ...more } });
  });
}

function counted({ answer }: Answering): (input: Input) => Input {
  let asked = 0;
  return (input) => answer(input, asked++);
}

function say(hookEventName: string, more: object) {
  return { hookSpecificOutput: { hookEventName, ...more } };
}
