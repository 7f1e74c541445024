import type { SavedLayer } from '../../settings/change-settings.ts';
import type { Desk } from '../desk.ts';
import type { Panel } from '../state.ts';

const layers: Readonly<Record<SavedLayer, readonly [label: string, note: string]>> = {
  local: ['this repository, only for you', '.cadre/settings.local.json'],
  project: ['this repository, for everyone', '.cadre/settings.json, to be committed'],
  user: ['all your projects', '~/.cadre/settings.json'],
};

/** Asks which of our own settings files something is written to. */
export function chooseLayer(
  desk: Desk,
  title: string,
  under: Panel | undefined,
  pick: (layer: SavedLayer) => void,
): void {
  const names = ['local', 'project', 'user'] as const;
  desk.open({
    kind: 'pick',
    title,
    rows: names.map((value) => ({ value, label: layers[value][0], note: layers[value][1] })),
    selected: 0,
    ...(under ? { under } : {}),
    pick: ({ value }) => pick(names.find((one) => one === value) ?? 'local'),
  });
}
