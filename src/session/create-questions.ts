import type { Result } from '../lib/result.ts';
import type { Approvals } from '../permissions/approvals.ts';
import type {
  AgentEventBody,
  PermissionMode,
  PermissionUpdate,
  SettingsDestination,
} from '../protocol/index.ts';
import { SessionJudge } from './judge.ts';
import { auditOf } from './open-audit.ts';
import { SessionQuestions } from './questions.ts';
import type { Settled } from './settled.ts';

export interface QuestionsAround {
  approvals: Approvals;
  publish(body: AgentEventBody): void;
  stateChanged(): void;
  setMode(mode: PermissionMode): Result<void>;
}

/** The questions of a session and its judge, wired to each other. */
export function createQuestions(
  settled: Settled,
  around: QuestionsAround,
): { questions: SessionQuestions; judge: SessionJudge } {
  const { options, permissions, reel } = settled;
  const judge = new SessionJudge(settled, () => questions);
  const questions: SessionQuestions = new SessionQuestions({
    approvals: around.approvals,
    audit: auditOf(settled),
    grants: permissions.grants,
    onQuestion: options.onQuestion,
    setMode: around.setMode,
    // A replay changes nothing.
    save: (update, destination) => (reel?.isReplay ? undefined : saveFor(settled, update, destination)),
    notice: (level, text) => around.publish({ type: 'notice_given', level, text }),
    changed: around.stateChanged,
    allowed: () => judge.noteAllowed(),
  });
  return { questions, judge };
}

/** Loaded when somebody wants something saved, which most never do. */
async function saveFor({ around }: Settled, update: PermissionUpdate, destination: SettingsDestination) {
  const { savePermissions } = await import('../settings/save-permissions.ts');
  return savePermissions(update, destination, around, around.outside.clock);
}
