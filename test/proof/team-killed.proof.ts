/** A leader with two teammates in its process, killed at any moment and started again. */
import { spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Proof } from '../../scripts/proofs.ts';
import { systemClock } from '../../src/lib/clock.ts';
import { systemMachine } from '../../src/lib/machine.ts';
import type { ModelRequest } from '../../src/protocol/index.ts';
import { listMail } from '../../src/team/mail/list-mail.ts';
import { openMembers } from '../../src/team/members.ts';
import { locateTeam } from '../../src/team/team-place.ts';
import { call, fakeProvider, say } from '../../src/testing/index.ts';
import { seededRandom } from './random.ts';

const program = join(import.meta.dirname, '..', '..', 'dist', 'cadre');
const moments = { full: 100, reduced: 4 };
/** An undisturbed run takes about this long, and a little more. */
const longestMs = 180;

const proof: Proof = {
  name: 'team-killed',
  promise:
    'TM9: a leader killed with -9 at random moments finds its team when it is resumed: every report arrives once, and nothing runs afterwards',
  async run(full, seed) {
    const random = seededRandom(seed);
    const faults: string[] = [];
    const figures = { moments: 0, killed: 0, beforeTheTeam: 0, lost: 0, doubled: 0, leftRunning: 0 };
    await using provider = await fakeProvider({ script: answer });
    for (let at = 0; at < (full ? moments.full : moments.reduced); at++) {
      const afterMs = 40 + random.below(longestMs);
      const found = await killAndResume(provider.url, afterMs);
      figures.moments++;
      if (found.wasKilled) figures.killed++;
      if (found.wasEarly) figures.beforeTheTeam++;
      figures.lost += found.lost;
      figures.doubled += found.doubled;
      figures.leftRunning += found.running;
      if (found.fault) faults.push(`after ${afterMs} ms: ${found.fault}`);
    }
    return { passed: faults.length === 0, figures, detail: faults.slice(0, 10).join('\n') };
  },
};

export default proof;

const members = ['alice', 'bob'];

/** A leader that wants two reports and does what is missing for them; members that look around before they report. */
function answer(request: ModelRequest) {
  const said = JSON.stringify(request.messages);
  const name = /You are (\w+), a teammate/.exec(request.system.join('\n'))?.[1];
  if (name !== undefined)
    return said.includes('tool_result') ? say(`Report of ${name}.`) : call('Glob', { pattern: '*' });
  if (!said.includes('You lead the team') && !said.includes('already leads'))
    return call('TeamCreate', { team_name: 'crew' });
  for (const member of members)
    if (!said.includes(`${member}@crew has started`) && !said.includes(`teammate ${member} already`))
      return call('Agent', { description: 'work', prompt: `Work as ${member}`, name: member });
  return say(members.every((one) => said.includes(`Report of ${one}.`)) ? 'All reported.' : 'Waiting.');
}

async function killAndResume(url: string, afterMs: number) {
  const ground = mkdtempSync(join(tmpdir(), 'cadre-team-'));
  const [home, cwd] = [join(ground, 'home'), join(ground, 'work')];
  for (const one of [home, cwd]) mkdirSync(one, { mode: 0o700 });
  const run = (args: string[], killMs?: number) => runProgram(args, { url, ground, home, cwd }, killMs);
  try {
    const first = await run(['-p', 'Go'], afterMs);
    const again = await run(['-p', '-c', 'Finish.']);
    const none = {
      wasKilled: first.signal !== null,
      wasEarly: true,
      lost: 0,
      doubled: 0,
      running: 0,
      fault: '',
    };
    // It had stored nothing yet.
    if (again.code === 2) return none;
    const { lost, doubled, running } = countReports(home);
    const isDone = again.out.includes('All reported.') || first.signal === null;
    const fault = isDone && lost + doubled + running === 0 ? '' : `${again.out} ${again.err} lost ${lost}`;
    return { ...none, wasEarly: false, lost, doubled, running, fault };
  } finally {
    rmSync(ground, { recursive: true, force: true });
  }
}

function countReports(home: string) {
  const place = locateTeam(home, 'crew');
  const mail = listMail(place, systemMachine, 'team-lead');
  const reports = (mail.ok ? mail.value : []).filter(({ message }) => message.kind === 'report');
  const counts = members.map((name) => reports.filter(({ message }) => message.from === name).length);
  const team = openMembers(place, systemMachine, systemClock);
  return {
    lost: counts.filter((count) => count === 0).length,
    doubled: counts.filter((count) => count > 1).length,
    running: team.list().filter(({ name }) => team.isAlive(name)).length,
  };
}

interface Ground {
  url: string;
  ground: string;
  home: string;
  cwd: string;
}

function runProgram(args: string[], { url, ground, home, cwd }: Ground, killMs?: number) {
  const child = spawn(program, [...args, '--settings', '{"sandbox":{"enabled":false}}'], {
    cwd,
    env: {
      ...{ PATH: '/usr/local/bin:/usr/bin:/bin', HOME: ground, CADRE_HOME: home, SHELL: '/bin/bash' },
      ...{ ANTHROPIC_BASE_URL: url, ANTHROPIC_API_KEY: 'a-test-key' },
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const said = { out: '', err: '' };
  child.stdout.on('data', (chunk: Buffer) => {
    said.out += chunk;
  });
  child.stderr.on('data', (chunk: Buffer) => {
    said.err += chunk;
  });
  const timer = killMs === undefined ? undefined : setTimeout(() => child.kill('SIGKILL'), killMs);
  return new Promise<{ code: number | null; signal: string | null; out: string; err: string }>((resolve) =>
    child.once('close', (code, signal) => {
      clearTimeout(timer);
      resolve({ code, signal, ...said });
    }),
  );
}
