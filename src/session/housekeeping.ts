import { ok } from '../lib/result.ts';
import { directoryNotices, settingsNotices } from './notices.ts';
import type { SessionFeature } from './opening.ts';
import { tidyUp } from './tidy-up.ts';
import { variableNotices } from './variables.ts';

/** What stands around a session from its first moment to its last: its claim, its files, its tape. */
export function housekeeping(found: { releaseClaim(): void; notices: readonly string[] }): SessionFeature {
  return {
    name: 'housekeeping',
    open(kernel) {
      const { settings, environment, log, tape } = kernel;
      return {
        notices: [
          ...found.notices,
          ...settingsNotices(settings),
          ...directoryNotices(settings),
          ...variableNotices(environment),
        ],
        close() {
          log.close();
          found.releaseClaim();
          const finished = tape?.finish() ?? ok(undefined);
          tidyUp(kernel);
          return finished;
        },
      };
    },
  };
}
