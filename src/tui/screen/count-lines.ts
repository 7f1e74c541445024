import type { Drawing } from '../drawing.ts';
import { styled } from './layout.ts';

/** `+1 −3` */
export function countLines(
  { added, removed }: { readonly added: number; readonly removed: number },
  drawing: Drawing,
): string {
  return `${styled(drawing, 'added', `+${added}`)} ${styled(drawing, 'removed', `−${removed}`)}`;
}
