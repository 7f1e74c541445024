import { boundText } from '../lib/text/text.ts';
import type { JudgedCall, JudgedItem } from '../protocol/index.ts';

const maxCallLength = 40_000;
const maxHistoryLength = 60_000;

/**
 * A case as lines of JSON. Everything in it is quoted, and characters that could be taken for markup are escaped. The lines
 * of one conversation only grow, so a provider's cache stays valid. Undefined when the call is too long: no decision is made
 * about part of a call.
 */
export function renderCase({ question, history }: JudgedCall): string | undefined {
  const { toolName: tool, input, cwd: directory } = question;
  const last = quote({ decide: { tool, input, directory } });
  if (last.length > maxCallLength) return undefined;
  return [...fitting(history.map(formatLine)), last].join('\n');
}

interface Line {
  isUser: boolean;
  text: string;
}

function formatLine(item: JudgedItem): Line {
  if (item.kind === 'user') return { isUser: true, text: quote({ user: boundText(item.text, 4_000) }) };
  const input = JSON.stringify(item.input);
  const shown = input.length > 2_000 ? boundText(input, 2_000) : item.input;
  return { isUser: false, text: quote({ call: item.tool, input: shown }) };
}

/** Old calls are dropped first; the user's words, above all the first ones, are what everything is measured by. */
function fitting(lines: readonly Line[]): string[] {
  const kept = [...lines];
  let size = kept.reduce((sum, line) => sum + line.text.length, 0);
  while (size > maxHistoryLength && kept.length > 1) {
    const call = kept.findIndex((line) => !line.isUser);
    const [gone] = kept.splice(call < 0 ? 1 : call, 1);
    size -= gone?.text.length ?? 0;
  }
  return kept.map((line) => line.text);
}

function quote(value: unknown): string {
  return JSON.stringify(value).replace(
    /[<>\u2028\u2029]/g,
    (sign) => `\\u${sign.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}
