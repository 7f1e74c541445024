import { join } from 'node:path';
import type { Proof } from '../../scripts/proofs.ts';
import { buildCrashProgram } from './crash/build.ts';
import { type Crash, crash, measureScene, type Programs, type Reference } from './crash/crash.ts';
import { type Kill, type SceneName, sceneNames } from './crash/scenes.ts';
import { type Random, seededRandom } from './random.ts';

/** How many of each hundred moments fall into a scene: git makes worktrees slow. */
const shares: Record<SceneName, number> = {
  agents: 34,
  forks: 20,
  compaction: 20,
  confined: 16,
  worktrees: 10,
};
const counts = {
  full: { points: 210, times: 5, random: 2_000 },
  reduced: { points: 10, times: 1, random: 10 },
};
/** A few more than cores, since each waits for processes now and then. */
const lanes = 3;
const maxResumeMs = 1_000;

const proof: Proof = {
  name: 'kill-resume',
  promise:
    'G4 G5: killed with -9 at named points and random moments, over foreground, background and nested agents, forks, worktrees and compaction: after one start no acknowledged record is lost or doubled, no unsafe call was repeated, every agent is resumed or reported, the files are those of an undisturbed run, and nothing is left behind',
  async run(full, seed) {
    const random = seededRandom(seed);
    const { points, times, random: moments } = full ? counts.full : counts.reduced;
    const programs: Programs = {
      real: join(import.meta.dirname, '..', '..', 'dist', 'cadre'),
      test: await buildCrashProgram(),
    };
    const references: Reference[] = [];
    for (const name of sceneNames) references.push(await measureScene(name, programs));
    const chosen = choosePoints(references, points, random);
    const work: Case[] = [
      ...Array.from({ length: times }, () => chosen).flat(),
      ...references.flatMap((reference) =>
        Array.from({ length: Math.round((moments * shares[reference.scene]) / 100) }, () => ({
          reference,
          kill: { afterMs: 30 + random.below(Math.ceil(reference.tookMs)) },
        })),
      ),
    ];
    const { figures, detail } = summarise(await performAll(work, programs), chosen.length);
    // Reduced, it runs beside other tests: its times say nothing there.
    const isFast = !full || figures['resume p95 ms'] < maxResumeMs;
    return { passed: detail === '' && isFast, figures, detail };
  },
};

export default proof;

interface Case {
  reference: Reference;
  kill: Kill;
}

/** Every name once in some scene, at any of its passings; then others at random. */
function choosePoints(references: readonly Reference[], wanted: number, random: Random): Case[] {
  const all = references.flatMap((reference) =>
    reference.points.map((at) => ({ reference, kill: { at }, name: at.replace(/#\d+$/, '') })),
  );
  const mixed = shuffle(all, random);
  const seen = new Set<string>();
  const first = mixed.filter(({ name }) => !seen.has(name) && seen.add(name));
  const rest = mixed.filter((one) => !first.includes(one));
  return [...first, ...rest].slice(0, wanted).map(({ reference, kill }) => ({ reference, kill }));
}

function shuffle<T>(values: readonly T[], random: Random): T[] {
  return values
    .map((value) => ({ value, order: random.below(1_000_000) }))
    .sort((a, b) => a.order - b.order)
    .map(({ value }) => value);
}

interface Done extends Case {
  result: Crash;
}

async function performAll(work: readonly Case[], programs: Programs): Promise<Done[]> {
  const left = [...work];
  const done: Done[] = [];
  const lane = async () => {
    for (let next = left.shift(); next; next = left.shift())
      done.push({ ...next, result: await crash(next.reference, next.kill, programs) });
  };
  await Promise.all(Array.from({ length: lanes }, lane));
  return done;
}

function summarise(done: readonly Done[], points: number) {
  const faults = done.flatMap(({ reference, kill, result }) =>
    Object.entries<string[]>({ ...result.faults }).flatMap(([kind, found]) =>
      found
        .slice(0, 2)
        .map((fault) => ({ kind, text: `${reference.scene} ${JSON.stringify(kill)}: ${kind}: ${fault}` })),
    ),
  );
  const countFaults = (...kinds: string[]) => faults.filter(({ kind }) => kinds.includes(kind)).length;
  const killed = done.filter(({ result }) => result.killed);
  const atPoints = killed.filter(({ kill }) => kill.at !== undefined).length;
  const resumes = killed.flatMap(({ result }) => result.resumeMs ?? []).sort((a, b) => a - b);
  const p95 = Math.round(resumes[Math.floor(resumes.length * 0.95)] ?? 0);
  return {
    figures: {
      points,
      'killed at them': atPoints,
      'at random moments': killed.length - atPoints,
      lost: countFaults('lost'),
      doubled: countFaults('doubled'),
      repeated: countFaults('repeated'),
      unreported: countFaults('unreported', 'broken'),
      'files that differ': countFaults('differing'),
      left: countFaults('left'),
      'false alarms': countFaults('alarms'),
      'resume p95 ms': p95,
    },
    detail: faults
      .slice(0, 20)
      .map(({ text }) => text.slice(0, 600))
      .join('\n'),
  };
}
