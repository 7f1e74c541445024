import { complain } from '../../headless/complain.ts';
import { processIo } from '../../headless/process-io.ts';
import { openJobKey, trustKey } from '../../remote/keys.ts';
import { checkWritableHome, lookAround } from '../../session/surroundings.ts';

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
  const home = checkWritableHome(around);
  const trusted = home.ok ? trustKey(around.home, key, note.join(' ')) : home;
  if (!trusted.ok) return complain(io, trusted.problem);
  return (await io.writeOut(`Workers of this user accept jobs that ${key} signed.\n`)) ? 0 : 1;
}
