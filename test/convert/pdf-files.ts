import { deflateSync } from 'node:zlib';

/** A document with one page that shows one line. */
export function minimalPdf(line: string): Buffer {
  return pdfOf([`BT /F1 12 Tf 72 700 Td (${line}) Tj ET`]);
}

export interface PdfParts {
  /** Packed, as nearly all are. */
  packed?: boolean;
  /** The font `F1`; Helvetica unless given. More objects may follow it, from number 100 on. */
  font?: string;
  objects?: Record<number, string | Buffer>;
  trailer?: string;
}

/** A document with a page for each content. Numbers: 1 catalogue, 2 pages, 3 font, then page and content in turn. */
export function pdfOf(contents: readonly string[], parts: PdfParts = {}): Buffer {
  const { packed = true, font = '<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>' } = parts;
  const kids = contents.map((_, index) => `${4 + index * 2} 0 R`).join(' ');
  const objects: [number, string | Buffer][] = [
    [1, '<< /Type /Catalog /Pages 2 0 R >>'],
    [
      2,
      `<< /Type /Pages /Kids [${kids}] /Count ${contents.length} /Resources << /Font << /F1 3 0 R >> >> >>`,
    ],
    [3, font],
    ...contents.flatMap((content, index): [number, string | Buffer][] => [
      [
        4 + index * 2,
        `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents ${5 + index * 2} 0 R >>`,
      ],
      [5 + index * 2, streamOf(Buffer.from(content, 'latin1'), packed)],
    ]),
    ...Object.entries(parts.objects ?? {}).map(([number, body]): [number, string | Buffer] => [
      Number(number),
      body,
    ]),
  ];
  return fileOf(objects, parts.trailer ?? '<< /Root 1 0 R >>');
}

/** The objects with their table; readers differ in whether they look at it. */
export function fileOf(objects: readonly [number, string | Buffer][], trailer: string): Buffer {
  const parts: Buffer[] = [Buffer.from('%PDF-1.7\n%\xe2\xe3\xcf\xd3\n', 'latin1')];
  for (const [number, body] of objects)
    parts.push(Buffer.from(`${number} 0 obj\n`), Buffer.from(body as Buffer), Buffer.from('\nendobj\n'));
  const start = parts.reduce((size, part) => size + part.length, 0);
  parts.push(
    Buffer.from(`xref\n0 1\n0000000000 65535 f \ntrailer\n${trailer}\nstartxref\n${start}\n%%EOF\n`),
  );
  return Buffer.concat(parts);
}

export function streamOf(data: Buffer, packed: boolean, entries = ''): Buffer {
  const bytes = packed ? deflateSync(data) : data;
  const filter = packed ? '/Filter /FlateDecode ' : '';
  return Buffer.concat([
    Buffer.from(`<< ${filter}${entries} /Length ${bytes.length} >>\nstream\n`),
    bytes,
    Buffer.from('\nendstream'),
  ]);
}
