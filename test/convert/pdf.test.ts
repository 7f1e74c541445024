import { describe, expect, test } from 'bun:test';
import { readPdfPages } from '../../src/convert/pdf.ts';
import { readTool } from '../../src/tools/files/read.ts';
import { call, toolContextForTests } from '../tools/support.ts';
import { minimalPdf, type PdfParts, pdfOf, streamOf } from './pdf-files.ts';

/** In this process: its limits are tested with the process around it. */
async function read(bytes: Uint8Array): Promise<string> {
  const { pages } = await readPdfPages(bytes, { kind: 'pdf', first: 1, last: 20, maxCharacters: 50_000 });
  return pages.map(({ number, text }) => `--- page ${number} ---\n${text || '(no text)'}`).join('\n\n');
}

const textOf = async (content: string, parts?: PdfParts) =>
  (await read(pdfOf([content], parts))).replace('--- page 1 ---\n', '');

describe('text of a page', () => {
  const cases: [name: string, content: string, expected: string][] = [
    ['one line', 'BT /F1 12 Tf 72 700 Td (Hello world) Tj ET', 'Hello world'],
    ['escapes in strings', 'BT /F1 12 Tf (a\\(b\\)\\\\ \\101\\\nB (c)) Tj ET', 'a(b)\\ AB (c)'],
    ['hexadecimal strings', 'BT /F1 12 Tf <48 65 6C6c 6f> Tj ET', 'Hello'],
    [
      'lines by their places',
      "BT /F1 12 Tf 14 TL 72 700 Td (one) Tj T* (two) Tj (three) ' ET",
      'one\ntwo\nthree',
    ],
    [
      'a wide gap between lines is a paragraph',
      'BT /F1 12 Tf 72 700 Td (one) Tj 0 -40 Td (two) Tj ET',
      'one\n\ntwo',
    ],
    [
      'gaps within a line are blanks, kerning is none',
      'BT /F1 10 Tf [(A) 80 (V) -600 (next)] TJ ET',
      'AV next',
    ],
    [
      'pieces beside each other',
      'BT /F1 10 Tf 1 0 0 1 72 700 Tm (left) Tj 1 0 0 1 172 700 Tm (right) Tj ET',
      'left right',
    ],
    [
      'the place of the page counts',
      'q 2 0 0 2 0 0 cm BT /F1 10 Tf 10 100 Td (a) Tj ET Q BT /F1 10 Tf 10 100 Td (b) Tj ET',
      'a\n\nb',
    ],
    [
      'images in between are passed over',
      'BI /W 1 /H 1 ID (not \xff text) Tj \nEI BT /F1 10 Tf (text) Tj ET',
      'text',
    ],
    ['what nobody knows is passed over', 'foo 1 2 bar >> ] BT /F1 10 Tf (text) Tj ET } ) EMC', 'text'],
  ];
  for (const [name, content, expected] of cases)
    test(name, async () => {
      expect((await textOf(content)).split('\n\n[')[0]).toBe(expected);
    });

  test('what is not packed', async () => {
    expect(await textOf('BT /F1 12 Tf (plain) Tj ET', { packed: false })).toBe('plain');
  });

  test('forms, with fonts of their own', async () => {
    const form = streamOf(
      Buffer.from('BT /F2 10 Tf (inside) Tj ET'),
      true,
      '/Type /XObject /Subtype /Form /Resources << /Font << /F2 3 0 R >> >>',
    );
    const page = '<< /Type /Page /Parent 2 0 R /Contents 5 0 R /Resources << /XObject << /X 100 0 R >> >> >>';
    expect(await textOf('/X Do', { objects: { 100: form, 4: page } })).toBe('inside');
  });

  test('a form that holds itself ends', async () => {
    const resources = '/Resources << /XObject << /X 100 0 R >> /Font << /F1 3 0 R >> >>';
    const form = streamOf(
      Buffer.from('BT /F1 10 Tf (again) Tj ET /X Do'),
      true,
      `/Subtype /Form ${resources}`,
    );
    const page = `<< /Type /Page /Parent 2 0 R /Contents 5 0 R ${resources} >>`;
    expect(await textOf('/X Do', { objects: { 100: form, 4: page } })).toStartWith('again');
  });
});

describe('documents that cannot be read', () => {
  const readIt = async (bytes: Uint8Array) => {
    const context = toolContextForTests();
    return (await call(readTool, { file_path: context.write('a.pdf', bytes) }, context)).text;
  };

  test('one that is damaged', async () => {
    expect(await readIt(Buffer.from('%PDF-1.4\nnothing'))).toContain('a.pdf cannot be read: it is damaged (');
  });

  test('one that is encrypted: the message says how to decrypt it', async () => {
    const key = `<${'00'.repeat(32)}>`;
    const encrypt = `<< /Filter /Standard /V 1 /R 2 /O ${key} /U ${key} /P -4 >>`;
    const trailer = `<< /Root 1 0 R /ID [<00> <00>] /Encrypt ${encrypt} >>`;
    expect(await readIt(pdfOf(['x'], { trailer }))).toContain(
      'it is encrypted. Make a readable copy with `qpdf',
    );
  });

  test('one whose end is cut off still shows its text', async () => {
    const whole = pdfOf(['BT /F1 10 Tf (still here) Tj ET']);
    expect(await read(whole.subarray(0, whole.length - 20))).toContain('still here');
  });
});

describe('Read', () => {
  const pages = Array.from({ length: 30 }, (_, index) => `BT /F1 10 Tf (text of page ${index + 1}) Tj ET`);

  test('shows the first twenty pages and where to go on', async () => {
    const context = toolContextForTests();
    const { text, data } = await call(readTool, { file_path: context.write('a.pdf', pdfOf(pages)) }, context);
    expect(text).toContain('--- page 20 ---\ntext of page 20');
    expect(text).toEndWith('[Pages 1-20 of 30. Continue with pages "21-30".]');
    expect(data).toMatchObject({ type: 'pdf', numPages: 20, totalPages: 30 });
  });

  const ranges: [string, string][] = [
    ['7', '--- page 7 ---\ntext of page 7\n\n[Pages 7-7 of 30. Continue with pages "8-27".]'],
    ['29-40', '--- page 29 ---\ntext of page 29\n\n--- page 30 ---\ntext of page 30\n\n[Pages 29-30 of 30.]'],
  ];
  for (const [range, expected] of ranges)
    test(`shows pages ${range}`, async () => {
      const context = toolContextForTests();
      const file_path = context.write('a.pdf', pdfOf(pages));
      expect((await call(readTool, { file_path, pages: range }, context)).text).toBe(expected);
    });

  test('refuses pages that are not there, and pages of what has none', async () => {
    const context = toolContextForTests();
    const file_path = context.write('a.pdf', minimalPdf('x'));
    expect((await call(readTool, { file_path, pages: '5' }, context)).text).toContain(
      'it has 1 page, so there is no page 5',
    );
    expect((await call(readTool, { file_path, pages: '3-2' }, context)).text).toContain(
      'is not a range of pages',
    );
    const other = context.write('a.txt', 'x');
    expect((await call(readTool, { file_path: other, pages: '1' }, context)).text).toContain(
      'not a PDF document',
    );
  });

  test('a long page ends the answer, which says where to go on', async () => {
    const long = `BT /F1 0.1 Tf 0.2 TL 0 790 Td ${'(many words in a line) Tj T* '.repeat(3000)} ET`;
    const context = toolContextForTests();
    const { text } = await call(
      readTool,
      { file_path: context.write('a.pdf', pdfOf([long, 'x', 'y'])) },
      context,
    );
    expect(text).toEndWith('[Pages 1-1 of 3. Continue with pages "2-3".]');
  });
});
