import { form } from '../lib/form/form.ts';
import { claimKinds } from '../protocol/receipt.ts';
import { parseExpectation } from './expectation.ts';

const maxTextLength = 2_000;
export const maxClaims = 100;

const line = form.string().trim().min(1).max(maxTextLength);

/** HO1's claim: what an agent says it did, in a form that is compared with the records. */
export const claimSchema = form
  .strictObject({
    kind: form.enum(claimKinds),
    call: line.optional().describe('Id of the tool call that shows it, or its command, word for word'),
    // White space is part of a name.
    path: form.string().min(1).max(maxTextLength).optional().describe('The file, for kind file'),
    expect: line.describe(
      'command: exit N, passed, failed, contains "TEXT". output: contains "TEXT", sha256:HEX. file: changed, created, deleted, unchanged, sha256:HEX. check: types|lint|tests|security passed|failed',
    ),
  })
  .check((claim, report) => {
    const parsed = parseExpectation(claim.kind, claim.expect);
    if (!parsed.ok) {
      report(`${parsed.problem.message} ${parsed.problem.hint ?? ''}`.trim(), ['expect']);
    }
    if (claim.kind === 'file' && claim.path === undefined)
      report('a claim about a file names its path', ['path']);
    if ((claim.kind === 'command' || claim.kind === 'output') && claim.call === undefined)
      report(`a claim about a ${claim.kind === 'command' ? 'command' : 'result'} names its call`, ['call']);
  });

export const claimsSchema = form.array(claimSchema).max(maxClaims);
