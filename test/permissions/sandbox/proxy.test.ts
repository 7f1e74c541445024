import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { createConnection, createServer, type Server } from 'node:net';
import { type DomainLists, startProxy } from '../../../src/sandbox/bwrap/proxy.ts';
import { type DeclaredBody, measureBody } from '../../../src/sandbox/bwrap/proxy-body.ts';
import { readRequest } from '../../../src/sandbox/bwrap/proxy-request.ts';

let server: Server;
let port = 0;
let seen = '';

beforeAll(async () => {
  server = createServer((client) => {
    client.on('data', (piece) => {
      seen += piece;
      client.end('HTTP/1.1 200 OK\r\nConnection: close\r\n\r\nserved');
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  port = (server.address() as { port: number }).port;
});

afterAll(() => void server.close());

async function ask(lists: Partial<DomainLists>, ...lines: string[]): Promise<string> {
  const proxy = await startProxy({ allowed: [], denied: [], ...lists });
  if (!proxy.ok) throw new Error(proxy.problem.message);
  const answer = await new Promise<string>((resolve) => {
    let text = '';
    const client = createConnection(proxy.value.path, () => client.write(lines.join('\r\n')));
    client.on('data', (piece) => {
      text += piece;
      // In a tunnel the request itself comes after the proxy's word.
      if (lines[0]?.startsWith('CONNECT') && text.endsWith('established\r\n\r\n'))
        client.write('GET / HTTP/1.1\r\n\r\n');
    });
    client.on('close', () => resolve(text));
  });
  proxy.value.close();
  return answer;
}

const get = (url: string) => [`GET ${url} HTTP/1.1`, 'Host: x', 'Proxy-Authorization: secret', '', ''];

describe('what is listed', () => {
  test('is reached, without what was meant for the proxy', async () => {
    seen = '';
    expect(await ask({ allowed: [`localhost:${port}`] }, ...get(`http://localhost:${port}/a?b`))).toEndWith(
      'served',
    );
    expect(seen).toStartWith('GET /a?b HTTP/1.1\r\n');
    expect(seen).not.toContain('secret');
  });

  test('is reached through a tunnel', async () => {
    const answer = await ask({ allowed: ['127.0.0.1'] }, `CONNECT 127.0.0.1:${port} HTTP/1.1`, '', '');
    expect(answer).toStartWith('HTTP/1.1 200');
    expect(answer).toEndWith('served');
  });
});

describe('what is refused', () => {
  const cases: [string, Partial<DomainLists>, string[], string][] = [
    ['a host that is not listed', { allowed: ['example.com'] }, get('http://example.org/'), '403'],
    ['another port', { allowed: ['localhost:1'] }, get('http://localhost/'), '403'],
    ['a host that is denied', { allowed: ['*'], denied: ['example.com'] }, get('http://example.com/'), '403'],
    ['one below it', { allowed: ['*'], denied: ['*.example.com'] }, get('http://a.example.com/'), '403'],
    ['this machine, by a wildcard', { allowed: ['*'] }, get('http://127.0.0.1/'), '403'],
    ['this machine, by a name for it', { allowed: ['*'] }, get('http://localhost/'), '403'],
    ["a cloud's own address", { allowed: ['*'] }, ['CONNECT 169.254.169.254:80 HTTP/1.1', '', ''], '403'],
    [
      'a name that ends like a listed one',
      { allowed: ['example.com'] },
      get('http://evilexample.com/'),
      '403',
    ],
    ['a password in the address', { allowed: ['*'] }, get('http://a:b@example.com/'), '400'],
    ['a path where a host should be', { allowed: ['*'] }, get('/etc/passwd'), '400'],
    ['another protocol', { allowed: ['*'] }, get('ftp://example.com/'), '400'],
    ['a tunnel without a port', { allowed: ['*'] }, ['CONNECT example.com HTTP/1.1', '', ''], '400'],
    ['what is no request at all', { allowed: ['*'] }, ['hello', '', ''], '400'],
  ];
  for (const [name, lists, lines, status] of cases)
    test(name, async () => expect(await ask(lists, ...lines)).toStartWith(`HTTP/1.1 ${status}`));
});

test('a list that cannot be read is a problem at once', async () => {
  expect(await startProxy({ allowed: ['http://example.com/'], denied: [] })).toMatchObject({
    ok: false,
    problem: { message: 'sandbox.network: "http://example.com/" is not a host.' },
  });
});

test('a forwarded request is for one answer only', () => {
  const head =
    'POST http://example.com/x HTTP/1.1\r\nHost: example.com\r\nConnection: keep-alive\r\nContent-Length: 3';
  expect(readRequest(head)).toEqual({
    host: { name: 'example.com', port: '80' },
    forward: {
      head: 'POST /x HTTP/1.1\r\nHost: example.com\r\nContent-Length: 3\r\nConnection: close\r\n\r\n',
      body: { kind: 'length', bytes: 3 },
    },
  });
});

test('a forwarded request names the host that was judged, whatever its own lines say', () => {
  const forward = (target: string, ...headers: string[]) =>
    readRequest([`GET ${target} HTTP/1.1`, ...headers].join('\r\n'))?.forward?.head;
  const plain = (host: string) => `GET /x HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`;
  expect(forward('http://example.com/x', 'Host: other.example')).toBe(plain('example.com'));
  expect(forward('http://example.com:8080/x', 'hOST: a', 'Host: b')).toBe(plain('example.com:8080'));
  expect(forward('http://EXAMPLE.com/x')).toBe(plain('example.com'));
});

test('lines that a server could read as others are refused', () => {
  const lines = [
    'X: a\nHost: other.example',
    'X: a\rHost: other.example',
    ' Host: other.example',
    '\tx',
    'Host : a',
    'x',
  ];
  for (const line of lines)
    expect(readRequest(`GET http://example.com/x HTTP/1.1\r\nA: b\r\n${line}`)).toBeUndefined();
});

test('a request whose body two servers could end at different places is refused', () => {
  const read = (lines: string[], version = 'HTTP/1.1') =>
    readRequest([`POST http://example.com/x ${version}`, ...lines].join('\r\n'));
  const refused = [
    ['Content-Length: 4', 'Transfer-Encoding: chunked'],
    ['Content-Length: 4', 'Content-Length: 5'],
    ['Content-Length: 4', 'Content-Length: 4'],
    ['Content-Length: +4'],
    ['Content-Length: 4, 4'],
    ['Content-Length:'],
    ['Transfer-Encoding: chunked', 'Transfer-Encoding: identity'],
    ['Transfer-Encoding: gzip, chunked'],
    ['Transfer-Encoding: xchunked'],
    ['Transfer-Encoding : chunked', 'Content-Length: 60'],
  ];
  for (const lines of refused) expect({ lines, request: read(lines) }).toEqual({ lines, request: undefined });
  expect(read(['Transfer-Encoding: chunked'], 'HTTP/1.0')).toBeUndefined();
  expect(read(['transfer-encoding:  Chunked '])?.forward?.body).toEqual({ kind: 'chunked' });
});

describe('the end of a body', () => {
  /** What of a text is the body, given in pieces of one byte and as a whole. */
  const find = (body: DeclaredBody, text: string) => {
    const byPiece = [1, text.length].map((size) => {
      const meter = measureBody(body);
      let found = '';
      for (let at = 0; at < text.length; at += size) {
        const piece = text.slice(at, at + size);
        const part = meter.take(Buffer.from(piece));
        if (!part) return 'refused';
        found += piece.slice(0, part.bytes);
        if (part.isEnd) return found;
      }
      return `${found}…`;
    });
    expect(byPiece[0]).toBe(byPiece[1] ?? '');
    return byPiece[0];
  };
  const chunked = { kind: 'chunked' } as const;

  test('is found by its length', () => {
    expect(find({ kind: 'length', bytes: 3 }, 'abcGET /')).toBe('abc');
    expect(find({ kind: 'length', bytes: 9 }, 'abc')).toBe('abc…');
  });

  test('is found behind chunks and their trailer', () => {
    const bodies = ['0\r\n\r\n', '3\r\nabc\r\n0\r\n\r\n', 'A;x=y\r\n0123456789\r\n00\r\nT: v\r\n\r\n'];
    for (const body of bodies) expect(find(chunked, `${body}GET /2 HTTP/1.1\r\n\r\n`)).toBe(body);
    expect(find(chunked, '5\r\nabc')).toBe('5\r\nabc…');
  });

  test('is not looked for in chunks that servers read differently', () => {
    const bodies = [
      '0\n\n',
      '0x3\r\nabc\r\n',
      '3\r\nabcd\r\n',
      ' 3\r\nabc\r\n',
      '-1\r\n',
      '3\n\r\nabc',
      '\r\n',
    ];
    for (const body of bodies) expect(find(chunked, body)).toBe('refused');
  });
});

test('nothing behind the first request reaches a server that keeps the connection', async () => {
  let received = '';
  const keeping = createServer({ allowHalfOpen: true }, (client) => {
    client.on('data', (piece) => {
      received += piece;
      if (received.includes('body!')) client.write('HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\nserved');
    });
    client.on('end', () => client.end());
  });
  await new Promise<void>((resolve) => keeping.listen(0, '127.0.0.1', resolve));
  const { port: at } = keeping.address() as { port: number };
  const second = 'GET /2 HTTP/1.1\r\nHost: evil.example\r\n\r\n';
  const first = [
    `POST http://localhost:${at}/1 HTTP/1.1`,
    'Host: x',
    'Content-Length: 5',
    '',
    `body!${second}`,
  ];
  const answer = await ask({ allowed: [`localhost:${at}`] }, ...first);
  expect(answer).toEndWith('served');
  expect(received).toEndWith('body!');
  expect(received).not.toContain('evil.example');
  keeping.close();
});
