import type { Proof } from '../../scripts/proofs.ts';
import { type AgentSource, agentSources } from '../../src/agents/definition.ts';
import { childMode, childPermissions } from '../../src/agents/steps/permissions.ts';
import { fullRole } from '../../src/permissions/ceiling.ts';
import { judge, type PermissionContext } from '../../src/permissions/context.ts';
import { exploreRole, workerRole } from '../../src/permissions/roles.ts';
import type { Ceiling, Role } from '../../src/places/types.ts';
import {
  type Access,
  type Decision,
  type PermissionMode,
  permissionModes,
  type Rule,
} from '../../src/protocol/index.ts';
import { isWithin } from '../../src/workspace/paths.ts';
import { linksOf, rule, workspace } from '../permissions/cases.ts';
import { type Random, seededRandom } from './random.ts';

const proof: Proof = {
  name: 'ceiling',
  promise:
    'G2: in random trees of spawn, fork, resume, message, mode change, hook and definition no agent is ever allowed what the ceiling refuses',
  async run(full, seed) {
    const random = seededRandom(seed);
    const trees = full ? 100_000 : 1_000;
    const counts = { agents: 0, calls: 0, allowed: 0, refused: 0 };
    const faults: string[] = [];
    for (let index = 0; index < trees; index++) growTree(random, counts, faults);
    return {
      passed: faults.length === 0 && counts.refused > trees / 4 && counts.allowed > trees / 4,
      figures: { trees, ...counts, faults: faults.length },
      detail: faults.slice(0, 5).join('\n'),
    };
  },
};

export default proof;

/** The session: what the user alone sets. */
interface Root {
  ceiling: Ceiling;
  mode: PermissionMode;
  rules: Rule[];
}

interface Member {
  permissions(): PermissionContext;
  /** How it came to be, for a fault. */
  path: string;
}

function growTree(random: Random, counts: Counts, faults: string[]): void {
  const root: Root = {
    ceiling: randomCeiling(random),
    mode: pick(random, permissionModes),
    rules: randomRules(random),
  };
  const lead: Member = {
    path: 'lead',
    permissions: () => ({ ...root, role: fullRole, workspace: place }),
  };
  const members = [lead];
  for (let step = 0, steps = 3 + random.below(8); step < steps; step++) {
    act(random, root, members);
    checkCalls(random, root, pick(random, members), counts, faults);
  }
  counts.agents += members.length;
}

interface Counts {
  agents: number;
  calls: number;
  allowed: number;
  refused: number;
}

/** One thing that can happen in a session. */
function act(random: Random, root: Root, members: Member[]): void {
  const parent = pick(random, members);
  switch (random.below(6)) {
    case 0:
    case 1:
      return void members.push(spawn(random, root, parent, 'spawn'));
    case 2:
      return void members.push(fork(root, parent));
    case 3:
      // Gone on with by somebody else than who started it.
      return void members.push(spawn(random, root, pick(random, members), `resume of ${parent.path}`));
    case 4:
      root.mode = pick(random, permissionModes);
      return;
    default:
      // An answer to a question, or a hook, may add grants. Neither touches the ceiling.
      root.rules = [
        ...root.rules,
        ...randomRules(random).map((one) => ({ ...one, behaviour: 'allow' as const })),
      ];
  }
}

function spawn(random: Random, root: Root, parent: Member, how: string): Member {
  const definition = {
    source: pick(random, agentSources) as AgentSource,
    ...(random.below(2) === 0 ? {} : { permissionMode: pick(random, permissionModes) }),
  };
  const flags = {
    isFreeToEdit: random.below(4) === 0,
    editsAllowed: random.below(2) === 0,
    bypassAllowed: random.below(2) === 0,
  };
  return {
    path: `${parent.path} > ${how} ${JSON.stringify(definition)}`,
    permissions: childPermissions(parent.permissions, {
      role: pick(random, roles),
      mode: (mode) => childMode({ parent: mode, definition, ...flags }),
      rules: () => root.rules,
    }),
  };
}

function fork(root: Root, parent: Member): Member {
  return {
    path: `${parent.path} > fork`,
    permissions: childPermissions(parent.permissions, {
      role: parent.permissions().role,
      mode: (mode) => mode,
      rules: () => root.rules,
    }),
  };
}

function checkCalls(random: Random, root: Root, member: Member, counts: Counts, faults: string[]): void {
  for (let index = 0; index < 4; index++) {
    const { tool, access, input } = randomCall(random);
    const decision = judge(member.permissions(), { tool, accesses: [access], input });
    counts.calls++;
    // A person or a hook that says yes lifts a question, and nothing else.
    const runs = decision.behaviour !== 'deny';
    const why = refusedBy(root, tool, access);
    if (why) counts.refused++;
    if (decision.behaviour === 'allow') counts.allowed++;
    if (why && runs) faults.push(describe(member, root, tool, access, decision, why));
  }
}

/** Written apart from the engine, in the plainest way. */
function refusedBy({ ceiling, mode }: Root, tool: string, access: Access): string | undefined {
  if (ceiling.tools && !ceiling.tools.includes(tool) && !tool.startsWith('mcp__'))
    return 'a tool that is left out';
  if (ceiling.denied.some((one) => one.tool === tool && one.specifier === undefined)) return 'a denied tool';
  if (access.kind === 'shell') {
    if (ceiling.shell === 'none') return 'the shell';
    if (ceiling.denied.some((one) => one.specifier === 'rm:*') && /\brm\b/.test(access.command)) return 'rm';
  }
  if (access.kind !== 'write') return undefined;
  const real = place.realPath(access.path);
  if (ceiling.writes === 'none' || mode === 'plan') return 'writing';
  if (ceiling.writes !== 'any' && !ceiling.writes.only.some((one) => isWithin(real, one)))
    return 'writing there';
  if (real.includes('/secret/') && ceiling.denied.some((one) => one.specifier === 'secret/**'))
    return 'a secret';
  return undefined;
}

function describe(
  member: Member,
  root: Root,
  tool: string,
  access: Access,
  decision: Decision,
  why: string,
): string {
  return `${why}: ${tool} ${JSON.stringify(access)} got ${JSON.stringify(decision)} in ${JSON.stringify(root)} as ${member.path}`;
}

const place = { ...workspace, realPath: linksOf({ '/repo/link': '/etc', '/repo/inner': '/repo/secret' }) };

const roles: Role[] = [fullRole, exploreRole, workerRole, { ...fullRole, tools: ['Bash', 'Edit', 'Read'] }];

const denials: Rule[] = ['Bash', 'Edit', 'Write', 'Read', 'Bash(rm:*)', 'Edit(secret/**)', 'Agent'].map(
  (text) => rule(text, 'deny'),
);

function randomCeiling(random: Random): Ceiling {
  const places = ['/repo', '/repo/src', '/repo/secret', '/extra'];
  return {
    denied: random.below(2) === 0 ? [] : [pick(random, denials)],
    writes: pick(random, ['any', 'any', 'none', { only: [pick(random, places)] }] as const),
    shell: pick(random, ['any', 'any', 'ask', 'none'] as const),
    ...(random.below(3) === 0
      ? { tools: pick(random, [['Read'], ['Bash', 'Read'], ['Edit', 'Agent']]) }
      : {}),
  };
}

function randomRules(random: Random): Rule[] {
  const texts = [
    'Bash',
    'Bash(rm:*)',
    'Bash(*)',
    'Edit',
    'Edit(**)',
    'Edit(//**)',
    'Write',
    'Read',
    'Edit(secret/**)',
  ];
  return Array.from({ length: random.below(3) }, () =>
    rule(pick(random, texts), pick(random, ['allow', 'allow', 'ask', 'deny'] as const)),
  );
}

const commands = [
  'ls',
  'rm x',
  'ls; rm x',
  'echo $(rm x)',
  "bash -c 'rm y'",
  'ls | xargs rm',
  'make',
  'git log',
];
const paths = [
  '/repo/a.ts',
  '/repo/src/b.ts',
  '/repo/secret/k',
  '/repo/link/passwd',
  '/repo/inner/k',
  '/etc/x',
  '/extra/y',
  '/repo/../etc/z',
];

function randomCall(random: Random): { tool: string; access: Access; input: Record<string, unknown> } {
  const path = pick(random, paths);
  switch (random.below(4)) {
    case 0:
      return {
        tool: 'Bash',
        access: { kind: 'shell', command: pick(random, commands), cwd: '/repo' },
        input: {},
      };
    case 1:
      return { tool: 'Read', access: { kind: 'read', path }, input: { file_path: path } };
    default:
      return {
        tool: pick(random, ['Edit', 'Write'] as const),
        access: { kind: 'write', path },
        input: { file_path: path },
      };
  }
}

function pick<T>(random: Random, values: readonly T[]): T {
  const value = values[random.below(values.length)];
  if (value === undefined) throw new Error('nothing to pick from');
  return value;
}
