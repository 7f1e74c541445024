import { describeValue } from '../../lib/fields/describe-value.ts';
import { isRecord } from '../../lib/fields/field-values.ts';
import { parseJson } from '../../lib/fields/parse-json.ts';
import { repairContent } from './repair-content.ts';

type Fields = Readonly<Record<string, unknown>>;

/**
 * A message as the client takes it. It drops an answer that has another form, and its caller would wait until the
 * time is over: such an answer becomes an error that says what is wrong with it.
 */
export function repairAnswer(message: Fields): Fields {
  if (isSound(message)) return message;
  const { id, result, error } = message;
  const answer = { jsonrpc: '2.0', id };
  if (error !== undefined && error !== null) return { ...answer, error: readError(error) };
  if (isRecord(result)) return { ...answer, result: repairResult(result) };
  return { ...answer, error: refuse(`result: expected an object, found ${describeValue(result)}`) };
}

/** The same for an event of a stream, which stays as it is unless its message has to change. */
export function repairEvent(event: Uint8Array): Uint8Array {
  const lines = new TextDecoder().decode(event).split('\n');
  const isData = (line: string) => line.startsWith('data:');
  const message = parseJson(
    lines
      .filter(isData)
      .map((line) => line.slice('data:'.length))
      .join('\n'),
  );
  if (!isRecord(message) || message.jsonrpc !== '2.0' || isSound(message)) return event;
  const others = lines.filter((line) => line !== '' && !isData(line));
  return Buffer.from([...others, `data: ${JSON.stringify(repairAnswer(message))}`, '', ''].join('\n'));
}

/** The same for a body that is one message; any other stays as it is. */
export function repairBody(body: Uint8Array): Uint8Array {
  const message = parseJson(new TextDecoder().decode(body));
  if (!isRecord(message) || message.jsonrpc !== '2.0' || isSound(message)) return body;
  return Buffer.from(JSON.stringify(repairAnswer(message)));
}

/** Not an answer, or one with a result and nothing else. */
function isSound({ id, method, result, ...others }: Fields): boolean {
  if (method !== undefined || (typeof id !== 'number' && typeof id !== 'string')) return true;
  if (!isRecord(result) || repairResult(result) !== result) return false;
  return Object.keys(others).every((name) => name === 'jsonrpc');
}

/** Only the results of tools have `content`. */
function repairResult(result: Fields): Fields {
  const { content } = result;
  if (typeof content === 'string') return { ...result, content: [{ type: 'text', text: content }] };
  if (!Array.isArray(content)) return result;
  const repaired = repairContent(content);
  return repaired === content ? result : { ...result, content: repaired };
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
