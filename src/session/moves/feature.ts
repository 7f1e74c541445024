import { ok, type Problem, type Result, usage } from '../../lib/result.ts';
import type { Command } from '../../protocol/index.ts';
import { agentSettings } from '../environment.ts';
import type { Kernel } from '../kernel.ts';
import type { SessionFeature } from '../opening.ts';
import type { MoveNeeds } from './needs.ts';
import type { LeadRuns } from './stop-at-step.ts';

type MoveCommand = Extract<Command, { type: 'move' }>;

/** How a session leaves for another machine. */
export interface SessionMoves {
  /** Begins to move it; how that ends is an event. */
  begin(wish: MoveCommand, pump: LeadRuns): Result<void>;
  /** Resolves when a move that has stopped the session is over: until then this process is the only one that knows of it. */
  left(): Promise<void>;
}

/** Nothing is loaded before the first move. */
export function moveFeature(needs: MoveNeeds): SessionFeature<{ moves: SessionMoves }> {
  return {
    name: 'moves',
    open(kernel) {
      let moving: Promise<void> | undefined;
      return {
        moves: {
          begin(wish, pump) {
            const movable = moving
              ? usage('The session is being moved already.')
              : checkMovable(kernel, needs);
            if (!movable.ok) return movable;
            moving = move(kernel, needs, wish, pump).finally(() => {
              moving = undefined;
            });
            return ok(undefined);
          },
          left: async () => (kernel.claim.loss ? moving : undefined),
        },
      };
    },
  };
}

async function move(kernel: Kernel, needs: MoveNeeds, wish: MoveCommand, pump: LeadRuns): Promise<void> {
  const { moveOut } = await import('./move-out.ts');
  const moved = await moveOut(kernel, needs, wish, pump);
  const { events, claim, id } = kernel;
  if (moved.ok) events.tell({ type: 'session_moved', to: moved.value });
  else {
    const problem = describe(moved.problem);
    events.tell({ type: 'session_moved', to: null, problem });
    // Its run has ended with the word that it was moved.
    if (claim.loss) events.warn(`The session was not moved. ${problem} Continue it: cadre --resume ${id}`);
  }
  // Another process can open it from here on, although this one may be on a screen for long.
  if (claim.loss) claim.release();
}

function describe({ message, hint }: Problem): string {
  return hint ? `${message} ${hint}` : message;
}

function checkMovable({ options, tape, log, settings, place, environment }: Kernel, { team }: MoveNeeds) {
  if (tape) return usage('A recorded or replayed session cannot be moved.');
  if (options.holder)
    return usage('The session runs on a worker.', 'Bring it home first: cadre move SESSION --to here.');
  if (log.path === null)
    return usage(
      'Nothing of this session is kept, so it cannot be moved.',
      'Start it without --no-session-persistence.',
    );
  if (team.view() !== undefined || options.teamMember !== undefined)
    return usage('A session with a team cannot be moved.', 'End the team first: cadre team end.');
  if (!agentSettings(options, settings, { ...place.environment, ...environment }).background)
    return usage('A session without background work cannot be moved.', 'Set agents.background to true.');
  return ok(undefined);
}
