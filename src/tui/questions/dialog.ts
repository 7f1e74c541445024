import type { ShownQuestion } from '../../view/index.ts';
import { applyKey, type Editor, emptyEditor, expandText, pasteText } from '../editor/index.ts';
import type { Key } from '../keys/key.ts';
import { approvalForm, notesForm } from './approval.ts';
import { choicesForm } from './choices.ts';
import { elicitationForm, isDeclined } from './elicitation.ts';
import type { DialogOutcome, Field, FieldAnswer, Form, Option } from './field.ts';
import { planForm } from './plan.ts';

/** A form being filled in: a value, advanced by keys. */
export interface Dialog {
  readonly form: Form;
  /** The current field. */
  readonly at: number;
  /** The option under the cursor. */
  readonly cursor: number;
  /** Options chosen so far, where several may be. */
  readonly marked: readonly string[];
  readonly typing?: { readonly option: Option; readonly editor: Editor };
  readonly given: readonly FieldAnswer[];
}

export type DialogStep = { kind: 'stay'; dialog: Dialog } | DialogOutcome;

export function openDialog({ kind, question }: Pick<ShownQuestion, 'kind' | 'question'>): Dialog {
  const { elicitation } = question;
  if (elicitation) return begin(elicitationForm(question, elicitation));
  if (question.toolName === 'Dream') return begin(notesForm(question));
  if (kind === 'plan') return begin(planForm(question));
  return begin(kind === 'choices' ? choicesForm(question) : approvalForm(question));
}

/** The plan came back from the editor. */
export function withPlan({ form }: Dialog, plan: string): Dialog {
  return begin(planForm(form.question, plan));
}

export function begin(form: Form): Dialog {
  const { fields, startsOn } = form;
  const start = fields[0]?.options.findIndex(({ key }) => key === startsOn) ?? -1;
  return { form, at: 0, cursor: Math.max(0, start), marked: [], given: [] };
}

export function getField({ form, at }: Dialog): Field {
  return form.fields[at] ?? { title: '', options: [] };
}

export function pressDialog(dialog: Dialog, key: Key, width: number): DialogStep {
  if (dialog.typing) return typeInto(dialog, dialog.typing, key, width);
  const { options, isMany } = getField(dialog);
  const move = (by: number) =>
    stay({ ...dialog, cursor: (dialog.cursor + by + options.length) % options.length });
  if (key.name === 'up') return move(-1);
  if (key.name === 'down') return move(1);
  if (key.name === 'escape') return { kind: 'later' };
  const under = options[dialog.cursor];
  if (key.name === 'return') return isMany ? finishMany(dialog, under) : choose(dialog, under);
  if (key.name !== 'text' || key.ctrl || key.alt) return stay(dialog);
  if (isMany && key.text === ' ') return mark(dialog, under);
  const typed = findOption(dialog, key);
  if (isMany) return mark(dialog, typed);
  if (typed?.isLasting) return stay({ ...dialog, cursor: options.indexOf(typed) });
  return choose(dialog, typed);
}

/** Width of a free-text row in cells, on a screen this wide. */
export function typingWidth(width: number): number {
  return Math.max(10, width - 4);
}

/** The option that a typed key means. */
export function findOption(dialog: Dialog, { text }: Key): Option | undefined {
  return getField(dialog).options.find(({ key }) => key === text?.toLowerCase());
}

export function pasteIntoDialog(dialog: Dialog, text: string): Dialog {
  const { typing } = dialog;
  return typing ? { ...dialog, typing: { ...typing, editor: pasteText(typing.editor, text) } } : dialog;
}

function stay(dialog: Dialog): DialogStep {
  return { kind: 'stay', dialog };
}

function choose(dialog: Dialog, option: Option | undefined): DialogStep {
  if (!option) return stay(dialog);
  if (option.asks !== undefined) return stay({ ...dialog, typing: { option, editor: emptyEditor() } });
  return take(dialog, { keys: [option.key], text: '' });
}

function mark(dialog: Dialog, option: Option | undefined): DialogStep {
  if (!option) return stay(dialog);
  if (option.asks !== undefined && !dialog.marked.includes(option.key)) return choose(dialog, option);
  const marked = dialog.marked.includes(option.key)
    ? dialog.marked.filter((key) => key !== option.key)
    : [...dialog.marked, option.key];
  return stay({ ...dialog, marked });
}

/** With nothing marked, it is the one under the cursor. */
function finishMany(dialog: Dialog, under: Option | undefined): DialogStep {
  if (dialog.marked.length === 0) return choose(dialog, under);
  return take(dialog, { keys: dialog.marked, text: '' });
}

function typeInto(
  dialog: Dialog,
  { option, editor }: NonNullable<Dialog['typing']>,
  key: Key,
  width: number,
): DialogStep {
  const { typing: _, ...before } = dialog;
  if (key.name === 'escape') return stay(before);
  const typed = applyKey(editor, key, { width: typingWidth(width), history: [] });
  if (typed.effect !== 'submit') return stay({ ...dialog, typing: { option, editor: typed.editor } });
  return take(before, { keys: [...dialog.marked, option.key], text: expandText(typed.editor) });
}

function take(dialog: Dialog, given: FieldAnswer): DialogStep {
  const all = [...dialog.given, given];
  const { form, at } = dialog;
  const isLast = at + 1 >= form.fields.length || (form.question.elicitation && isDeclined(all));
  return isLast ? form.settle(all) : stay({ form, at: at + 1, cursor: 0, marked: [], given: all });
}
