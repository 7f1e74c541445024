import type { Sending, TeamSeat, Teams } from '../../agents/teams.ts';
import type { Result } from '../../lib/result.ts';
import type { ToolResult } from '../../protocol/index.ts';
import type { TeamAnswer } from '../../team/tools/team-tools.ts';
import type { SessionCrew } from './crew.ts';

/** An open team, as the rest of the session sees it. */
export interface TeamPort {
  readonly name: string;
  readonly crew: SessionCrew;
  openSeat(name: string): TeamSeat;
  proposeName(type: string | undefined): string;
  send(sending: Sending): Promise<ToolResult> | undefined;
  askPlan(...asked: Parameters<Teams['askPlan']>): ReturnType<Teams['askPlan']>;
  listAddresses(agentId: string | null): string[];
  describeMembers(except: string): string;
  end(how: { force: boolean; signal: AbortSignal }): Promise<Result<TeamAnswer>>;
  resumeMembers(): Promise<void>;
  /** `isPassed`: another process has the session, and with it the team. */
  close(isPassed?: boolean): void;
}
