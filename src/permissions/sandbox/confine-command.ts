import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describeFileError, ensurePrivateDirectory } from '../../lib/files.ts';
import { fail, ok, type Result } from '../../lib/result.ts';
import type {
  ConfinedCommand,
  ConfinementScope,
  Launch,
  Sandbox,
  SandboxTerms,
} from '../../protocol/sandbox.ts';
import { isWithin } from '../../workspace/paths.ts';
import { realPathOf } from '../../workspace/real-path.ts';
import { appeared } from './exposure.ts';
import { prepareBranch } from './git-places.ts';
import { identitiesOf, replacedOnes } from './identities.ts';
import type { SandboxOptions } from './options.ts';
import { takePlaceholders } from './placeholders.ts';
import { type PolicyInputs, planPolicy } from './policy.ts';
import { quarantine } from './quarantine.ts';
import { explainRefusal } from './refusal.ts';
import { privatePath } from './temporary.ts';

export interface ConfineOptions extends SandboxOptions, Pick<PolicyInputs, 'writable' | 'survey'> {
  terms: SandboxTerms;
  scratch?: string | undefined;
}

/** One command, from what it may touch to what is cleared up behind it. */
export async function confineCommand(
  sandbox: Sandbox,
  launch: Launch,
  scope: ConfinementScope,
  options: ConfineOptions,
): Promise<Result<ConfinedCommand>> {
  const { directory, terms, scratch } = options;
  const prepared = prepare(directory, scratch);
  if (!prepared.ok) return prepared;
  if (scope.writes !== 'none') for (const place of scope.directories) prepareBranch(realPathOf(place));
  const giveBack = takePlaceholders(placesFor(scope));
  const plan = planPolicy(launch, scope, { ...options, ...prepared.value }, scratch);
  const before = plan.exposed();
  const held = identitiesOf(plan.policy.paths);
  const confined = await sandbox.confine(launch, plan.policy);
  if (!confined.ok) {
    giveBack();
    return confined;
  }
  const clear = () => quarantine(before, plan.exposed(), join(directory, 'taken'));
  return ok({
    launch: confined.value,
    offends: () => appeared(before, plan.exposed()).length > 0,
    isPrivate: (path) =>
      isWithin(path, privatePath) &&
      !plan.policy.paths.some((entry) => entry.access !== 'none' && isWithin(path, entry.path)),
    finish({ failed, output }) {
      confined.value.release?.();
      const taken = [...clear(), ...replacedOnes(held)];
      giveBack();
      for (const text of taken) options.notify(`${text}.`);
      const refused = failed ? explainRefusal(output, plan.roots, terms) : undefined;
      return [...taken, ...(refused === undefined ? [] : [refused])];
    },
  });
}

/** Where settings would be read from; a machine's root is nobody's workspace. */
function placesFor({ writes, directories }: ConfinementScope): string[] {
  const [start] = directories.map(realPathOf);
  return writes === 'none' || start === undefined || start === '/' ? [] : [start];
}

/** The directories of this session that are seen inside, and an empty file to mount where the command may write one. */
function prepare(
  directory: string,
  scratch: string | undefined,
): Result<{ temporary: string; empty: string }> {
  const places = { temporary: join(directory, 'tmp'), empty: join(directory, 'empty') };
  for (const path of Object.values(places)) {
    const made = ensurePrivateDirectory(path);
    if (!made.ok) return made;
  }
  if (scratch === undefined) return ok(places);
  try {
    writeFileSync(scratch, '', { mode: 0o600 });
    return ok(places);
  } catch (error) {
    return fail(describeFileError(error, scratch, 'write'));
  }
}
