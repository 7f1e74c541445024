import { statSync } from 'node:fs';
import { resolve } from 'node:path';
import type { Io } from '../../headless/io.ts';
import { processIo } from '../../headless/process-io.ts';
import { formatJson } from '../../lib/fields/parse-json.ts';
import { fail, ok, type Result, usage } from '../../lib/result.ts';
import { countThings } from '../../lib/text/count-things.ts';
import { visibleLine } from '../../lib/text/text.ts';
import { hashPiece } from '../../settings/trust/piece.ts';
import { answersYes } from '../ask/answers-yes.ts';
import type { FlagsOf } from '../table/commands.ts';
import {
  describeTrust,
  grantTrust,
  listTrusted,
  revokeTrust,
  type TrustDescription,
} from './repository-trust.ts';
import { renderDescription, renderTrusted } from './trust-text.ts';

type TrustFlags = FlagsOf<'trust'>;

/** `cadre trust`: shows what a repository would activate, and asks. The answer applies to exactly that content. */
export async function manageTrust(
  directory: string | undefined,
  flags: TrustFlags,
): Promise<number | Result<string>> {
  const checked = checkFlags(directory, flags);
  if (!checked.ok) return checked;
  if (flags.list) return list(flags);
  const cwd = resolve(directory ?? '.');
  if (flags.revoke) return revoke(cwd);
  const found = await look(cwd);
  if (!found.ok) return found;
  return flags.yes ? grant(found.value, cwd, flags) : show(processIo(), found.value, cwd, flags);
}

function checkFlags(directory: string | undefined, { yes, list, revoke, json }: TrustFlags): Result<void> {
  const actions = [yes && '--yes', list && '--list', revoke && '--revoke'].filter((flag) => flag);
  if (actions.length > 1) return usage(`${actions.join(' and ')} cannot be combined.`, 'Use one of them.');
  if (revoke && json) return usage('--revoke has nothing to print as JSON.', 'Leave out --json.');
  if (list && directory !== undefined)
    return usage('--list covers all directories.', 'Leave the directory out.');
  return ok(undefined);
}

async function look(cwd: string): Promise<Result<TrustDescription>> {
  if (!statSync(cwd, { throwIfNoEntry: false })?.isDirectory())
    return usage(`${visibleLine(cwd, 1000)}: directory not found.`, 'Name the directory of a repository.');
  return describeTrust({ cwd });
}

async function show(
  io: Io,
  found: TrustDescription,
  cwd: string,
  flags: TrustFlags,
): Promise<number | Result<string>> {
  if (flags.json) return ok(reportJson(found));
  const open = openCount(found);
  const { text, isWhole } = renderDescription(found);
  if (open === 0) return ok(`${text}${nothingOpen(found)}`);
  const refusal = found.refusal ?? (isWhole ? undefined : tooLong) ?? (io.terminal ? undefined : nobodyThere);
  if (refusal) {
    await io.writeOut(text);
    return fail(refusal);
  }
  if (!(await answersYes(io, `${text}\n`, question(open)))) {
    io.writeErr('Not trusted; nothing has changed.\n');
    return 1;
  }
  return grant(found, cwd, flags);
}

const tooLong = {
  kind: 'usage' as const,
  message: 'Not trusted: this is too long to show in a question.',
  hint: 'cadre trust --json prints all of it; cadre trust --yes trusts it.',
};

const nobodyThere = {
  kind: 'usage' as const,
  message: 'Not trusted: stdin is not a terminal, so there is no way to ask.',
  hint: 'Run cadre trust in a terminal, or cadre trust --yes to trust what is shown above.',
};

function question(open: number): string {
  return open === 1
    ? 'Let this take effect from now on, until it changes? [y/N] '
    : `Let these ${open} take effect from now on, each until it changes? [y/N] `;
}

function nothingOpen({ pieces }: TrustDescription): string {
  if (pieces.some(({ standing }) => standing === 'refused')) return '\nEverything else is trusted.\n';
  return pieces.length === 0 ? 'Nothing here needs your trust.\n' : '\nAll of it is trusted.\n';
}

function openCount({ pieces }: TrustDescription): number {
  return pieces.filter(({ standing }) => standing === 'new' || standing === 'changed').length;
}

async function grant(found: TrustDescription, cwd: string, flags: TrustFlags): Promise<Result<string>> {
  const granted = await grantTrust(found, { cwd });
  if (!granted.ok) return granted;
  if (flags.json) {
    const now = await describeTrust({ cwd });
    return now.ok ? ok(reportJson(now.value)) : now;
  }
  const shown = flags.yes ? `${renderDescription(found).text}${openCount(found) > 0 ? '\n' : ''}` : '';
  const said = granted.value === 0 ? nothingOpen(found).trimStart() : trustedNow(found.root, granted.value);
  return ok(shown + said);
}

function trustedNow(root: string, count: number): string {
  return `Trusted in ${visibleLine(root, 1000)}: ${countThings(count, 'piece')} of the repository. cadre trust --revoke undoes this.\n`;
}

async function revoke(cwd: string): Promise<Result<string>> {
  const revoked = await revokeTrust({ cwd });
  if (!revoked.ok) return revoked;
  const where = visibleLine(cwd, 1000);
  return ok(revoked.value === 0 ? `Nothing was trusted in ${where}.\n` : `Removed all trust in ${where}.\n`);
}

function list({ json }: TrustFlags): Result<string> {
  const listed = listTrusted();
  if (!listed.ok) return listed;
  const asData = [...listed.value].map(([root, pieces]) => ({ root, pieces }));
  return ok(json ? formatJson(asData) : renderTrusted(listed.value));
}

function reportJson({ root, pieces, problems, damage, refusal }: TrustDescription): string {
  const rows = pieces.map(({ piece, ...rest }) => ({ ...piece, hash: hashPiece(piece) ?? null, ...rest }));
  const reasons = [...(damage ? [damage.message] : []), ...problems];
  return formatJson({ root, refusal: refusal?.message ?? null, pieces: rows, problems: reasons });
}
