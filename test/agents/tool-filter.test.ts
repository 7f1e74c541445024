import { describe, expect, test } from 'bun:test';
import { defineWorker, explore, generalPurpose, plan } from '../../src/agents/definitions/built-in.ts';
import {
  byDefinition,
  type FilterOptions,
  onlyBackground,
  resolveTools,
  withoutCustomForbidden,
  withoutMetaTools,
} from '../../src/agents/tool-filter.ts';
import { custom } from './definitions.ts';

const meta = [
  'Agent',
  'TaskOutput',
  'TaskStop',
  'EnterPlanMode',
  'ExitPlanMode',
  'AskUserQuestion',
  'TeamCreate',
  'TeamDelete',
  'SendMessage',
  'SyntheticOutput',
];
/** They come with the shell. */
const taskTools = ['TaskOutput', 'TaskStop'];
const metaWithShell = meta.filter((name) => !taskTools.includes(name));
const moving = ['Workflow', 'EnterWorktree', 'ExitWorktree', 'Land', 'PullRequest'];
const background = [
  'Read',
  'Grep',
  'Glob',
  'Edit',
  'Write',
  'Bash',
  'Skill',
  'NotebookEdit',
  'WebFetch',
  'WebSearch',
  'TodoWrite',
];
const board = ['TaskCreate', 'TaskGet', 'TaskList', 'TaskUpdate'];
const mcp = ['mcp__docs__find', 'mcp__docs__open', 'mcp__issues__list'];
const all = [...meta, ...moving, ...background, ...board, ...mcp, 'Monitor'].map((name) => ({ name }));

const options = (given: Partial<FilterOptions> = {}): FilterOptions => ({
  definition: generalPurpose,
  background: false,
  depth: 1,
  maxDepth: 1,
  ...given,
});

const names = (tools: readonly { name: string }[]) => tools.map((tool) => tool.name);
const without = (...lists: string[][]) => names(all).filter((name) => !lists.flat().includes(name));

describe('TF2 layer 1: meta-tools', () => {
  const kept = (given: Partial<FilterOptions> = {}) => names(withoutMetaTools(all, options(given)).kept);

  test('every one of them goes, and nothing else', () => {
    expect(kept()).toEqual(without(meta));
    expect(withoutMetaTools(all, options()).removed.map(({ tool }) => tool)).toEqual(meta);
  });

  test('AG9: Agent stays where the definition names it and the depth leaves room', () => {
    const definition = custom({ tools: ['Read', 'Agent'] });
    expect(kept({ definition, depth: 1, maxDepth: 2 })).toContain('Agent');
    expect(kept({ definition, depth: 2, maxDepth: 2 })).not.toContain('Agent');
    expect(kept({ definition, depth: 1, maxDepth: 1 })).not.toContain('Agent');
    expect(kept({ depth: 1, maxDepth: 3 })).not.toContain('Agent');
  });

  test('AG9: Agent(a) names it too, also beside a star; Agent() does not', () => {
    const star = custom({ tools: '*', spawnable: ['a'] });
    expect(kept({ definition: star, maxDepth: 2 })).toContain('Agent');
    const none = custom({ tools: ['Agent'], spawnable: [] });
    expect(kept({ definition: none, maxDepth: 2 })).not.toContain('Agent');
  });

  test('TF3: ExitPlanMode stays with an agent that makes its own plan', () => {
    expect(kept({ plans: true })).toContain('ExitPlanMode');
    expect(kept({ plans: true })).not.toContain('EnterPlanMode');
  });

  test('TF3: the output tool stays for an agent with a schema', () => {
    expect(kept({ schema: true })).toContain('SyntheticOutput');
  });

  test('TF3: teammates keep Agent, SendMessage and the board', () => {
    expect(kept({ teammate: true })).toEqual(
      without(meta.filter((name) => !['Agent', 'SendMessage'].includes(name))),
    );
  });

  test('TF3: an MCP tool passes whatever it is called', () => {
    expect(names(withoutMetaTools([{ name: 'mcp__x__Agent' }], options()).kept)).toEqual(['mcp__x__Agent']);
  });
});

/** Only the main agent moves the session. */
const moves = ['EnterWorktree', 'ExitWorktree'];

describe('TF2 layer 2: custom agents', () => {
  const kept = (given: Partial<FilterOptions>) => names(withoutCustomForbidden(all, options(given)).kept);

  test.each(['managed', 'cli', 'library', 'project', 'user', 'plugin'] as const)(
    '%s: what moves work goes',
    (source) => {
      expect(kept({ definition: custom({ source }) })).toEqual(without(moving));
    },
  );

  test('built-in types keep what they can use: the session is moved by its main agent', () => {
    expect(kept({ definition: generalPurpose })).toEqual(without(moves));
    expect(kept({ definition: generalPurpose, depth: 0 })).toEqual(names(all));
  });

  test('one that only reads has no tools for worktrees, as the main agent neither', () => {
    for (const depth of [0, 1]) {
      const { tools } = resolveTools(all, options({ definition: explore, depth }));
      for (const name of [...moves, 'Land']) expect(names(tools)).not.toContain(name);
    }
  });

  test('settings give one back, a definition does not', () => {
    const definition = custom({ tools: ['EnterWorktree'] });
    expect(kept({ definition })).not.toContain('EnterWorktree');
    expect(kept({ definition, giveBack: ['EnterWorktree'] })).toContain('EnterWorktree');
    expect(kept({ definition, giveBack: ['EnterWorktree'] })).not.toContain('ExitWorktree');
  });
});

describe('TF2 layer 3: background', () => {
  const kept = (given: Partial<FilterOptions> = {}) =>
    names(onlyBackground(all, options({ background: true, ...given })).kept);

  test('a closed list and all MCP tools', () => {
    expect(kept()).toEqual([...background, ...mcp]);
  });

  test('a foreground agent keeps all', () => {
    expect(kept({ background: false })).toEqual(names(all));
  });

  test('TF3: ExitPlanMode, the output tool, and what teammates keep', () => {
    expect(kept({ plans: true })).toContain('ExitPlanMode');
    expect(kept({ schema: true })).toContain('SyntheticOutput');
    expect(kept({ teammate: true })).toEqual(expect.arrayContaining(['Agent', 'SendMessage', ...board]));
  });
});

describe('TF2 layer 4: the definition', () => {
  const kept = (given: Partial<FilterOptions>) => names(byDefinition(all, options(given)).kept);

  test('a star keeps all but the board, a list what it names', () => {
    expect(kept({ definition: custom({ tools: '*' }) })).toEqual(without(board));
    expect(kept({ definition: custom({ tools: ['TaskList'] }) })).toEqual(['TaskList']);
    for (const given of [{ teammate: true }, { depth: 0 }])
      expect(kept({ definition: custom({ tools: '*' }), ...given })).toEqual(names(all));
    expect(kept({ definition: custom({ tools: ['Grep', 'Read'] }) })).toEqual(['Read', 'Grep']);
    expect(kept({ definition: custom({ tools: [] }) })).toEqual([]);
  });

  test('what is disallowed goes first', () => {
    const definition = custom({ tools: ['Read', 'Bash'], disallowedTools: ['Bash'] });
    expect(kept({ definition })).toEqual(['Read']);
  });

  test('TF4: servers in both lists', () => {
    expect(kept({ definition: custom({ tools: ['mcp__docs__*'] }) })).toEqual([
      'mcp__docs__find',
      'mcp__docs__open',
    ]);
    expect(kept({ definition: custom({ tools: ['mcp__docs'] }) })).toEqual([
      'mcp__docs__find',
      'mcp__docs__open',
    ]);
    expect(kept({ definition: custom({ disallowedTools: ['mcp__*'] }) })).toEqual(without(mcp, board));
    expect(kept({ definition: custom({ disallowedTools: ['mcp__docs__find'] }) })).toEqual(
      without(['mcp__docs__find'], board),
    );
  });

  test('the output tool is given whatever the lists say; a team has its own tools', () => {
    const definition = custom({ tools: ['Read'], disallowedTools: ['SyntheticOutput'] });
    expect(kept({ definition, schema: true })).toEqual(['SyntheticOutput', 'Read']);
    expect(kept({ definition, teammate: true })).toEqual(['SendMessage', 'Read', ...board]);
  });
});

describe('the four together', () => {
  test('TF1: the pool is assembled from all tools, and each layer says what it took and why', () => {
    const definition = custom({ tools: '*', disallowedTools: ['Bash'] });
    const { tools, layers } = resolveTools(all, options({ definition, background: true }));
    expect(names(tools)).toEqual([...background.filter((name) => name !== 'Bash'), ...mcp]);
    expect(layers.map(({ name, removed }) => [name, removed.length])).toEqual([
      ['meta-tools', meta.length],
      ['custom agents', moving.length],
      ['background', board.length + 1],
      ['definition', 1],
    ]);
    expect(layers[3]?.removed).toEqual([{ tool: 'Bash', reason: 'its definition disallows it' }]);
  });

  test('an empty disallowedTools, and a list that names them, undo no layer', () => {
    const definition = custom({ tools: names(all), disallowedTools: [] });
    const { tools } = resolveTools(all, options({ definition }));
    expect(names(tools)).toEqual(without(metaWithShell, moving));
  });

  test('AG9: as the main agent a definition passes only its own layer', () => {
    const definition = custom({ tools: ['Agent', 'TaskStop', 'Read'] });
    const { tools, layers } = resolveTools(all, options({ definition, depth: 0 }));
    expect(names(tools)).toEqual(['Agent', 'TaskStop', 'Read']);
    expect(layers).toHaveLength(1);
  });

  test('AG5: an unknown name grants nothing, and where nothing is left the problem names the entries', () => {
    const some = resolveTools(all, options({ definition: custom({ tools: ['Read', 'Frobnicate'] }) }));
    expect(names(some.tools)).toEqual(['Read']);
    expect(some.unknown).toEqual(['Frobnicate']);
    expect(some.problem).toBeUndefined();
    const none = resolveTools(all, options({ definition: custom({ tools: ['Frobnicate', 'TaskStop'] }) }));
    expect(none.tools).toEqual([]);
    expect(none.problem).toBe(
      'The agent custom would have no tools: none of Frobnicate, TaskStop is available to it; unknown: Frobnicate.',
    );
  });

  test('an agent that wants no tools may have none', () => {
    expect(resolveTools(all, options({ definition: custom({ tools: [] }) })).problem).toBeUndefined();
  });

  test('PE7: the role lists the tools that were kept, so that a call is checked again', () => {
    const { role } = resolveTools(all, options({ definition: explore }));
    expect(role).toMatchObject({ shell: 'read-only', writes: false });
    expect(role.tools).not.toContain('Write');
    expect(role.tools).toContain('Bash');
  });
});

describe('AG3: the built-in types', () => {
  const kept = (definition: typeof explore, given: Partial<FilterOptions> = {}) =>
    names(resolveTools(all, options({ definition, ...given })).tools);

  test('general-purpose has all that a sub-agent may have', () => {
    expect(kept(generalPurpose)).toEqual(without(metaWithShell, moves, board));
  });

  test('Explore and Plan have everything but what starts agents and what writes', () => {
    expect(kept(explore)).toEqual(
      without(metaWithShell, moves, board, ['Land', 'Edit', 'Write', 'NotebookEdit']),
    );
    expect(kept(plan)).toEqual(kept(explore));
    expect(kept(explore, { plans: true })).not.toContain('ExitPlanMode');
  });

  test('the worker has the list for the background, MCP tools, and three in simple mode', () => {
    expect(kept(defineWorker(false))).toEqual([...taskTools, ...background, ...mcp]);
    expect(kept(defineWorker(true))).toEqual([...taskTools, 'Read', 'Edit', 'Bash']);
  });

  test('LN1: only Explore and Plan go without project memory', () => {
    expect(
      [generalPurpose, explore, plan, defineWorker(false)].map((type) => type.omitProjectMemory),
    ).toEqual([false, true, true, false]);
    expect(explore.model).toBe('haiku');
    expect(plan.model).toBeUndefined();
  });

  test("Explore's prompt opens with what it may not do; Plan's ends with critical files", () => {
    expect(explore.prompt).toMatch(/^You only read\. You may not create, change, move or delete/);
    expect(explore.prompt).toContain('together in one message');
    expect(plan.prompt.split('\n').at(-1)).toContain('the 3 to 5 files');
  });
});
