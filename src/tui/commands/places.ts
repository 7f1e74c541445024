import type { Result } from '../../lib/result.ts';
import { lookAround, type Surroundings } from '../../session/surroundings.ts';
import { type LoadedSettings, loadSettings } from '../../settings/load.ts';
import type { SettingsLookup } from '../../settings/places.ts';
import { openTrust } from '../../settings/trust.ts';
import type { Layout } from '../../store/layout.ts';
import type { Desk } from '../desk.ts';

export function findLayout(desk: Desk): Layout {
  return findSurroundings(desk).layout;
}

export function findSurroundings({ session, world }: Desk): Surroundings {
  return lookAround({ cwd: session.info().cwd, environment: world.environment });
}

/** The current settings; the session keeps those of its start. */
export function settingsNow(desk: Desk): Promise<Result<LoadedSettings>> {
  return loadSettings(lookupNow(desk));
}

export function lookupNow(desk: Desk): SettingsLookup {
  const { home, userHome, cwd, root, mainRoot } = findSurroundings(desk);
  const { settings, settingSources, trust = false } = desk.world.start;
  return {
    ...{ home, userHome, cwd, root, mainRoot },
    sources: settingSources ?? ['user', 'project', 'local'],
    ...(settings === undefined ? {} : { flagSettings: settings }),
    trusted: trust,
    trust: openTrust({ home, root, everything: trust }),
  };
}
