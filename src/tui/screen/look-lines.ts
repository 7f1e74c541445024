import { type ShownCall, summariseLooks } from '../../view/index.ts';
import type { Drawing } from '../drawing.ts';
import { shortenPlaces, showLine, truncate, width } from '../text/index.ts';
import { callLines } from './call-lines.ts';
import { sign, spoken, styled } from './layout.ts';

/** Calls that only looked around: one as any call, several in one line that ctrl-o opens. */
export function lookLines(calls: readonly ShownCall[], drawing: Drawing): string[] {
  const [only] = calls;
  if (!only) return [];
  if (calls.length === 1) return callLines(only, drawing);
  const mark = sign(drawing, '●', 'Tools:');
  const words = `${summariseLooks(calls)}`;
  const head = `${styled(drawing, 'success', mark)}${styled(drawing, 'strong', words)}`;
  const names = [
    ...new Set(calls.map(({ summary }) => showLine(shortenPlaces(summary, drawing.places), 100))),
  ];
  const hint = spoken(drawing, ' · ctrl-o opens');
  const end = width(mark) + width(words) + width(hint) <= drawing.width ? hint : '';
  const room = drawing.width - width(mark) - width(words) - width(end) - 1;
  const named = room < minNames ? '' : ` ${truncate(names.join(', '), room)}`;
  return [truncate(head + styled(drawing, 'dim', named + end), drawing.width)];
}

/** In cells: less says nothing. */
const minNames = 12;
