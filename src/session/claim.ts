import type { SessionCommands } from './commands.ts';
import type { SessionFeature } from './opening.ts';

/**
 * What happens when another process has taken the session over, because this one was paused: everything that runs here ends, and
 * the user hears who has it now. In any case nothing more can be written or started; this saves the user from waiting.
 */
export function claimFeature({ pump }: SessionCommands): SessionFeature {
  return {
    name: 'claim',
    open({ claim, events, tasks }) {
      return {
        ready() {
          claim.onLost(({ message, hint = '' }) => {
            events.warn(`${message} ${hint}`);
            pump.close();
            pump.interrupt(message);
            void tasks.close(message);
          });
        },
      };
    },
  };
}
