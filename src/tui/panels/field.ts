import type { Desk } from '../desk.ts';
import type { Drawing } from '../drawing.ts';
import { applyKey, expandText, pasteText } from '../editor/index.ts';
import type { Key } from '../keys/key.ts';
import { styled } from '../screen/layout.ts';
import { type Drawn, promptLines, promptWidth } from '../screen/prompt-lines.ts';
import type { Panel, ScreenState } from '../state.ts';
import { showControls, wrap } from '../text/index.ts';
import { fill, footLines } from './layout.ts';

export type FieldPanel = Extract<Panel, { kind: 'field' }>;

/** One value that is typed: a rule, a name, a setting. */
export function fieldScreen(panel: FieldPanel, state: ScreenState, height: number, drawing: Drawing): Drawn {
  const { title, about, editor, said } = panel;
  const head = [
    ...wrap(showControls(title), drawing.width).map((line) => styled(drawing, 'heading', line)),
    ...(about === undefined
      ? []
      : about.split('\n').flatMap((line) => wrap(showControls(line), drawing.width))
    ).map((line) => styled(drawing, 'dim', line)),
    '',
  ];
  const prompt = promptLines(editor, { most: 6, placeholder: panel.placeholder, isActive: true }, drawing);
  const problem = said === undefined ? [] : wrap(showControls(said), drawing.width);
  const foot = footLines('return saves · esc goes back', state, drawing);
  const body = [...head, ...prompt.lines, ...problem.map((line) => styled(drawing, 'warning', line))];
  const { cursor } = prompt;
  return {
    lines: [...fill(body.slice(0, height - foot.length), height - foot.length, drawing), ...foot],
    ...(cursor ? { cursor: { x: cursor.x, y: cursor.y + head.length } } : {}),
  };
}

export function pressField(desk: Desk, panel: FieldPanel, key: Key): void {
  const { said: _, ...open } = panel;
  const width = promptWidth(panel.editor, desk.app.drawing());
  const { editor, effect } = applyKey(panel.editor, key, { width, history: [] });
  if (effect === 'submit') return void submit(desk, { ...open, editor });
  desk.open({ ...open, editor });
}

export function pasteField(desk: Desk, panel: FieldPanel, text: string): void {
  desk.open({ ...panel, editor: pasteText(panel.editor, text) });
}

/** A refused value stays, with the reason. */
async function submit(desk: Desk, panel: FieldPanel): Promise<void> {
  const refused = await panel.save(expandText(panel.editor).trim());
  if (refused !== undefined) desk.open({ ...panel, said: refused });
}
