import { form } from '../../lib/form/form.ts';
import { parseHost } from '../../lib/hosts.ts';
import { visibleLine } from '../../lib/text/text.ts';
import { defineTool, type Tool } from '../../protocol/tool.ts';
import { withoutProgress } from '../without-progress.ts';
import description from './web-fetch.md' with { type: 'text' };
import type { WebFetchParts } from './web-fetch-run.ts';

const schema = form.strictObject({
  url: form
    .string()
    .max(8192)
    .refine(
      (url) => parseHost(url) !== undefined,
      'Give a whole http:// or https:// address, without a user name or password in it.',
    ),
  // Other harnesses pass the page to a second model with it. Here the asking model reads the page.
  prompt: form.string().optional().describe('What you look for; all text is returned anyway'),
});

/** `environment` sets the proxy and extra certificates. */
export function webFetchTool(parts: WebFetchParts): Tool {
  return defineTool({
    name: 'WebFetch',
    description: description.trim(),
    schema,
    access: (input) => [{ kind: 'network', url: stripHash(input.url) }],
    concurrent: () => true,
    summary: (input) => visibleLine(input.url, 300),
    run: (input, context) =>
      withoutProgress(async () => {
        const { fetchPage } = await import('./web-fetch-run.ts');
        return await fetchPage(stripHash(input.url), parts, context);
      }),
  });
}

/** The address as sent, without the part after `#`. Judged in the form in which it is used. */
function stripHash(url: string): string {
  const address = new URL(url);
  address.hash = '';
  return address.href;
}
