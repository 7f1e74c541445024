import { type SdkRow, sdkRows } from '../sdk/rows.data.ts';
import { renderTable } from './markdown.ts';

const heads: Record<keyof typeof sdkRows, string> = {
  functions: 'function of the package',
  options: 'option',
  methods: 'method of the query',
  prompt: 'field of a prompt',
  initialize: 'field of `initialize`',
  agent: 'field of an agent',
  requests: '`control_request`',
  blocks: 'block of a prompt, and its source',
};

/** What holds of the official agent SDK, for docs/headless.md. */
export function renderSdk(): string {
  return Object.entries(sdkRows)
    .map(([area, rows]) => {
      const lines = Object.entries<SdkRow>(rows).map(([name, [state, about]]) => [
        `\`${name}\``,
        state,
        about,
      ]);
      return renderTable([heads[area as keyof typeof sdkRows], '', ''], lines);
    })
    .join('\n\n');
}
