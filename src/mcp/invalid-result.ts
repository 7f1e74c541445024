import { isRecord } from '../lib/fields/field-values.ts';
import { parseJson } from '../lib/fields/parse-json.ts';
import { formatError } from '../lib/result.ts';
import { visibleLine } from '../lib/text/text.ts';

/** An error of the client or a server in one line. The client lists what is wrong with a result as JSON: the first is told. */
export function describeServerError(error: unknown, maxLength = 300): string {
  const text = formatError(error);
  const [, what = '', list = ''] = /^([^[]*?):?\s*(\[\s*\{.*\}\s*\])\s*$/s.exec(text) ?? [];
  const issues = parseJson(list);
  const first: unknown = Array.isArray(issues) ? issues[0] : undefined;
  if (!isRecord(first) || typeof first.message !== 'string') return visibleLine(text, maxLength);
  const path = Array.isArray(first.path) ? first.path.filter(isNamed).join('.') : '';
  const reason = first.message.replace(/^Invalid input: /, '');
  return visibleLine(
    `${what === '' ? 'It sent an invalid message' : what}: ${path === '' ? '' : `${path}: `}${reason}`,
    maxLength,
  );
}

function isNamed(part: unknown): boolean {
  return typeof part === 'string' || typeof part === 'number';
}
