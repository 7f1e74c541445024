import { isAbsolute, join, normalize } from 'node:path';
import { parseJson } from '../../lib/fields/parse-json.ts';
import { ensurePrivateDirectory, writeAtomic } from '../../lib/files/atomic.ts';
import { describeUnread, readBounded } from '../../lib/files/read-bounded.ts';
import { form } from '../../lib/form/form.ts';
import { fail, ok, type Result, usage } from '../../lib/result.ts';

/** A provider that the user has added: an AI SDK package in our own directory. */
export interface AddedProvider {
  /** The part before the slash in `name/id`. */
  name: string;
  package: string;
  version: string;
  /** The export that makes the provider. */
  factory: string;
  /** Where its key is looked for; null when the package finds its own. */
  keyVariable: string | null;
  /** The module to load, relative to the directory. */
  file: string;
}

/** `<home>/providers`: a private npm project, and the list of its providers. */
export interface ProviderDirectory {
  readonly path: string;
  list(): Result<AddedProvider[]>;
  find(name: string): Result<AddedProvider | undefined>;
  save(provider: AddedProvider): Result<void>;
  /** False when there was none. */
  forget(name: string): Result<boolean>;
}

/** Nothing is read before it is needed. */
export function openProviderDirectory(home: string): ProviderDirectory {
  const path = join(home, 'providers');
  const file = join(path, 'providers.json');

  function write(providers: AddedProvider[]): Result<void> {
    const directory = ensurePrivateDirectory(path);
    if (!directory.ok) return directory;
    const entries = providers.map(({ name, ...rest }) => [name, rest] as const);
    const content = { version: 1, providers: Object.fromEntries(entries) };
    return writeAtomic(file, `${JSON.stringify(content, null, 2)}\n`, 0o600);
  }

  function list(): Result<AddedProvider[]> {
    return readList(file);
  }

  return {
    path,
    list,
    find(name) {
      const known = list();
      return known.ok ? ok(known.value.find((provider) => provider.name === name)) : known;
    },
    save(provider) {
      const known = list();
      if (!known.ok) return known;
      const others = known.value.filter(({ name }) => name !== provider.name);
      return write([...others, provider].sort((a, b) => a.name.localeCompare(b.name)));
    },
    forget(name) {
      const known = list();
      if (!known.ok) return known;
      const others = known.value.filter((provider) => provider.name !== name);
      if (others.length === known.value.length) return ok(false);
      const written = write(others);
      return written.ok ? ok(true) : written;
    },
  };
}

export const providerNamePattern = /^[a-z][a-z0-9-]{0,39}$/;

/** Built only where there is a file: most users have none. */
const buildSchema = () =>
  form.object({
    version: form.literal(1),
    providers: form.record(
      form.object({
        package: form.string().min(1),
        version: form.string(),
        factory: form.string().regex(/^create[A-Za-z0-9_$]+$/),
        keyVariable: form.string().nullable(),
        file: form
          .string()
          .refine((path) => !isAbsolute(path) && !normalize(path).startsWith('..'), 'expected a path inside'),
      }),
      form.string().regex(providerNamePattern),
    ),
  });

/** The file names code that we run, so only its owner may be able to write it. */
function readList(path: string): Result<AddedProvider[]> {
  const read = readBounded(path, maxBytes);
  if (read.state === 'missing') return ok([]);
  if (read.state !== 'read') return fail(describeUnread(read, path, maxBytes));
  if ((read.stat.mode & 0o077) !== 0)
    return usage(
      `${path} can be written by other users, but it names code to run.`,
      `Restrict it with: chmod 600 ${path}`,
    );
  const json = parseJson(read.bytes.toString('utf8'));
  if (json === undefined) return usage(`${path} is not JSON.`, repair);
  const parsed = buildSchema().safeParse(json);
  if (parsed.success)
    return ok(Object.entries(parsed.data.providers).map(([name, rest]) => ({ name, ...rest })));
  const { path: field = [], message = '' } = parsed.error.issues[0] ?? {};
  return usage(`${path} is not a list of providers: ${field.join('.')}: ${message}`, repair);
}

const maxBytes = 4 * 1024 * 1024;

const repair = 'Remove the file and add the providers again: cadre providers add <npm-package>';
