import { expect, test } from 'bun:test';
import { anthropicBody } from '../../src/models/anthropic/request.ts';
import { countDocumentTokens } from '../../src/models/budget/count-input.ts';
import { textParts } from '../../src/models/sdk/parts.ts';
import type { DocumentBlock, PromptBlock } from '../../src/protocol/index.ts';

const data = Buffer.from('%PDF-1.4 /Type /Page /Type /Pages /Type/Page').toString('base64');
const pdf: DocumentBlock = {
  type: 'document',
  source: { type: 'base64', media_type: 'application/pdf', data },
  title: 'Report',
};
const blocks: PromptBlock[] = [
  pdf,
  { type: 'document', source: { type: 'url', url: 'https://example.com/a.pdf' } },
  { type: 'image', source: { type: 'url', url: 'https://example.com/a.png' } },
];

test('documents and images by address go to the Messages API as they are', () => {
  const request = {
    system: [],
    tools: [],
    messages: [{ role: 'user' as const, content: blocks }],
    maxOutputTokens: 10,
    thinking: { type: 'off' as const },
  };
  const facts = { window: 1000, thinking: [], known: false } as never;
  const { messages } = JSON.parse(anthropicBody('m', request as never, facts));
  expect(messages[0].content).toMatchObject(blocks as never);
});

test('documents and images by address are file parts on the other wires', () => {
  expect(textParts(blocks)).toEqual([
    { type: 'file', mediaType: 'application/pdf', data: { type: 'data', data } },
    {
      type: 'file',
      mediaType: 'application/pdf',
      data: { type: 'url', url: new URL('https://example.com/a.pdf') },
    },
    { type: 'file', mediaType: 'image/*', data: { type: 'url', url: new URL('https://example.com/a.png') } },
  ]);
});

test('a PDF counts by its pages, or by its size where they cannot be read', () => {
  const page = countDocumentTokens({ ...pdf, source: { type: 'base64', media_type: '', data: 'AAAA' } });
  expect(countDocumentTokens(pdf)).toBe(2 * page);
  const large = Buffer.alloc(120_000).toString('base64');
  const packed = countDocumentTokens({ ...pdf, source: { type: 'base64', media_type: '', data: large } });
  expect(packed).toBe(3 * page);
});
