import type { ParsedScript } from 'unbash';
import { hasPlainEnd } from '../grammar/dialect.ts';

/**
 * The text that a substitution prints, where all of it is visible: `$(cat <<'EOF' …)`, the usual way to pass long messages to
 * a command. Undefined for every other script. The shell removes trailing newlines.
 */
export function printedText(script: ParsedScript): string | undefined {
  const [only, ...more] = script.commands;
  const command = only?.command;
  if (more.length > 0 || command?.type !== 'Command' || only?.background) return undefined;
  const [text, ...others] = command.redirects;
  const isCat = command.name?.text === 'cat' && command.args.length === 0 && command.prefix.length === 0;
  if (!isCat || others.length > 0 || text?.type !== 'HereDoc' || text.operator !== '<<') return undefined;
  const isWhole = text.descriptor === undefined && text.closing !== undefined && hasPlainEnd(text);
  return isWhole && text.delimiter?.quoted ? text.body.text.replace(/\n+$/, '') : undefined;
}
