import type { Desk } from '../desk.ts';
import type { Key } from '../keys/key.ts';
import { type ChangesPanel, drawChanges } from './changes.ts';

export function pressChanges(desk: Desk, panel: ChangesPanel, key: Key): void {
  const { files, page, most } = drawChanges(panel, desk.app.state.rows, desk.app.drawing());
  const from = Math.min(panel.down, most);
  const leap = Math.max(1, page - 1);
  const steps: Record<string, number> = {
    ...{ up: -1, down: 1, pageup: -leap, pagedown: leap, home: -most, end: most },
    ...{ ' ': leap, g: -most, G: most },
  };
  const name = key.name === 'text' && !key.ctrl && !key.alt ? (key.text ?? '') : key.name;
  const next =
    name === ']'
      ? files.find((at) => at > from)
      : name === '['
        ? files.findLast((at) => at < from)
        : undefined;
  const to = next ?? from + (steps[name] ?? 0);
  if (to !== from) desk.open({ ...panel, down: Math.min(Math.max(0, to), most) });
}
