import type { AccountPath, Limit } from '../models/budget/records.ts';
import type { Effort } from '../protocol/effort.ts';
import type { PermissionMode, Rule } from '../protocol/index.ts';

/** What a session in a pane is, beside its options: the part of a teammate that its leader started. */
export interface TeamPart {
  /** What it is to do; absent where its transcript has it. */
  readonly task?: string | undefined;
  /** Of the message that brings it its task. */
  readonly taskUuid?: string | undefined;
  /** In place of its definition's. */
  readonly effort?: Effort | undefined;
  /** The user decides on its plans: its leader is in plan mode, and cannot let others out of it. */
  readonly userApprovesPlans?: boolean | undefined;
  /** The mode that its leader was in when it was started. */
  readonly leaderMode?: PermissionMode | undefined;
  /** Its own mode while its leader is in the default mode; of one that makes a plan, once that was approved. */
  readonly modeUnderDefault?: PermissionMode | undefined;
  /** Permissions that the user has given to the leader's session since its start. */
  readonly grants: readonly Rule[];
  /** What it pays from. */
  readonly account: SharedAccount;
}

/** An account in the ledger of another session. */
export interface SharedAccount {
  /** The file of the ledger. */
  readonly ledger: string;
  readonly path: AccountPath;
  readonly limits: readonly Limit[];
}
