import { isRecord } from '../../lib/fields/field-values.ts';
import type { AssistantBlock, Message, ModelRequest, Thinking, UserBlock } from '../../protocol/index.ts';
import { addUserBlocks, readObjects, readString, readTool, sentBack, type WireObject } from './dialect.ts';

/** Converts a Gemini request to our types. Consecutive user contents are one message. */
export function parseGoogle(body: WireObject): ModelRequest {
  const messages: Message[] = [];
  for (const content of readObjects(body.contents)) {
    const parts = readObjects(content.parts);
    if (content.role === 'model') messages.push(sentBack(parts.map(assistantBlock)));
    else addUserBlocks(messages, parts.map(userBlock));
  }
  const config = isRecord(body.generationConfig) ? body.generationConfig : {};
  const system = isRecord(body.systemInstruction) ? body.systemInstruction : {};
  return {
    system: readObjects(system.parts).map((part) => readString(part.text)),
    tools: readObjects(body.tools).flatMap((tool) =>
      readObjects(tool.functionDeclarations).map((one) =>
        readTool(one, one.parametersJsonSchema ?? one.parameters),
      ),
    ),
    messages,
    maxOutputTokens: Number(config.maxOutputTokens),
    thinking: readThinking(config.thinkingConfig),
  };
}

/** Errors of the API: the mistakes that a harness is likely to make. */
export function googleViolations(body: WireObject): string[] {
  const contents = readObjects(body.contents);
  return [
    ...(contents.length > 0 ? [] : ['contents are required']),
    ...(contents[0]?.role === 'model' ? ['contents.0: the first content must come from the user'] : []),
    ...contents.flatMap((content, index) => pairing(content, contents[index + 1], index)),
    ...contents.flatMap(({ parts }, index) =>
      readObjects(parts).length > 0 ? [] : [`contents.${index}: must include at least one parts field`],
    ),
  ];
}

/** Results come right after the calls, each under the name that was called. */
function pairing(content: WireObject, next: WireObject | undefined, index: number): string[] {
  const calls = listNames(content, 'functionCall');
  const answers = next ? listNames(next, 'functionResponse') : [];
  if (content.role !== 'model' || JSON.stringify(calls) === JSON.stringify(answers)) return [];
  return [`contents.${index}: function responses [${answers}] do not match the calls [${calls}]`];
}

function listNames(content: WireObject, kind: 'functionCall' | 'functionResponse'): string[] {
  return readObjects(content.parts).flatMap(({ [kind]: part }) =>
    isRecord(part) ? [readString(part.name)] : [],
  );
}

function assistantBlock(part: WireObject): AssistantBlock {
  if (isRecord(part.functionCall)) {
    const { id, name, args } = part.functionCall;
    return {
      type: 'tool_use',
      id: readString(id),
      name: readString(name),
      input: isRecord(args) ? args : {},
    };
  }
  if (part.thought !== true) return { type: 'text', text: readString(part.text) };
  const signature = readString(part.thoughtSignature);
  return { type: 'thinking', thinking: readString(part.text), signature: signature || undefined };
}

function userBlock(part: WireObject): UserBlock {
  if (isRecord(part.inlineData)) {
    const { mimeType, data } = part.inlineData;
    return {
      type: 'image',
      source: { type: 'base64', media_type: readString(mimeType), data: readString(data) },
    };
  }
  if (!isRecord(part.functionResponse)) return { type: 'text', text: readString(part.text) };
  const { id, response } = part.functionResponse;
  const text = isRecord(response) ? readString(response.content) : '';
  return { type: 'tool_result', tool_use_id: readString(id), content: [{ type: 'text', text }] };
}

function readThinking(config: unknown): Thinking {
  if (!isRecord(config) || config.thinkingBudget === 0) return { type: 'off' };
  const tokens = Number(config.thinkingBudget);
  return tokens > 0 ? { type: 'budget', tokens } : { type: 'adaptive' };
}
