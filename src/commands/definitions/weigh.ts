import { describeTools } from '../../loop/describe-tools.ts';
import { anthropicBody } from '../../models/anthropic/request.ts';
import { findFacts } from '../../models/facts.ts';
import type { Tool } from '../../protocol/index.ts';

/** Bytes of an agent's first request on the wire, without the text of its task. */
export interface Weight {
  system: number;
  tools: number;
  /** Heaviest first. */
  byTool: { name: string; bytes: number }[];
  total: number;
}

/** Rendered as for the Messages API, whichever provider it will be: others differ by a few per cent. */
export function weighRequest(system: readonly string[], tools: readonly Tool[]): Weight {
  const specs = describeTools(tools);
  const countBytes = (parts: { system?: readonly string[]; tools?: typeof specs }) =>
    Buffer.byteLength(
      anthropicBody(
        'model',
        {
          system: [],
          tools: [],
          messages: [],
          maxOutputTokens: 32_000,
          thinking: { type: 'off' },
          ...parts,
        },
        findFacts('anthropic', 'model'),
      ),
    );
  const empty = countBytes({});
  const byTool = specs
    .map((spec) => ({ name: spec.name, bytes: Buffer.byteLength(JSON.stringify(spec)) }))
    .sort((a, b) => b.bytes - a.bytes);
  return {
    system: countBytes({ system }) - empty,
    tools: countBytes({ tools: specs }) - empty,
    byTool,
    total: countBytes({ system, tools: specs }),
  };
}
