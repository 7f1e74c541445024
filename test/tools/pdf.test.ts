import { describe, expect, test } from 'bun:test';
import { deflateSync } from 'node:zlib';
import { manualClock, systemClock } from '../../src/lib/clock.ts';
import { type PdfOptions, pdfText, renderPdf } from '../../src/tools/pdf.ts';
import { readTool } from '../../src/tools/read.ts';
import { fileOf, minimalPdf, type PdfParts, pdfOf, streamOf } from './pdf-files.ts';
import { call, toolContextForTests } from './support.ts';

async function read(bytes: Uint8Array, options: Partial<PdfOptions> = {}): Promise<string> {
  const signal = new AbortController().signal;
  const result = await pdfText(bytes, { clock: systemClock, signal, ...options });
  return result.ok ? renderPdf(result.value) : `refused: ${result.problem.message}`;
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
    ['a font that is missing shows nothing', 'BT /F9 10 Tf (text) Tj ET', '(no text)'],
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

describe('fonts', () => {
  const show = (string: string) => `BT /F1 10 Tf ${string} Tj ET`;
  const type1 = (entries: string) => `<< /Type /Font /Subtype /Type1 /BaseFont /X ${entries} >>`;
  const cmap = (body: string) => ({ 100: streamOf(Buffer.from(body), true) });

  const cases: [
    name: string,
    string: string,
    font: string,
    objects: PdfParts['objects'],
    expected: string,
  ][] = [
    ['Windows encoding', '<e9 93 80>', type1('/Encoding /WinAnsiEncoding'), {}, 'é“€'],
    ['Mac encoding', '<8e>', type1('/Encoding /MacRomanEncoding'), {}, 'é'],
    ['standard encoding', '<27 ae d0>', type1(''), {}, '’fi—'],
    [
      'names of glyphs',
      '<01 02 03 04 05>',
      type1('/Encoding << /Differences [1 /eacute /f_f_i /uni20AC /a.sc /Zcaron] >>'),
      {},
      'éffi€aŽ',
    ],
    [
      'a map to characters',
      '<01 02 05 06>',
      type1('/ToUnicode 100 0 R'),
      cmap(
        '1 begincodespacerange <00> <ff> endcodespacerange 1 beginbfchar <01> <00480069> endbfchar 2 beginbfrange <02> <04> <0041> <05> <06> [<0078> <d83dde00>] endbfrange',
      ),
      'HiAx😀',
    ],
    [
      'two bytes a glyph',
      '<0003 0010>',
      '<< /Type /Font /Subtype /Type0 /Encoding /Identity-H /DescendantFonts [<< /DW 500 /W [3 [250 300] 16 20 400] >>] /ToUnicode 100 0 R >>',
      cmap('beginbfrange <0003> <0010> <0061> endbfrange'),
      'an',
    ],
    [
      'characters by their Unicode',
      '<65e5 672c>',
      '<< /Type /Font /Subtype /Type0 /Encoding /UniJIS-UCS2-H /DescendantFonts [<< >>] >>',
      {},
      '日本',
    ],
    [
      'a code that a Type 1 font explains itself',
      '<0f>',
      type1('/FontDescriptor << /FontFile 100 0 R >>'),
      cmap('%!PS-AdobeFont /Encoding 256 array dup 15 /bullet put readonly def eexec dup 15 /wrong put'),
      '•',
    ],
  ];
  for (const [name, string, font, objects, expected] of cases)
    test(name, async () => {
      expect(await textOf(show(string), { font, objects: objects ?? {} })).toBe(expected);
    });

  test('what a font does not explain is counted', async () => {
    const font = '<< /Type /Font /Subtype /Type0 /Encoding /Identity-H /DescendantFonts [<< >>] >>';
    expect(await textOf(show('<0001 0002>'), { font })).toBe(
      '\ufffd\ufffd\n\n[2 characters could not be read and are shown as \ufffd.]',
    );
  });
});

describe('files', () => {
  const content = streamOf(Buffer.from('BT /F1 10 Tf (packed together) Tj ET'), true);

  test('objects that are packed together', async () => {
    const inner = [
      '<< /Type /Catalog /Pages 2 0 R >>',
      '<< /Type /Pages /Kids [3 0 R] >>',
      '<< /Type /Page /Contents 5 0 R /Resources << /Font << /F1 4 0 R >> >> >>',
      '<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>',
    ];
    const places = inner
      .map((_, index) => `${index + 1} ${inner.slice(0, index).join(' ').length + (index > 0 ? 1 : 0)}`)
      .join(' ');
    const data = Buffer.from(`${places} ${inner.join(' ')}`);
    const packed = streamOf(data, true, `/Type /ObjStm /N 4 /First ${places.length + 1}`);
    const table = streamOf(Buffer.from('x'), true, '/Type /XRef /Root 1 0 R');
    expect(
      await read(
        fileOf(
          [
            [5, content],
            [6, packed],
            [7, table],
          ],
          'null',
        ),
      ),
    ).toContain('packed together');
  });

  test('of two objects with one number the later counts', async () => {
    const old = pdfOf(['BT /F1 10 Tf (old) Tj ET']);
    const update = Buffer.concat([
      Buffer.from('5 0 obj\n'),
      streamOf(Buffer.from('BT /F1 10 Tf (new) Tj ET'), true),
      Buffer.from('\nendobj\n'),
    ]);
    expect(await read(Buffer.concat([old, update]))).toContain('new');
  });

  test('a wrong length, a cut end and a missing table are borne', async () => {
    const whole = pdfOf(['BT /F1 10 Tf (still here) Tj ET']).toString('latin1');
    const wrong = Buffer.from(whole.replace(/\/Length \d+/, '/Length 9999').split('xref')[0] ?? '', 'latin1');
    expect(await read(wrong)).toContain('still here');
    expect(await read(wrong.subarray(0, wrong.length - 20))).toContain('still here');
  });

  test('data that looks like objects is not taken for one', async () => {
    const decoy = streamOf(Buffer.from('5 0 obj << >> endobj 1 0 obj null endobj'), false);
    expect(await read(pdfOf(['BT /F1 10 Tf (true) Tj ET'], { objects: { 100: decoy } }))).toContain('true');
  });

  for (const [name, bytes] of Object.entries({
    nothing: Buffer.from('%PDF-1.4\n'),
    noise: Buffer.from('%PDF-1.4 1 0 obj << /Pages 1 0 R /Kids [1 0 R] >> ((((((( [[[[[ <<<< 2 0 obj stream'),
    'pages that hold themselves': fileOf(
      [
        [1, '<< /Pages 2 0 R >>'],
        [2, '<< /Type /Pages /Kids [2 0 R 2 0 R] >>'],
      ],
      '<< /Root 1 0 R >>',
    ),
  }))
    test(`${name}: refused as broken`, async () => {
      expect(await read(bytes)).toBe('refused: it is broken: no pages were found in it.');
    });

  test('an encrypted one is refused', async () => {
    expect(await read(pdfOf(['x'], { trailer: '<< /Root 1 0 R /Encrypt 9 0 R >>' }))).toContain(
      'refused: it is encrypted',
    );
  });

  test('ten thousand random changes throw nothing', async () => {
    const base = pdfOf(['BT /F1 10 Tf [(ab) 10 <4142>] TJ ET', '/X Do q 1 0 0 1 0 0 cm Q'], {
      packed: false,
    });
    let seed = 1;
    const random = (below: number) => {
      seed = (seed * 1103515245 + 12345) & 0x7fffffff;
      return seed % below;
    };
    for (let round = 0; round < 500; round++) {
      const bytes = Buffer.from(base);
      for (let change = 0; change < 20; change++) bytes[random(bytes.length)] = random(256);
      expect(await read(bytes)).toBeString();
    }
  });
});

describe('bounds', () => {
  test('what unpacks to more than 16 MB is refused', async () => {
    const bomb = deflateSync(Buffer.alloc(64 * 1024 * 1024, 'BT ET '));
    const stream = Buffer.concat([
      Buffer.from(`<< /Filter /FlateDecode /Length ${bomb.length} >>\nstream\n`),
      bomb,
      Buffer.from('\nendstream'),
    ]);
    expect(await read(pdfOf(['x'], { objects: { 5: stream } }))).toBe(
      'refused: what is packed in it is too large.',
    );
  });

  test('time has an end, also within one page', async () => {
    const clock = manualClock();
    const hurried = {
      ...clock,
      monotonic: () => {
        clock.advance(100);
        return clock.now();
      },
    };
    const long = pdfOf(['BT /F1 10 Tf (x) Tj ET '.repeat(100_000)]);
    expect(await read(long, { clock: hurried })).toContain('takes too long');
  });

  test('an interrupt ends it', async () => {
    const long = pdfOf(['BT /F1 10 Tf (x) Tj ET '.repeat(10_000)]);
    expect(await read(long, { signal: AbortSignal.abort() })).toContain('refused: it was interrupted');
  });

  test('pages within pages within pages end', async () => {
    const resources = `/Resources << /XObject << /X 100 0 R >> >>`;
    const form = streamOf(Buffer.from('/X Do '.repeat(50)), true, `/Subtype /Form ${resources}`);
    const page = `<< /Type /Page /Contents 5 0 R ${resources} >>`;
    expect(await read(pdfOf(['/X Do'], { objects: { 100: form, 4: page } }))).toContain(
      'refused: one of its pages is drawn without end',
    );
  });
});

describe('Read', () => {
  const pages = Array.from({ length: 30 }, (_, index) => `BT /F1 10 Tf (text of page ${index + 1}) Tj ET`);

  test('shows the first twenty pages and where to go on', async () => {
    const context = toolContextForTests();
    const { text, data } = await call(readTool, { file_path: context.write('a.pdf', pdfOf(pages)) }, context);
    expect(text).toContain('--- page 20 ---\ntext of page 20');
    expect(text).toEndWith('[Pages 1-20 of 30. Go on with pages "21-30".]');
    expect(data).toMatchObject({ type: 'pdf', numPages: 20, totalPages: 30 });
  });

  const ranges: [string, string][] = [
    ['7', '--- page 7 ---\ntext of page 7\n\n[Pages 7-7 of 30. Go on with pages "8-27".]'],
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
      'it has 1 pages, so there is no page 5',
    );
    expect((await call(readTool, { file_path, pages: '3-2' }, context)).text).toContain(
      'is no range of pages',
    );
    const other = context.write('a.txt', 'x');
    expect((await call(readTool, { file_path: other, pages: '1' }, context)).text).toContain(
      'not a PDF document',
    );
  });

  test('a long page ends the answer, which says where to go on', async () => {
    const long = `BT /F1 10 Tf 12 TL ${'(many words in a line) Tj T* '.repeat(3000)} ET`;
    const context = toolContextForTests();
    const { text } = await call(
      readTool,
      { file_path: context.write('a.pdf', pdfOf([long, 'x', 'y'])) },
      context,
    );
    expect(text).toEndWith('[Pages 1-1 of 3. Go on with pages "2-3".]');
  });
});
