import { createRequire } from 'node:module';
import { failure, formatError, ok, type Result } from './result.ts';

/** TypeScript without its types: by Bun, or by Node from 22.13 on. Nothing is checked or run. */
export function stripTypes(source: string): Result<string> {
  try {
    return ok(typeof Bun === 'undefined' ? stripOnNode(source) : stripOnBun(source));
  } catch (error) {
    return failure(formatError(error));
  }
}

function stripOnBun(source: string): string {
  return new Bun.Transpiler({ loader: 'ts', deadCodeElimination: false }).transformSync(source);
}

function stripOnNode(source: string): string {
  const { stripTypeScriptTypes } = createRequire(import.meta.url)('node:module') as {
    stripTypeScriptTypes?: (source: string) => string;
  };
  if (!stripTypeScriptTypes)
    throw new Error(
      'This version of Node cannot read TypeScript. Use Node 22.13 or later, or write the file in JavaScript.',
    );
  return stripTypeScriptTypes(source);
}
