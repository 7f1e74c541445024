import type { LineTerminal } from '../../headless/io.ts';
import { watchStops } from './stop-signals.ts';

export interface RowChoice {
  rows: readonly string[];
  /** What a typed text means that is not a row: `id`. Without it, typing only looks for a row. */
  typedAs?: string;
}

export type ChosenRow =
  | { kind: 'row'; index: number }
  | { kind: 'text'; text: string }
  | { kind: 'back' }
  | { kind: 'interrupt' };

interface Place {
  readonly at: number;
  readonly typed: string;
}

/** A list with a cursor: arrows move it, a number or letters find a row, return takes it. A termination signal ends the program here. */
export async function chooseRow(terminal: LineTerminal, choice: RowChoice): Promise<ChosenRow> {
  const stops = watchStops();
  const keys = terminal.openKeys(stops.signal);
  const list = new ShownList(terminal);
  let place: Place = { at: 0, typed: '' };
  let chosen: ChosenRow | undefined;
  try {
    while (!chosen) {
      list.show(drawRows(choice, place), explainKeys(choice, place));
      const chunk = await keys.next();
      if (chunk === undefined) chosen = { kind: 'back' };
      for (const key of chunk?.match(keyPattern) ?? []) {
        const next = press(key, choice, place);
        if ('kind' in next) {
          chosen = next;
          break;
        }
        place = next;
      }
    }
    list.leave(drawRows(choice, place));
  } finally {
    keys.close();
    stops.release();
  }
  const code = stops.code();
  if (code !== undefined) process.exit(code);
  return chosen;
}

const keyPattern = /\u001b\[[\d;]*[A-Za-z~]|\u001bO[A-Z]|\u001b|[\s\S]/gu;

const steps: Readonly<Record<string, number>> = {
  ...{ '\u001b[A': -1, '\u001bOA': -1, '\u0010': -1 },
  ...{ '\u001b[B': 1, '\u001bOB': 1, '\u000e': 1 },
};

function press(key: string, choice: RowChoice, { at, typed }: Place): ChosenRow | Place {
  const count = listRows(choice, typed).length;
  const by = steps[key];
  if (by !== undefined) return { at: Math.min(Math.max(0, at + by), count - 1), typed };
  if (key === '\u0003') return { kind: 'interrupt' };
  if (key === '\u0004' || key === '\u001b') return typed === '' ? { kind: 'back' } : { at: 0, typed: '' };
  if (key === '\r' || key === '\n') {
    if (at < choice.rows.length) return { kind: 'row', index: at };
    return { kind: 'text', text: typed.trim() };
  }
  if (key === '\u007f' || key === '\b') return find(choice, [...typed].slice(0, -1).join(''));
  if (key < ' ' || key.startsWith('\u001b') || typed.length >= maxTyped) return { at, typed };
  return find(choice, typed + key);
}

const maxTyped = 200;

/** A number is that row; other text the first row that has it, or else the text itself. */
function find(choice: RowChoice, typed: string): Place {
  const { rows, typedAs } = choice;
  if (typed === '') return { at: 0, typed };
  if (isNumber(rows, typed)) return { at: Number(typed) - 1, typed };
  const found = rows.findIndex((row) => row.toLowerCase().includes(typed.toLowerCase()));
  if (found >= 0) return { at: found, typed };
  // Without a meaning of its own, what finds nothing is not taken.
  return typedAs === undefined ? { at: 0, typed: '' } : { at: rows.length, typed };
}

function isNumber(rows: readonly string[], typed: string): boolean {
  return /^\d{1,3}$/.test(typed) && Number(typed) >= 1 && Number(typed) <= rows.length;
}

function listRows({ rows, typedAs }: RowChoice, typed: string): string[] {
  const isOwn = typedAs !== undefined && typed.trim() !== '' && !rows.includes(typed.trim());
  return isOwn && !/^\d{1,3}$/.test(typed)
    ? [...rows, `${typed.trim()} (the ${typedAs} as typed)`]
    : [...rows];
}

function drawRows(choice: RowChoice, { at, typed }: Place): string[] {
  return listRows(choice, typed).map((row, index) => {
    const number = index < choice.rows.length ? String(index + 1).padStart(2) : '  ';
    return `${index === at ? '❯' : ' '} ${number}  ${row}`;
  });
}

function explainKeys({ typedAs }: RowChoice, { typed }: Place): string {
  const text = typed === '' ? '' : `typed: ${typed} · `;
  return `${text}up and down move · return takes it · ${typedAs === undefined ? 'a number goes to its row' : `or type an ${typedAs}`} · esc goes back`;
}

/** Redrawn in place. A terminal that can only print gets it again below. */
class ShownList {
  #height = 0;

  constructor(private readonly terminal: LineTerminal) {}

  show(rows: readonly string[], foot: string): void {
    this.#write([...rows, '', foot]);
  }

  /** Without the keys: the choice is made. */
  leave(rows: readonly string[]): void {
    this.#write(rows);
    this.terminal.show('\n');
  }

  #write(lines: readonly string[]): void {
    const columns = this.terminal.columns();
    const most = Math.max(1, this.terminal.rows() - 2);
    const shown = around(lines, most).map((line) => [...line].slice(0, columns - 1).join(''));
    const isDumb = process.env.TERM === 'dumb';
    const up = this.#height > 1 ? `\u001b[${this.#height - 1}A` : '';
    const back = this.#height === 0 || isDumb ? '' : `${up}\r\u001b[J`;
    this.terminal.show(`${back}${shown.join('\n')}${isDumb ? '\n' : ''}`);
    this.#height = shown.length;
  }
}

/** The cursor's row and the keys stay on a short screen. */
function around(lines: readonly string[], most: number): readonly string[] {
  if (lines.length <= most) return lines;
  const at = lines.findIndex((line) => line.startsWith('❯'));
  const from = Math.min(Math.max(0, at - most + 3), lines.length - most);
  return lines.slice(from, from + most);
}
