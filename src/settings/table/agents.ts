import { form } from '../../lib/form/form.ts';
import { isOn } from '../../lib/switch.ts';
import {
  amount,
  amountOrNone,
  choice,
  count,
  countOrNone,
  flag,
  name,
  readCount,
  switches,
  text,
  turns,
} from './checks.ts';
import { section, single } from './merging.ts';
import type { SettingVariables } from './setting.ts';

const usualAutoBackground = 120;

const autoBackground: SettingVariables<number> = {
  names: ['CADRE_AUTO_BACKGROUND_TASKS', 'CLAUDE_AUTO_BACKGROUND_TASKS'],
  read(given) {
    const seconds = readCount(given);
    if (seconds !== undefined && seconds !== 1) return seconds;
    return isOn(given) ? usualAutoBackground : 0;
  },
  expected: 'on, off or seconds; anything else means off',
  fits: (given) => isOn(given) || readCount(given) !== undefined || /^(?:off|no|false)$/i.test(given),
};

/** In milliseconds, as other products have it. */
const printWait: SettingVariables<number> = {
  names: ['CADRE_PRINT_BG_WAIT_MS', 'CLAUDE_CODE_PRINT_BG_WAIT_CEILING_MS'],
  read: (given) => (/^\s*\d{1,12}\s*$/.test(given) ? Number(given) / 1000 : undefined),
  expected: 'milliseconds, such as 60000, or 0 to wait without limit; the value is ignored',
};

const maxDepth: SettingVariables<number> = {
  names: ['CLAUDE_CODE_MAX_SUBAGENT_SPAWN_DEPTH'],
  read(given) {
    const depth = readCount(given);
    return depth === undefined ? undefined : Math.max(1, Math.min(depth, 3));
  },
  expected: '1, 2 or 3; another number means the nearest of these, and anything else is ignored',
  fits: (given) => /^[123]$/.test(given),
  below: true,
};

const maxConcurrent: SettingVariables<number> = {
  names: ['CLAUDE_CODE_MAX_CONCURRENT_SUBAGENTS'],
  read(given) {
    const agents = readCount(given);
    return agents === undefined ? undefined : Math.max(1, agents);
  },
  expected: 'a whole number from 1; 0 means 1, and anything else is ignored',
  fits: (given) => (readCount(given) ?? 0) > 0,
  below: true,
};

const model: SettingVariables<string> = {
  names: ['CADRE_SUBAGENT_MODEL', 'CLAUDE_CODE_SUBAGENT_MODEL'],
  read: (given) => (given === 'inherit' ? undefined : given),
};

/** How agents run; docs/agents.md. Most of these are limits. */
export const agents = section(
  {
    fork: single(flag, {
      about: 'agents may start with a copy of the conversation (forks)',
      usual: false,
      variables: switches('CADRE_FORK_SUBAGENT', 'CLAUDE_CODE_FORK_SUBAGENT'),
    }),
    maxDepth: single(() => form.number().int().min(1).max(3), {
      about: '1: only the main agent starts agents; 2 or 3: agents start agents too',
      usual: 1,
      variables: maxDepth,
    }),
    maxConcurrent: single(count, {
      about: 'agents that run at the same time; others wait',
      usual: 20,
      variables: maxConcurrent,
    }),
    maxTotal: single(count, { about: 'agents that one session may start in total', usual: 1_000 }),
    autoBackground: single(amountOrNone, {
      about: 'seconds after which a call stops waiting for its agent, which keeps running; 0: never',
      usual: usualAutoBackground,
      variables: autoBackground,
    }),
    background: single(flag, {
      about: '`false`: every agent and command runs in the foreground',
      usual: true,
      variables: turns(false, 'CADRE_DISABLE_BACKGROUND_TASKS', 'CLAUDE_CODE_DISABLE_BACKGROUND_TASKS'),
    }),
    permissionMode: single(choice('default', 'acceptEdits', 'ask'), {
      about:
        'mode of agents whose definition sets none; `ask`: the user decides once per type; `default`: they ask, in their own worktrees too',
      usual: 'ask',
    }),
    handoffCheck: single(choice('off', 'rules', 'model'), {
      about: 'how results are checked for injected instructions before the parent reads them',
      usual: 'rules',
    }),
    maxTurns: single(count, { about: 'model calls in one run of an agent', otherwise: 'no limit' }),
    timeoutSeconds: single(amount, {
      about: 'seconds that one run of an agent may take',
      otherwise: 'no limit',
    }),
    idleSeconds: single(amountOrNone, {
      about: 'an agent is stopped after this many seconds without model or tool activity; 0: never',
      usual: 600,
    }),
    printWaitSeconds: single(amountOrNone, {
      about:
        'with `-p`: the run ends as `unfinished` when no background agent makes progress for this many seconds; 0: never',
      usual: 600,
      variables: printWait,
    }),
    maxTokens: single(count, { about: 'tokens that one run of an agent may use', otherwise: 'no limit' }),
    maxBudgetUsd: single(amount, {
      about: 'dollars that one run of an agent may cost',
      otherwise: 'no limit',
    }),
    askAboveAgents: single(countOrNone, {
      about: 'ask before more agents than this start at once, and show the expected cost',
      usual: 20,
    }),
    askAboveUsd: single(amountOrNone, {
      about: 'ask before starting agents that together could cost more than this, in dollars',
    }),
    giveBack: single(() => form.array(text()), {
      about: 'tools that custom agents may use although they are denied by default',
      // Trusted or not: a repository does not hand out tools that its own agents were denied.
      repository: { refuses: () => true, quietly: true },
    }),
    model: single(name, {
      about: 'model of agents whose definition sets none',
      otherwise: "the parent's model",
      variables: model,
    }),
  },
  { guards: true },
);
