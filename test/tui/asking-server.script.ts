/** An MCP server with one tool, which asks the user for a name and a colour, and says what it was told. */
let buffer = '';
let waiting: number | undefined;
process.stdin.on('data', (chunk) => {
  buffer += chunk;
  for (let at = buffer.indexOf('\n'); at !== -1; at = buffer.indexOf('\n')) {
    const line = buffer.slice(0, at);
    buffer = buffer.slice(at + 1);
    take(JSON.parse(line));
  }
});
process.stdin.on('end', () => process.exit(0));

interface Message {
  id?: number | string;
  method?: string;
  params?: { protocolVersion?: string };
  result?: object;
}

function take({ id, method, params, result }: Message): void {
  if (method === 'initialize')
    send({
      id,
      result: {
        protocolVersion: params?.protocolVersion,
        capabilities: { tools: {} },
        serverInfo: { name: 'asking', version: '1' },
      },
    });
  else if (method === 'tools/list')
    send({ id, result: { tools: [{ name: 'greet', inputSchema: { type: 'object' } }] } });
  else if (method === 'tools/call') {
    waiting = Number(id);
    send({ id: 'ask-1', method: 'elicitation/create', params: question });
  } else if (id === 'ask-1')
    send({ id: waiting, result: { content: [{ type: 'text', text: JSON.stringify(result) }] } });
  else if (method === 'ping') send({ id, result: {} });
}

const question = {
  message: 'Who is to be greeted?',
  requestedSchema: {
    type: 'object',
    properties: {
      name: { type: 'string', title: 'Name' },
      colour: { type: 'string', title: 'Colour', enum: ['red', 'green'] },
    },
    required: ['name'],
  },
};

function send(message: object): void {
  process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
}
