import { complain } from '../../headless/complain.ts';
import { processIo } from '../../headless/process-io.ts';
import { prepareEngine } from '../../remote/open-engine.ts';
import { lookAround } from '../../session/surroundings.ts';
import type { FlagsOf } from '../table/commands.ts';
import { findEngine, loadOwnSettings, warnOfPassword } from './engine-address.ts';

/** `cadre worker prepare`: once for each server, by a user who may create tables. */
export async function prepare({ engine }: FlagsOf<'worker prepare'>): Promise<number> {
  const io = processIo();
  const around = lookAround({});
  const settings = await loadOwnSettings(around);
  const address = settings.ok ? findEngine(engine, around, settings.value) : settings;
  const warning = warnOfPassword(engine);
  if (warning) io.writeErr(`${warning}\n`);
  const prepared = address.ok ? await prepareEngine(address.value) : address;
  if (!prepared.ok) return complain(io, prepared.problem);
  return (await io.writeOut(`${prepared.value}\n`)) ? 0 : 1;
}
