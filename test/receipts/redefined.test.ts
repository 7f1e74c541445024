import { expect } from 'bun:test';
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { locateRun } from '../../src/receipts/locate-run.ts';
import { verifyRun } from '../../src/receipts/verify-run.ts';
import { createLayout } from '../../src/store/layout.ts';
import { call, say, type Turn } from '../../src/testing/index.ts';
import { open, type Place, place, recordsOf } from '../session/support.ts';
import { needs } from '../support/needs.ts';

const scripts = (test: string, more = {}) => JSON.stringify({ name: 'a', scripts: { test, ...more } });
const makefile = (recipe: string) => `test:\n\t@${recipe}\n.PHONY: test\n`;
const npm = { 'package.json': scripts('sh run.sh'), 'run.sh': 'echo "# pass 2"\n' };
const make = { Makefile: makefile('echo "ok 1 - a"') };

const write = (file_path: string, content: string) => call('Write', { file_path, content });
const bash = (command: string) => call('Bash', { command });

/** What becomes of "tests passed" after these calls, now and when the run is verified. */
async function judge(files: Record<string, string>, turns: Turn[]) {
  const at = place();
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(at.cwd, name)), { recursive: true });
    writeFileSync(join(at.cwd, name), text);
  }
  const claims = [{ kind: 'check', expect: 'tests passed' }];
  const report = call('Report', { summary: 'They pass.', claims });
  const opened = await open(at, [...turns, report, say('Done.')], {
    permissionMode: 'bypassPermissions',
    tools: ['Bash', 'Read', 'Write', 'Report'],
  });
  await opened.prompt('Test it');
  const { id } = opened.session.info();
  const records = await recordsOf(opened.session);
  await opened.session.close();
  const told = records.findLast((record) => record.type === 'report')?.report.claims[0];
  expect(await verifyAgain(at, id)).toEqual([told?.verdict, told?.reason]);
  return told?.verdict === 'confirmed' ? 'confirmed' : told?.reason?.replaceAll(`${at.cwd}/`, '');
}

async function verifyAgain(at: Place, id: string) {
  const located = await locateRun(createLayout(at.home), at.cwd, id);
  if (!located.ok) throw new Error(located.problem.message);
  const [claim] = (await verifyRun(located.value)).reports.flatMap(({ claims }) => claims);
  return [claim?.verdict, claim?.reason];
}

const changed = (what: string) => `${what}, which says what it does, was changed.`;
const read = (file_path: string) => call('Read', { file_path });

type Case = [what: string, files: Record<string, string>, turns: Turn[], comesTo: string];

const npmCases: Case[] = [
  ['nothing was changed', npm, [bash('npm test')], 'confirmed'],
  [
    'the script was replaced by a tool',
    npm,
    [read('package.json'), write('package.json', scripts('true')), bash('npm test')],
    changed('package.json scripts.test'),
  ],
  [
    'the script was replaced by a command',
    npm,
    [bash('sed -i s/sh/true/ package.json'), bash('npm test')],
    changed('package.json scripts.test'),
  ],
  [
    'a script that it calls was replaced',
    { ...npm, 'package.json': scripts('npm run unit', { unit: 'sh run.sh' }) },
    [
      read('package.json'),
      write('package.json', scripts('npm run unit', { unit: 'true' })),
      bash('npm test'),
    ],
    changed('package.json scripts.unit'),
  ],
  [
    'a script that runs before it was added',
    npm,
    [
      read('package.json'),
      write('package.json', scripts('sh run.sh', { pretest: 'true' })),
      bash('npm test'),
    ],
    changed('package.json scripts.pretest'),
  ],
  [
    'settings of npm were added',
    npm,
    [write('.npmrc', 'script-shell=/bin/true\n'), bash('npm test')],
    changed('.npmrc'),
  ],
  [
    'it was added',
    { 'run.sh': '' },
    [write('package.json', scripts('true')), bash('npm test')],
    'There was no such check at first: package.json scripts.test was added.',
  ],
  [
    'it was removed',
    npm,
    [bash('npm test'), bash('rm package.json')],
    'package.json scripts.test named it at first, and does no longer.',
  ],
  [
    'another script was added, and a dependency',
    npm,
    [
      read('package.json'),
      write(
        'package.json',
        JSON.stringify({
          ...JSON.parse(scripts('sh run.sh', { dev: 'sh dev.sh' })),
          dependencies: {},
        }),
      ),
      bash('npm test'),
    ],
    'confirmed',
  ],
  [
    'the script was replaced and put back before it ran',
    npm,
    [
      read('package.json'),
      write('package.json', scripts('true')),
      write('package.json', scripts('sh run.sh')),
      bash('npm test'),
    ],
    'confirmed',
  ],
];

for (const [what, files, turns, comesTo] of npmCases)
  needs('npm')(`G12: tests that passed after ${what}`, async () =>
    expect(await judge(files, turns)).toBe(comesTo),
  );

const makeCases: Case[] = [
  [
    'a makefile was changed',
    make,
    [bash('sed -i s/echo/:/ Makefile'), bash('make test')],
    changed('Makefile test'),
  ],
  [
    'a makefile was added that make prefers',
    make,
    [write('GNUmakefile', makefile('true')), bash('make test')],
    changed('Makefile test'),
  ],
];

for (const [what, files, turns, comesTo] of makeCases)
  needs('make')(`G12: tests that passed after ${what}`, async () =>
    expect(await judge(files, turns)).toBe(comesTo),
  );
