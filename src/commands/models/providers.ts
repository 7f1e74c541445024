import { processIo } from '../../headless/process-io.ts';
import { formatJson } from '../../lib/fields/parse-json.ts';
import { ok, type Result, usage } from '../../lib/result.ts';
import {
  type AddedProvider,
  openProviderDirectory,
  type ProviderDirectory,
} from '../../models/providers/directory.ts';
import { addProvider, removeProvider } from '../../models/providers/install.ts';
import { lookAround, type Surroundings } from '../../session/surroundings.ts';
import type { FlagsOf } from '../table/commands.ts';

type ProviderFlags = FlagsOf<'providers add'> & FlagsOf<'providers list'>;

/** `cadre providers add|list|remove`: AI SDK packages in our own directory. */
export async function manageProviders(
  action: 'add' | 'list' | 'remove',
  [subject = '']: readonly string[],
  flags: ProviderFlags,
): Promise<Result<string>> {
  const around = lookAround({});
  const directory = openProviderDirectory(around.home);
  if (action === 'list') return list(directory, flags.json === true);
  if (action === 'remove') return remove(directory, around, subject);
  const { name, keyVariable } = flags;
  if (keyVariable !== undefined && !/^[A-Za-z_][A-Za-z0-9_]*$/.test(keyVariable))
    return usage(
      `'${keyVariable}' is not a valid variable name.`,
      'Expected something like MISTRAL_API_KEY, or none.',
    );
  processIo().writeErr(`Installing ${subject} into ${directory.path} …\n`);
  const request = {
    spec: subject,
    name,
    keyVariable: keyVariable === undefined ? undefined : keyVariable === 'none' ? null : keyVariable,
  };
  const added = await addProvider(directory, request, around);
  return added.ok ? ok(describe(added.value)) : added;
}

function describe(provider: AddedProvider): string {
  const { name, keyVariable } = provider;
  const key = keyVariable ? `Set its key with: export ${keyVariable}=…  or: cadre key set ${name}\n` : '';
  return `${name}: ${provider.package} ${provider.version}\n${key}Use it with: --model ${name}/<id>\n`;
}

function list(directory: ProviderDirectory, json: boolean): Result<string> {
  const known = directory.list();
  if (!known.ok) return known;
  if (json) return ok(formatJson({ version: 1, providers: known.value }));
  if (known.value.length === 0) return ok('No providers added. Add one: cadre providers add <npm-package>\n');
  return ok(known.value.map((each) => `${each.name}: ${each.package} ${each.version}\n`).join(''));
}

async function remove(
  directory: ProviderDirectory,
  around: Surroundings,
  name: string,
): Promise<Result<string>> {
  const removed = await removeProvider(directory, name, around);
  if (!removed.ok) return removed;
  return removed.value
    ? ok(`Removed the provider ${name}.\n`)
    : usage(`No added provider is called '${name}'.`, 'See cadre providers list.');
}
