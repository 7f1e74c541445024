import type { Problem } from '../lib/result.ts';

/** Variables by which hosts ask for what this version does not do. Inherited ones matter to hosts alone. */
const unsupported = ['CLAUDE_CODE_QUESTION_PREVIEW_FORMAT'];

export function refuseHostEnvironment(
  environment: Readonly<Record<string, string | undefined>>,
): Problem | undefined {
  const found = unsupported.find((name) => environment[name]);
  if (found === undefined) return undefined;
  return {
    kind: 'usage',
    message: `The host asks for ${found}=${environment[found]}, which this version does not support.`,
    hint: 'Leave out toolConfig.askUserQuestion.previewFormat, or unset the variable.',
  };
}
