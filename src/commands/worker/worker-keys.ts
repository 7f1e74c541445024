import { complain } from '../../headless/complain.ts';
import { processIo } from '../../headless/process-io.ts';
import { ownerVariable } from '../../lib/processes/process.ts';
import { ok, type Result, usage } from '../../lib/result.ts';
import { openJobKey, trustKey } from '../../remote/keys.ts';
import { checkWritableHome, lookAround, type Surroundings } from '../../session/surroundings.ts';

/** `cadre worker key`: the public key of this user, for workers to trust. */
export async function printKey(): Promise<number> {
  const io = processIo();
  const around = lookAround({});
  const home = checkWritableHome(around);
  const key = home.ok ? openJobKey(around.home) : home;
  if (!key.ok) return complain(io, key.problem);
  return (await io.writeOut(`${key.value.name}\n`)) ? 0 : 1;
}

/** `cadre worker trust`: workers of this user accept the key from their next job on. */
export async function acceptKey(key: string, note: readonly string[]): Promise<number> {
  const io = processIo();
  const around = lookAround({});
  const person = checkPerson(around);
  const home = person.ok ? checkWritableHome(around) : person;
  const trusted = home.ok ? trustKey(around.home, key, note.join(' ')) : home;
  if (!trusted.ok) return complain(io, trusted.problem);
  return (await io.writeOut(`Workers of this user accept jobs that ${key} signed.\n`)) ? 0 : 1;
}

/** A command run by an agent carries our mark. A key that is accepted begins work on this machine. */
function checkPerson({ environment }: Surroundings): Result<void> {
  if (environment[ownerVariable] === undefined) return ok(undefined);
  return usage(
    'An agent cannot decide whose jobs are accepted.',
    'Run cadre worker trust yourself, in your own terminal.',
  );
}
