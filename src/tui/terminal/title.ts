import { basename } from 'node:path';
import type { View } from '../../view/index.ts';
import { isBusy } from '../app.ts';
import { showLine } from '../text/index.ts';

/** The title of the window: the state first, since tabs are narrow. */
export function describeWindow(view: View): string {
  const { title, cwd } = view.session;
  const state = view.questions.length > 0 ? ['Asks you'] : isBusy(view) ? ['Working'] : [];
  const name = showLine(title ?? basename(cwd), 60);
  return [...state, ...(name === '' ? [] : [name]), 'Cadre'].join(' · ');
}
