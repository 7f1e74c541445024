import { describeValue } from '../../lib/fields/describe-value.ts';
import { isRecord } from '../../lib/fields/field-values.ts';

type Fields = Readonly<Record<string, unknown>>;

/**
 * A message as the client takes it. It drops an answer that has another form, and whoever waits for it would wait until the
 * time is over: such an answer becomes an error that says what is wrong with it.
 */
export function repairAnswer(message: Fields): Fields {
  const { id, method, result, error } = message;
  if (method !== undefined || (typeof id !== 'number' && typeof id !== 'string')) return message;
  const answer = { jsonrpc: '2.0', id };
  if (error !== undefined && error !== null) return { ...answer, error: readError(error) };
  if (isRecord(result)) return { ...answer, result };
  return { ...answer, error: refuse(`result: expected an object, found ${describeValue(result)}`) };
}

function readError(error: unknown): object {
  const { code, message, data } = isRecord(error) ? error : {};
  if (typeof message !== 'string') return refuse('error: expected a code and a message');
  return { code: Number.isInteger(code) ? code : unnamed, message, ...(data === undefined ? {} : { data }) };
}

const unnamed = -32_000;

function refuse(reason: string): object {
  return { code: unnamed, message: `It sent an invalid answer: ${reason}.` };
}
