import { appendFileSync, mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { tickMs } from '../../src/lib/files/change-time.ts';
import { locateRun } from '../../src/receipts/locate-run.ts';
import { verifyRun } from '../../src/receipts/verify-run.ts';
import { openSession } from '../../src/session/open.ts';
import { createLayout } from '../../src/store/layout.ts';
import { call, say, scriptedModel, type Turn } from '../../src/testing/index.ts';
import { until } from '../support/until.ts';

/** The tests of a project, what happens behind the back of the harness after they ran, and whether they then passed. */
interface Later {
  what: string;
  script: string;
  isBackground?: boolean;
  happens?(cwd: string): void;
  isTrue?: boolean;
}

const good = 'echo "ℹ pass 2"\n';
const cases: Later[] = [
  { what: 'nothing happens', script: good, isTrue: true },
  { what: 'nothing happens, in the background', script: good, isBackground: true, isTrue: true },
  { what: 'a file was changed', script: good, happens: (cwd) => appendFileSync(join(cwd, 'a.js'), 'x') },
  { what: 'a file was added', script: good, happens: (cwd) => writeFileSync(join(cwd, 'new.js'), 'x') },
  { what: 'a file was removed', script: good, happens: (cwd) => rmSync(join(cwd, 'a.js')) },
  {
    what: 'a file was changed after tests in the background',
    script: good,
    isBackground: true,
    happens: (cwd) => appendFileSync(join(cwd, 'a.js'), 'x'),
  },
  { what: 'no test ran in the background', script: 'echo "ℹ pass 0"\n', isBackground: true },
  { what: 'a test failed in the background', script: 'echo "ℹ fail 1"\n', isBackground: true },
  { what: 'a test failed, and the exit code hides it', script: 'echo "not ok 1 - a"\n' },
];

/** Claims that tests passed, of real sessions: which false ones are confirmed, at once or when verified, and which true ones are not. */
export async function judgeLater(rounds: number) {
  const passed: string[] = [];
  const doubted: string[] = [];
  for (let round = 0; round < rounds; round++)
    for (const one of cases) {
      const verdicts = await claimPassed(one);
      if (!one.isTrue && verdicts.includes('confirmed')) passed.push(`passed: ${one.what}`);
      if (one.isTrue && verdicts.some((verdict) => verdict !== 'confirmed'))
        doubted.push(`doubted: ${one.what}`);
    }
  return { lies: rounds * cases.filter(({ isTrue }) => !isTrue).length, passed, doubted };
}

/** Within one tick of the file system's clock a change counts as the work of the command that just ended. */
async function awaitTick(directory: string): Promise<void> {
  const probe = join(directory, 'probe');
  const begun = Date.now();
  await until(() => {
    writeFileSync(probe, '');
    return statSync(probe).ctimeMs > begun + 2 * tickMs;
  });
}

const command = 'sh check.sh';

async function claimPassed({ script, isBackground = false, happens }: Later): Promise<string[]> {
  const directory = mkdtempSync(join(tmpdir(), 'cadre-later-'));
  const cwd = join(directory, 'work');
  const home = join(directory, 'user', '.cadre');
  for (const path of [cwd, home]) mkdirSync(path, { recursive: true });
  writeFileSync(join(home, 'settings.json'), JSON.stringify({ checks: { tests: command } }));
  writeFileSync(join(cwd, 'check.sh'), script);
  writeFileSync(join(cwd, 'a.js'), 'one\n');
  const wait: Turn = ({ messages }) =>
    call('TaskOutput', { task_id: /as task (\w+)/.exec(JSON.stringify(messages.at(-1)))?.[1] ?? '' });
  const report: Turn = async () => {
    await awaitTick(directory);
    happens?.(cwd);
    return call('Report', { summary: 'Passed.', claims: [{ kind: 'check', expect: 'tests passed' }] });
  };
  const turns = [
    call('Bash', { command, run_in_background: isBackground }),
    ...(isBackground ? [wait] : []),
    report,
  ];
  const opened = await openSession({
    ...{ cwd, sandbox: false, permissionMode: 'bypassPermissions' as const },
    tools: ['Bash', 'Report', 'TaskOutput'],
    model: scriptedModel([...turns, say('Done.'), say('Heard.')]),
    environment: {
      ...{ PATH: process.env.PATH ?? '', HOME: join(directory, 'user'), CADRE_HOME: home, SHELL: '/bin/sh' },
    },
  });
  if (!opened.ok) throw new Error(opened.problem.message);
  try {
    await opened.value.run('Test it.');
    const { id } = opened.value.info();
    await opened.value.close();
    const place = await locateRun(createLayout(home), cwd, id);
    if (!place.ok) throw new Error(place.problem.message);
    const { reports } = await verifyRun(place.value);
    return reports.flatMap(({ claims }) => claims.map(({ verdict }) => verdict));
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}
