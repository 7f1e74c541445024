import { expect, test } from 'bun:test';
import { decide } from '../../src/permissions/decide.ts';
import type { Call, Ceiling, Role } from '../../src/places/types.ts';
import { type Access, permissionModes, type Rule } from '../../src/protocol/permission.ts';
import { isWithin } from '../../src/workspace/paths.ts';
import { linksOf, read, rule, shell, workspace, write } from './cases.ts';

const cases = Number(process.env.CADRE_PROPERTY_CASES ?? 2000);
const seed = Number(process.env.CADRE_SEED ?? 1);

test(`G2 nothing allows what ceiling, role or a deny rule refuses (${cases} cases, CADRE_SEED=${seed})`, () => {
  const random = randomFrom(seed);
  let allowed = 0;
  for (let index = 0; index < cases; index++) {
    const one = randomCase(random);
    const decision = decide(one.ceiling, one.role, one.mode, one.rules, one.call);
    const context = JSON.stringify({ seed, index, ...one, decision });
    expect(decision.reason.length, context).toBeGreaterThan(0);
    if (decision.behaviour !== 'allow') continue;
    allowed++;
    for (const access of one.call.accesses) expect(refusalOf(one, access), context).toBeUndefined();
  }
  expect(allowed).toBeGreaterThan(cases / 50);
});

test(`more rules that refuse never allow more (CADRE_SEED=${seed})`, () => {
  const random = randomFrom(seed + 1);
  const rank = { allow: 0, ask: 1, deny: 2 };
  for (let index = 0; index < cases / 4; index++) {
    const { ceiling, role, mode, rules, call } = randomCase(random);
    const extra = { ...pick(random, ruleTexts), behaviour: pick(random, ['ask', 'deny'] as const) };
    const before = decide(ceiling, role, mode, rules, call);
    const after = decide(ceiling, role, mode, [...rules, extra], call);
    const context = JSON.stringify({ seed, index, mode, rules, call, extra, before, after });
    expect(rank[after.behaviour], context).toBeGreaterThanOrEqual(rank[before.behaviour]);
  }
});

type Random = () => number;
type RandomCase = ReturnType<typeof randomCase>;

/** Written apart from the engine, in the plainest way: what must never be allowed. */
function refusalOf({ ceiling, role, mode, rules, call }: RandomCase, access: Access): string | undefined {
  if (role.tools !== '*' && !role.tools.includes(call.tool)) return 'a tool the role lacks';
  if (role.denied.includes(call.tool)) return 'a tool the role is denied';
  if (access.kind === 'shell') {
    if (ceiling.shell === 'none' || role.shell === 'none') return 'the shell';
    if (role.shell === 'read-only' && !readOnly.includes(access.command))
      return 'a command that changes something';
    if (ceiling.shell === 'ask' && mode === 'bypassPermissions' && access.command === 'make') {
      if (!rules.some((one) => one.behaviour === 'allow')) return 'a command that nobody was asked about';
    }
    if (/> ?\S*\.git/.test(access.command) && mode !== 'bypassPermissions') return 'a protected path';
    const denies = [...ceiling.denied, ...rules.filter((one) => one.behaviour === 'deny')];
    if (denies.some((one) => one.tool === 'Bash' && one.specifier === undefined)) return 'every command';
    if (/\brm\b/.test(access.command) && denies.some((one) => one.specifier === 'rm:*')) return 'rm';
  }
  if (access.kind === 'write') {
    const real = call.workspace.realPath(access.path);
    if (!role.writes) return 'writing, by the role';
    if (ceiling.writes === 'none' || mode === 'plan') return 'writing, by the ceiling';
    if (ceiling.writes !== 'any' && !ceiling.writes.only.some((place) => isWithin(real, place)))
      return 'writing there';
    const denies = [...ceiling.denied, ...rules.filter((one) => one.behaviour === 'deny')];
    if (denies.some((one) => one.tool === 'Edit' && one.specifier === undefined)) return 'every write';
    if (
      real.includes('/secret') &&
      denies.some((one) => one.tool === 'Edit' && one.specifier === 'secret/**')
    )
      return 'a secret';
    if (mode !== 'bypassPermissions' && /\/\.(git|cadre)\//.test(real)) return 'a protected path';
  }
  if (access.kind === 'read') {
    const denies = [...ceiling.denied, ...rules.filter((one) => one.behaviour === 'deny')];
    const places = [access.path, call.workspace.realPath(access.path)];
    const isDenied = (specifier: string | undefined, isMeant: (path: string) => boolean) =>
      denies.some((one) => one.tool === 'Read' && one.specifier === specifier) && places.some(isMeant);
    if (isDenied(undefined, () => true)) return 'every read';
    if (isDenied('.env', (path) => /^\/repo\/(?:.*\/)?\.env$/.test(path)))
      return 'a file that a rule refuses';
    if (isDenied('**', (path) => path.startsWith('/repo/'))) return 'all files of the workspace';
  }
  if ('path' in access && call.workspace.realPath(access.path).endsWith('/.cadre/keys.json'))
    return 'our keys';
  return undefined;
}

const texts = [
  'Bash',
  'Bash(rm:*)',
  'Bash(ls *)',
  'Bash(rm x)',
  'Edit',
  'Edit(secret/**)',
  'Edit(**)',
  'Edit(//**)',
];
texts.push('Read', 'Read(**)', 'Read(.env)', 'mcp__a', 'Write', 'Edit(~/**)', 'Edit(/src/*)');
const ruleTexts: Rule[] = texts.map((text) => rule(text, 'deny'));
const directories = [
  '/repo',
  '/repo/secret',
  '/repo/src',
  '/extra',
  '/etc',
  '/repo/out',
  '/repo-evil',
  '/home/u/.cadre',
];
const names = ['a.ts', '.env', 'link/x', '.git/config', 'secret/k', 'keys.json', '../repo/b', '.'];
const commands = [
  'ls',
  'ls -l',
  'rm x',
  'ls; rm x',
  'echo $(rm x)',
  'sudo rm x',
  'make',
  'rm x',
  "bash -c 'rm y'",
  'ls | xargs rm',
  'find . -exec rm {} +',
  'echo x > .git/config',
  'cat /repo/a.ts > /dev/null',
  'for f in *.ts; do wc -l "$f"; done',
  'git status && git log -p',
  ['echo $', '{!x}'].join(''),
  'A=1 ls; PATH=. ls',
  'if rm x; then ls; fi',
];
const readOnly = [
  'ls',
  'ls -l',
  'cat /repo/a.ts > /dev/null',
  'for f in *.ts; do wc -l "$f"; done',
  'git status && git log -p',
];

const sandboxes = [
  { autoAllow: true, outside: true, excluded: [], network: false },
  { autoAllow: true, outside: false, excluded: ['make'], network: true },
  { autoAllow: false, outside: true, excluded: ['*'], network: false },
];

function randomCase(random: Random) {
  const some = <T>(values: readonly T[], most: number) =>
    Array.from({ length: Math.floor(random() * (most + 1)) }, () => pick(random, values));
  const ceiling: Ceiling = {
    denied: some(ruleTexts, 1),
    writes: pick(random, ['any', 'any', 'none', { only: some(directories, 3) }]),
    shell: pick(random, ['any', 'any', 'ask', 'none']),
  };
  const role: Role = {
    tools: pick(random, ['*', '*', ['Read', 'Edit'], ['Bash']]),
    denied: some(['Write', 'Bash', 'Read'], 1),
    shell: pick(random, ['full', 'full', 'read-only', 'none']),
    writes: random() < 0.8,
  };
  const rules: Rule[] = some(ruleTexts, 6).map((one) => ({
    ...one,
    behaviour: pick(random, ['allow', 'allow', 'ask', 'deny'] as const),
  }));
  const access = (): Access => {
    const path = `${pick(random, directories)}/${pick(random, names)}`;
    return pick(random, [read(path), write(path), shell(pick(random, commands)), { kind: 'none' }]);
  };
  const accesses = [access(), ...(random() < 0.3 ? [access()] : [])];
  const call: Call = {
    tool: pick(random, ['Read', 'Edit', 'Write', 'Bash', 'mcp__a__b']),
    accesses,
    workspace: {
      ...workspace,
      ...(random() < 0.5 ? { sandbox: pick(random, sandboxes) } : {}),
      realPath: linksOf({ '/repo/link': pick(random, ['/etc', '/repo/secret', '/repo/src']) }),
    },
  };
  return { ceiling, role, mode: pick(random, permissionModes), rules, call };
}

function pick<T>(random: Random, values: readonly T[]): T {
  const value = values[Math.floor(random() * values.length)];
  if (value === undefined) throw new Error('nothing to pick from');
  return value;
}

/** mulberry32 */
function randomFrom(start: number): Random {
  let state = start >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  };
}
