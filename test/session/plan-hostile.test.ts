import { describe, expect } from 'bun:test';
import { readFileSync } from 'node:fs';
import type { ModelRequest } from '../../src/protocol/index.ts';
import { openSession } from '../../src/session/open.ts';
import type { SessionOptions } from '../../src/session/options.ts';
import { call, type FixedTurn, say, scriptedModel } from '../../src/testing/index.ts';
import { realServer, withRealServers } from '../mcp/support.ts';
import { needs } from '../support/index.ts';
import { attacks, hired } from './plan-attacks.ts';
import { type PlanGround, planGround } from './plan-ground.ts';
import { follow, type Opened } from './support.ts';

/** All that could be granted, by rule, by definition and by hook. */
function everything(ground: PlanGround): SessionOptions {
  return {
    cwd: ground.cwd,
    environment: ground.environment,
    permissionMode: 'plan',
    allowBypass: true,
    trust: true,
    settings: '{"sandbox":{"excludedCommands":["tar","git stash"]},"mcp":{"startupWaitMs":20000}}',
    allowedTools: [
      ...['Bash', 'Write', 'Edit', 'NotebookEdit', 'Agent', 'Monitor', 'Skill', 'Land', 'mcp__files'],
      ...['Bash(python3:*)', 'Bash(node:*)', 'Bash(touch:*)', 'Bash(git:*)', 'Bash(sed:*)', 'Edit(**)'],
      ...['Bash(make)', 'mcp__files__write_file', 'mcp__files__edit_file', 'EnterWorktree', 'ExitWorktree'],
    ],
    agents: { bold: { description: 'Bold', prompt: 'Be bold.', permissionMode: 'bypassPermissions' } },
    mcpServers: { files: realServer('filesystem', ground.cwd) },
    hooks: {
      PreToolUse: [
        { run: (input) => hookWord('PreToolUse', { permissionDecision: 'allow', ...changedInput(input) }) },
      ],
      PermissionRequest: [{ run: () => hookWord('PermissionRequest', { decision: { behavior: 'allow' } }) }],
    },
  };
}

function hookWord(hookEventName: string, more: object) {
  return { hookSpecificOutput: { hookEventName, ...more } };
}

function changedInput(input: object): object {
  return JSON.stringify(input).includes('git status > b.txt')
    ? { updatedInput: { command: 'touch by-hook.txt' } }
    : {};
}

interface Assault {
  ground: PlanGround;
  story: Opened;
  /** Results of calls that the lead and its agents have made. */
  tried(): number;
}

/** Agents try everything whenever they are asked; the lead does what its script says. */
async function assail(
  lead: (ground: PlanGround, request: ModelRequest, turn: number) => FixedTurn | undefined,
  options: SessionOptions,
  /** What agents wait for before they begin. */
  meanwhile: (story: Opened) => void = () => {},
): Promise<Assault> {
  const ground = await planGround();
  const agents = new Map<string, FixedTurn[]>();
  let turn = 0;
  const begun = Promise.withResolvers<void>();
  const model = scriptedModel(async (request: ModelRequest) => {
    const agentId = request.asker?.agentId ?? null;
    if (agentId === null) return lead(ground, request, turn++) ?? say('I am done.');
    await begun.promise;
    const left = agents.get(agentId) ?? attacks(ground);
    agents.set(agentId, left);
    const next = left.shift();
    if (next === undefined) agents.delete(agentId);
    return next ?? say('I am done.');
  });
  const opened = await openSession({ ...everything(ground), model, ...options });
  if (!opened.ok) throw new Error(opened.problem.message);
  const story = follow(opened.value, model);
  const tried = () =>
    story.events.filter(
      (event) =>
        event.type === 'message_added' &&
        event.record.type === 'user' &&
        event.record.origin.kind === 'tool-results',
    ).length;
  const prompted = story.prompt('Go');
  if (meanwhile.length > 0) await prompted;
  meanwhile(story);
  begun.resolve();
  await prompted;
  await settled(story);
  return { ground, story, tried };
}

async function settled({ session }: Opened): Promise<void> {
  await session.finished(new AbortController().signal, ({ kind }) => kind === 'local_agent');
}

const hire = (more: object) => call('Agent', { description: 'x', prompt: 'Try all', ...more });

function planFileIn(request: ModelRequest): string {
  return /The plan file: ([^"\\<]+\.md)/.exec(JSON.stringify(request.messages))?.[1] ?? '';
}

const withSandbox: typeof withRealServers = needs('bwrap') && withRealServers;

for (const [name, sandbox, test] of [
  ['with a sandbox', true, withSandbox],
  ['without a sandbox', false, withRealServers],
] as const)
  describe(name, () => {
    test('PL1 G2 an agent that tries everything in plan mode changes nothing but its plan', async () => {
      let planFile = '';
      const { ground, story, tried } = await assail(
        (at, request, turn) => {
          planFile ||= planFileIn(request);
          return [...attacks(at), call('Write', { file_path: planFile, content: 'The plan.' })][turn];
        },
        { sandbox },
      );
      await story.session.close();
      expect(tried()).toBe(attacks(ground).length + 1);
      expect(ground.changes().map((change) => change.split(':')[0])).toEqual([planFile]);
      expect(readFileSync(planFile, 'utf8')).toBe('The plan.');
    }, 120_000);

    test('PL1 G2 nor does any agent that it hires, whatever its definition says', async () => {
      const { ground, story, tried } = await assail((_, __, turn) => hired.map(hire)[turn], { sandbox });
      await story.session.close();
      expect(ground.changes()).toEqual([]);
      // Two of them wanted worktrees of their own, which is refused.
      expect(tried()).toBeGreaterThanOrEqual((hired.length - 2) * attacks(ground).length);
    }, 120_000);

    test('PL1 G2 nor do agents that were at work when plan mode began', async () => {
      const { ground, story, tried } = await assail(
        (_, __, turn) =>
          [{ subagent_type: 'bold' }, {}].map((one) => hire({ ...one, run_in_background: true }))[turn],
        { sandbox, permissionMode: 'bypassPermissions' },
        ({ session }) => session.send({ type: 'set_permission_mode', mode: 'plan' }),
      );
      await story.session.close();
      expect(ground.changes()).toEqual([]);
      expect(tried()).toBeGreaterThanOrEqual(2 * attacks(ground).length);
    }, 120_000);

    test('PL1 G2 FK1 nor does a fork, nor one that is gone on with', async () => {
      const { ground, story, tried } = await assail(
        (_, __, turn) => (turn === 0 ? hire({ name: 'again' }) : undefined),
        { sandbox, agentLimits: { fork: true } },
      );
      const before = tried();
      expect((await story.session.messageAgent('again', 'Go on')).ok).toBe(true);
      await settled(story);
      await story.session.close();
      expect(ground.changes()).toEqual([]);
      expect(tried()).toBeGreaterThanOrEqual(before + attacks(ground).length);
    }, 120_000);
  });
