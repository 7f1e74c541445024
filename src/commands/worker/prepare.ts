import { ok, type Result } from '../../lib/result.ts';
import { prepareEngine } from '../../remote/open-engine.ts';
import { lookAround } from '../../session/surroundings.ts';
import type { FlagsOf } from '../table/commands.ts';
import { warnOfPassword } from './engine-address.ts';
import { ownEngine } from './own-engine.ts';

/** `cadre worker prepare`: once for each server, by a user who may create tables. */
export async function prepare({ engine }: FlagsOf<'worker prepare'>): Promise<Result<string>> {
  const address = await ownEngine(lookAround({}), engine).address();
  warnOfPassword(engine);
  const prepared = address.ok ? await prepareEngine(address.value) : address;
  return prepared.ok ? ok(`${prepared.value}\n`) : prepared;
}
