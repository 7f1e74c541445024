import { availableParallelism, hostname, loadavg } from 'node:os';
import { processIo } from '../../headless/process-io.ts';
import { ok, type Result, usage } from '../../lib/result.ts';
import { parseDuration } from '../../lib/text/duration.ts';
import { visible } from '../../lib/text/text.ts';
import { defaultLeaseMs, type Engine } from '../../remote/engine.ts';
import { defaultLabel } from '../../remote/job.ts';
import { openJobKey, readKnownKeys } from '../../remote/keys.ts';
import { openEngine } from '../../remote/open-engine.ts';
import { serveWorker } from '../../remote/serve-worker.ts';
import { listWorkers } from '../../remote/worker-note.ts';
import { checkWritableHome, lookAround } from '../../session/surroundings.ts';
import { watchStops } from '../ask/stop-signals.ts';
import { claimWorkDirectory } from './claim-directory.ts';
import { findEngine, loadOwnSettings, warnOfPassword } from './engine-address.ts';
import { openPlace } from './open-place.ts';
import type { WorkerFlags, WorkerStart } from './worker-start.ts';

const usualSlots = 4;
const maxSlots = 1000;
const minLeaseMs = 2_000;
const maxLeaseMs = 3_600_000;
const wordForm = /^[\w.:@/-]{1,100}$/;

/** `cadre worker`: runs jobs of other machines until a signal. It only connects outwards: to the engine, and to models. */
export async function runWorker(flags: WorkerFlags): Promise<number | Result<never>> {
  const say = (text: string) => processIo().writeErr(`${visible(text)}\n`);
  const start = await begin(flags, say);
  if (!start.ok) return start;
  try {
    return await serve(start.value);
  } finally {
    await start.value.engine.close();
  }
}

async function begin(flags: WorkerFlags, say: (text: string) => void): Promise<Result<WorkerStart>> {
  const around = lookAround({});
  const leaseMs = checkFlags(flags);
  if (!leaseMs.ok) return leaseMs;
  const home = checkWritableHome(around);
  if (!home.ok) return home;
  const settings = await loadOwnSettings(around, flags.settings);
  if (!settings.ok) return settings;
  const address = findEngine(flags.engine, around, settings.value);
  if (!address.ok) return address;
  warnOfPassword(flags.engine);
  const key = openJobKey(around.home);
  if (!key.ok) return key;
  const engine = await openEngine(address.value, { leaseMs: leaseMs.value });
  if (!engine.ok) return engine;
  const parts = { engine: engine.value, key: key.value, leaseMs: leaseMs.value };
  return ok({ flags, around, settings: settings.value, ...parts, say });
}

function checkFlags({ slots = usualSlots, label = [], name, lease }: WorkerFlags): Result<number> {
  if (slots > maxSlots) return usage(`--slots ${slots}: expected at most ${maxSlots}.`);
  const wrong = [...label, ...(name === undefined ? [] : [name])].find((word) => !wordForm.test(word));
  if (wrong !== undefined)
    return usage(`"${wrong}" is not a name: expected up to 100 letters, digits and . : @ / - _`);
  const leaseMs = lease === undefined ? defaultLeaseMs : (parseDuration(lease) ?? 0);
  return leaseMs >= minLeaseMs && leaseMs <= maxLeaseMs
    ? ok(leaseMs)
    : usage(`--lease ${lease}: expected between 2s and 1h.`);
}

async function serve(start: WorkerStart): Promise<number | Result<never>> {
  const { flags, around, engine, key, leaseMs, say } = start;
  const { clock, home } = around;
  const directory = claimWorkDirectory(flags.directory, around);
  if (!directory.ok) return directory;
  const name = flags.name ?? (await chooseName(engine));
  const place = await openPlace(start, name, directory.value);
  if (!place.ok) {
    directory.value.release();
    return place;
  }
  const stops = watchStops();
  const knownKeys = () => readKnownKeys(home);
  const labels = flags.label ?? [defaultLabel];
  const slots = flags.slots ?? usualSlots;
  const known = knownKeys();
  say(
    `Worker ${name} at ${engine.title}: ${slots} jobs at once, labels ${labels.join(', ')}, highest mode ${place.value.highestMode}.`,
  );
  say(
    `It accepts jobs of ${known.ok ? known.value.size : 0} keys; add one with "cadre worker trust KEY". Its own key is ${key.name}.`,
  );
  try {
    await serveWorker({
      ...{ engine, clock, home, name, labels, slots, leaseMs, key, knownKeys, say },
      machine: describeMachine,
      // A worker that waits for its first job needs little memory.
      runJob: async (job) => (await import('../../session/remote/run-job.ts')).runJob(job, place.value),
      signal: stops.signal,
    });
  } finally {
    await place.value.close();
    directory.value.release();
    stops.release();
  }
  say('All jobs are given back.');
  const code = stops.code();
  // To end a worker is not a failure of it.
  return code === 130 ? code : 0;
}

/** The machine's, or the first of its kind that no living worker has. */
async function chooseName(engine: Engine): Promise<string> {
  const listed = await listWorkers(engine);
  const taken = new Set(listed.ok ? listed.value.map(({ name }) => name) : []);
  const host =
    hostname()
      .replace(/[^\w.:@/-]/g, '-')
      .slice(0, 90) || 'worker';
  for (let count = 1; ; count++) {
    const name = count === 1 ? host : `${host}-${count}`;
    if (!taken.has(name)) return name;
  }
}

function describeMachine(): { host: string; load: number } {
  return { host: hostname().slice(0, 200), load: (loadavg()[0] ?? 0) / availableParallelism() };
}
