import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Acknowledged, audit, type Faults, readAcknowledged, withoutMarks } from './audit.ts';
import { type Kill, openScene, readWork, type SceneName } from './scenes.ts';

export interface Programs {
  /** The one that users run. */
  real: string;
  /** The same with points at which it ends itself. */
  test: string;
}

/** A run that nothing disturbed. */
export interface Reference {
  scene: SceneName;
  points: readonly string[];
  files: Record<string, string>;
  tookMs: number;
}

export async function measureScene(name: SceneName, { real, test }: Programs): Promise<Reference> {
  const scene = await openScene(name);
  const list = join(scene.top, 'list');
  const listed = await scene.run(test, false, { list });
  const files = withoutMarks(readWork(scene));
  const points = readFileSync(list, 'utf8').trimEnd().split('\n');
  await scene.clear();
  const again = await openScene(name);
  const { tookMs, code } = await again.run(real, false);
  await again.clear();
  if (listed.code !== 0 || code !== 0) throw new Error(`${name}: ${listed.said}`);
  return { scene: name, points, files, tookMs };
}

/** One crash and one start. */
export interface Crash {
  killed: boolean;
  /** From the start of the process that resumes to its first request. */
  resumeMs: number | undefined;
  faults: Faults & { broken: string[] };
}

export async function crash(reference: Reference, kill: Kill, programs: Programs): Promise<Crash> {
  const scene = await openScene(reference.scene);
  try {
    const first = await scene.run(kill.at === undefined ? programs.real : programs.test, false, kill);
    const acknowledged = readAcknowledged(scene);
    const begun = hasBegun(acknowledged);
    const second = await scene.run(programs.real, begun);
    const broken = [
      ...(second.code === 0 ? [] : [`the start afterwards ended with ${second.code}: ${second.said}`]),
      ...(second.code === 0 && !second.said.includes('finished lead') ? [`it said: ${second.said}`] : []),
      ...scene.complaints,
    ];
    const faults = audit(scene, acknowledged, reference.files);
    return {
      killed: first.killed,
      resumeMs: begun ? second.firstRequestMs : undefined,
      faults: { ...faults, broken },
    };
  } finally {
    await scene.clear();
  }
}

/** Killed before anything was asked there is nothing to resume. */
function hasBegun(acknowledged: Acknowledged): boolean {
  return [...acknowledged.values()].some((text) => text.includes('"type":"user"'));
}
