/** The place in a team that a session's own lead takes. */
export interface CrewSeat {
  readonly name: string;
  readonly kind: 'lead' | 'pane' | 'session';
  /** A member's session ends with its part in the team. */
  endSession(reason: string): void;
}
