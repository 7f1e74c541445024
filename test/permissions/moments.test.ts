import { expect, test } from 'bun:test';
import { linkSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Look } from '../../src/places/look.ts';
import { decideLine, openWorkspace, postures } from '../proof/kernel/judged.ts';
import { buildLayouts, type Layout } from '../proof/kernel/layout.ts';
import { ruleSets } from '../proof/kernel/rule-sets.ts';

/** A change that another call of the same message, or another process, makes between two lines. */
interface Moment {
  readonly name: string;
  readonly lines: readonly string[];
  change(layout: Layout): void;
}

const moments: readonly Moment[] = [
  {
    name: 'a link out of the workspace appears',
    lines: [
      'grep -R one docs',
      'cat docs/*',
      'find -L docs -type f -exec cat {} +',
      'cp -rL docs new',
      'ls -RL docs',
    ],
    change: ({ base, workspace }) => symlinkSync(join(base, 'outside'), join(workspace, 'docs', 'away')),
  },
  {
    name: 'a file becomes a link',
    lines: ['cat docs/new.md', 'head -1 docs/new.md', 'grep one docs/*.md'],
    change: ({ base, workspace }) => symlinkSync(join(base, 'x'), join(workspace, 'docs', 'new.md')),
  },
  {
    name: 'a protected directory appears',
    lines: ['rm -r docs', 'mv docs new', 'find docs -delete', 'rm -rf docs/*'],
    change: ({ workspace }) => mkdirSync(join(workspace, 'docs', '.vscode')),
  },
  {
    name: 'credentials appear',
    lines: ['grep -r one docs', 'cat docs/*', "find docs -name '*.pem' -exec cat {} +", 'rg -uu one docs'],
    change: ({ workspace }) => writeFileSync(join(workspace, 'docs', 'tls.pem'), 'canary-credential\n'),
  },
  {
    name: 'a file that a rule refuses appears',
    lines: ['cat docs/.e*', 'grep -r one docs', 'cp -r docs new'],
    change: ({ workspace }) => writeFileSync(join(workspace, 'docs', '.env'), 'TOKEN=canary-env\n'),
  },
  {
    name: 'another name of a refused file appears',
    lines: ['cat docs/plain.md', 'grep -r TOKEN docs', 'cat docs/*', 'echo x >> docs/plain.md'],
    change: ({ workspace }) => linkSync(join(workspace, '.env'), join(workspace, 'docs', 'plain.md')),
  },
  {
    name: 'our own keys come into reach',
    lines: ['grep -R one docs', 'cat docs/*', 'find docs -type l -exec cat {} +'],
    change: ({ home, workspace }) => symlinkSync(join(home, '.cadre'), join(workspace, 'docs', 'state')),
  },
  {
    name: "git's configuration names a file",
    lines: [
      'echo x > docs/readme.md',
      'sed -i s/t/x/ docs/readme.md',
      'cp a.txt docs/readme.md',
      'rm -r docs',
    ],
    change: ({ workspace }) =>
      writeFileSync(join(workspace, '.git', 'config'), '[alias]\n\tgo = !./docs/readme.md\n', { flag: 'a' }),
  },
];

for (const moment of moments)
  test(`of two lines in a row the second sees what changed between them: ${moment.name}`, () => {
    expect(staleVerdicts(moment)).toEqual([]);
  });

test('a look that is kept from one line to the next is found out', () => {
  for (const moment of moments.slice(2, 4))
    expect(staleVerdicts(moment, keepAll), moment.name).not.toEqual([]);
});

/** Verdicts after the change that differ from those of a session that begins only then. */
function staleVerdicts({ lines, change }: Moment, kept: (look: Look) => Look = (look) => look): string[] {
  using layouts = buildLayouts(['clean']);
  const [layout] = layouts.all;
  if (!layout) throw new Error('There is no layout.');
  const { look, ...rest } = openWorkspace(layout);
  const session = { ...rest, ...(look ? { look: kept(look) } : {}) };
  const cases = some(ruleSets, ['none', 'one-file']).flatMap((rules) =>
    some(postures, ['default', 'Explore', 'acceptEdits', 'bypass']).flatMap((posture) =>
      lines.map((line) => ({ layout, rules, posture, line, cwd: layout.workspace, shell: 'bash' as const })),
    ),
  );
  for (const one of cases) decideLine({ ...one, workspace: session });
  change(layout);
  const fresh = openWorkspace(layout);
  return cases.flatMap((one) => {
    const [after, expected] = [session, fresh].map(
      (workspace) => decideLine({ ...one, workspace }).decision.behaviour,
    );
    return after === expected
      ? []
      : [`${one.posture.name} ${one.rules.name}: ${one.line}: ${after}, expected ${expected}`];
  });
}

function some<T extends { readonly name: string }>(all: readonly T[], names: readonly string[]): T[] {
  return all.filter(({ name }) => names.includes(name));
}

function keepAll(look: Look): Look {
  const memory = new Map<string, unknown>();
  const { open: _, ...once } = look.open?.() ?? look;
  const kept = Object.entries(once).map(([name, see]) => [
    name,
    (...words: unknown[]) => {
      const key = JSON.stringify([name, words]);
      if (!memory.has(key)) memory.set(key, (see as (...all: unknown[]) => unknown)(...words));
      return memory.get(key);
    },
  ]);
  return Object.fromEntries(kept) as Look;
}
