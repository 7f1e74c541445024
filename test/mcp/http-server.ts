/** An MCP server over HTTP that floods, in the way that its path names: `/connect/<kind>` at once, `/call/<kind>` when called. Prints its port. */
import { createServer, type ServerResponse } from 'node:http';

const note = (method: string, params: object = {}) =>
  `data: ${JSON.stringify({ jsonrpc: '2.0', method, params })}\n\n`;

function piece(kind: string, id: unknown): string {
  switch (kind) {
    case 'lines':
      return `data: ${'x'.repeat(65_000)}\n`;
    case 'comments':
      return `: ${'x'.repeat(65_000)}\n`;
    case 'line':
      return 'x'.repeat(65_000);
    case 'changes':
      return note('notifications/tools/list_changed').repeat(500);
    default:
      return note('notifications/progress', { progressToken: id, progress: 1 }).repeat(500);
  }
}

const server = createServer((request, response) => {
  let body = '';
  request.on('data', (chunk) => {
    body += chunk;
  });
  request.on('end', () => {
    const [, when = '', kind = ''] = (request.url ?? '').split('/');
    const { id, method, params } = body === '' ? ({} as Record<string, never>) : JSON.parse(body);
    const reply = (result: object) => {
      response.setHeader('content-type', 'application/json');
      response.end(JSON.stringify({ jsonrpc: '2.0', id, result }));
    };
    if (when === 'connect') flood(response, kind, 0);
    else if (request.method === 'GET') response.writeHead(405).end();
    else if (method === 'initialize')
      reply({
        protocolVersion: params.protocolVersion,
        capabilities: { tools: {} },
        serverInfo: { name: 'http', version: '1' },
      });
    else if (method === 'tools/list') reply({ tools: [{ name: 'go', inputSchema: { type: 'object' } }] });
    else if (method === 'tools/call' && kind === 'large') large(response, id);
    else if (method === 'tools/call') flood(response, kind, params._meta?.progressToken ?? 0);
    else if (id === undefined) response.writeHead(202).end();
    else reply({});
  });
});
server.listen(0, '127.0.0.1', () => console.log((server.address() as { port: number }).port));

function flood(response: ServerResponse, kind: string, id: unknown): void {
  response.setHeader('content-type', 'text/event-stream');
  response.on('error', () => {});
  const text = piece(kind, id);
  if (kind === 'line') response.write('data: ');
  const go = () => {
    for (let count = 0; count < 50; count++)
      if (!response.write(text)) return void response.once('drain', go);
    setImmediate(go);
  };
  go();
}

/** One answer of 100 MB. */
function large(response: ServerResponse, id: unknown): void {
  response.setHeader('content-type', 'text/event-stream');
  response.write(`data: {"jsonrpc":"2.0","id":${id},"result":{"content":[{"type":"text","text":"`);
  const text = 'x'.repeat(1024 * 1024);
  let left = 100;
  const go = () => {
    while (left-- > 0) if (!response.write(text)) return void response.once('drain', go);
    response.end('"}]}}\n\n');
  };
  go();
}
