import { join } from '../lib/files/exact-paths.ts';
import { listNames } from '../lib/files/list-names.ts';
import { addRunningCommands } from '../workspace/running-commands.ts';
import { hasOtherHomes } from './guard/noted-homes.ts';
import type { SharedHomes } from './guard/shared-homes.ts';
import type { openHold } from './hold-programs.ts';

/** From now on git, run by this process, takes the confined commands of all sessions of this user into account. */
export function watchRunningCommands(home: string): () => void {
  let homes: SharedHomes | undefined;
  let holding: ReturnType<typeof openHold> | undefined;
  return addRunningCommands(home, () => {
    // What follows is loaded only where something runs.
    if (listNames(join(home, 'confined')).length === 0 && !hasOtherHomes(home)) return undefined;
    return findThem();
  });

  async function findThem() {
    const { SharedHomes } = await import('./guard/shared-homes.ts');
    const { findAllCommands } = await import('./guard/other-commands.ts');
    const { describeExposure } = await import('./exposure.ts');
    const { openHold } = await import('./hold-programs.ts');
    homes ??= new SharedHomes(home);
    holding ??= openHold();
    const hold = await holding;
    const others = findAllCommands(homes);
    return {
      ...{ mayWrite: others.mayWrite, mayWorkIn: others.mayWorkIn, hold },
      made: (path: string) => others.made(path, describeExposure([path]).get(path)),
    };
  }
}
