import { expect, test } from 'bun:test';
import { readFileSync } from 'node:fs';
import { deflateSync } from 'node:zlib';
import { convertDocument } from '../../src/convert/convert.ts';
import { manualClock, systemClock } from '../../src/lib/clock.ts';
import { findOwned } from '../../src/lib/processes/process.ts';
import { pdfOf, streamOf } from './pdf-files.ts';

const html = { kind: 'html', base: 'https://a.example/' } as const;
const pdf = { kind: 'pdf', first: 1, last: 20, maxCharacters: 50_000 } as const;

for (const piece of ['<', '<a ', '<a href="', '<script>', '&', '</'])
  test(`a page of nothing but ${piece} is converted`, async () => {
    const page = Buffer.from(piece.repeat(200_000 / piece.length));
    expect(await convertDocument(html, page, limits())).toMatchObject({ ok: true });
  });

test('a page that takes too long is given up', async () => {
  const clock = manualClock();
  const read = convertDocument(html, Buffer.from('<div>'.repeat(200_000)), { ...limits(), clock });
  clock.advance(10_001);
  expect(await read).toMatchObject({ ok: false, problem: { message: 'it takes longer than 10 seconds.' } });
});

test('an interrupt ends the conversion', async () => {
  const stop = new AbortController();
  const read = convertDocument(html, Buffer.from('<div>'.repeat(200_000)), {
    ...limits(),
    signal: stop.signal,
  });
  stop.abort();
  expect(await read).toMatchObject({ ok: false, problem: { message: 'it was interrupted.' } });
});

test('a document that unpacks to gigabytes is refused, and takes no memory here', async () => {
  const packed = deflateSync(Buffer.alloc(256 * 1024 * 1024, 'BT /F1 9 Tf (x) Tj ET '));
  const twice = deflateSync(packed);
  const stream = Buffer.concat([
    Buffer.from(`<< /Filter [/FlateDecode /FlateDecode] /Length ${twice.length} >>\nstream\n`),
    twice,
    Buffer.from('\nendstream'),
  ]);
  const read = await convertDocument(pdf, pdfOf(['x'], { objects: { 5: stream } }), limits());
  expect(read.ok).toBe(false);
});

test('forms within forms without end are refused or cut short', async () => {
  const resources = '/Resources << /XObject << /X 100 0 R >> >>';
  const form = streamOf(Buffer.from('/X Do '.repeat(50)), true, `/Subtype /Form ${resources}`);
  const page = `<< /Type /Page /Contents 5 0 R ${resources} >>`;
  const read = await convertDocument(pdf, pdfOf(['/X Do'], { objects: { 100: form, 4: page } }), limits());
  expect(read.ok ? read.value.total : read.problem.message).toBeTruthy();
});

test('the converting process gets no environment', async () => {
  process.env.CADRE_TEST_SECRET = 'x';
  const read = await convertDocument(html, Buffer.from('<p>a'), limits());
  delete process.env.CADRE_TEST_SECRET;
  expect(read).toMatchObject({ ok: true, value: { text: 'a' } });
});

test('a conversion that is stuck ends by itself, also when nobody is left to end it', async () => {
  const read = convertDocument(html, Buffer.from('<div>'.repeat(200_000)), limits());
  const limit = async () => {
    for (;;) {
      for (const { pid } of findOwned({ owner: 'cadre/convert' })) {
        const name = readFileSync(`/proc/${pid}/cmdline`, 'latin1').split('\0')[0] ?? '';
        if (!name.endsWith('/sh'))
          return /^Max cpu time +(\d+)/m.exec(readFileSync(`/proc/${pid}/limits`, 'latin1'))?.[1];
      }
      await new Promise((resolve) => setImmediate(resolve));
    }
  };
  expect(await limit()).toBe('20');
  await read;
});

function limits() {
  return { clock: systemClock, signal: new AbortController().signal };
}
