import { describe, expect, test } from 'bun:test';
import { parseDocument } from 'yaml';
import { parseFrontmatter } from '../../src/lib/frontmatter/frontmatter.ts';
import { readPlainBlock } from '../../src/lib/frontmatter/frontmatter-plain.ts';
import { seededRandom } from '../../src/lib/random.ts';

async function read(text: string) {
  const parsed = await parseFrontmatter(text);
  if (!parsed.ok) throw new Error(`line ${parsed.problem.line}: ${parsed.problem.reason}`);
  return parsed.value;
}

async function fault(text: string) {
  const parsed = await parseFrontmatter(text);
  if (parsed.ok) throw new Error('expected a problem');
  return parsed.problem;
}

describe('the parts of a file', () => {
  test('fields and body', async () => {
    const found = await read('---\nname: a\ntools: [Read, Grep]\n---\nBody\n');
    expect({ ...found.data }).toEqual({ name: 'a', tools: ['Read', 'Grep'] });
    expect(found).toMatchObject({ body: 'Body\n', hasBlock: true, notes: [] });
    expect(found.lines.get('tools')).toBe(3);
  });

  test('a file without frontmatter is all body', async () => {
    expect(await read('# Title\n\n---\n')).toMatchObject({
      hasBlock: false,
      body: '# Title\n\n---\n',
    });
    expect(await read('')).toMatchObject({ hasBlock: false, body: '' });
  });

  test('an indented block is an error, not a file without frontmatter', async () => {
    const problem = await fault('\n    ---\n    name: a\n    description: d\n    ---\nBody\n');
    expect(problem).toMatchObject({ line: 2, reason: expect.stringContaining('indented') });
    expect(await read('  ---\n\nText below a line.\n')).toMatchObject({ hasBlock: false });
  });

  test.each([
    ['description: d\n tools: Read', 3],
    ['description: "d"\n\ttools: Read', 3],
    ['description: a: b\n  more\n  disallowed-tools: Bash', 4],
    ['description: d\n\n permissionMode: plan', 4],
  ])('a limit that is indented is an error, not more of the text above it: %p', async (fields, line) => {
    const problem = await fault(`---\n${fields}\nname: a\n---\nBody\n`);
    expect(problem).toMatchObject({ line, reason: expect.stringContaining('is indented') });
  });

  test('prose on indented lines stays text, also where it names fields', async () => {
    const found = await read('---\ndescription: Use: it\n  user: which tools\n  model of: one\n---\n');
    expect(found.data.description).toBe('Use: it user: which tools model of: one');
  });

  test('a merge key is an error: the fields that it brings may be limits', async () => {
    const problem = await fault('---\nbase: &b {tools: Read}\n<<: *b\nname: a\n---\nBody\n');
    expect(problem).toMatchObject({ line: 3, reason: expect.stringContaining('<<') });
  });

  test('an empty block has no fields', async () => {
    const found = await read('---\n---\nBody');
    expect(Object.keys(found.data)).toEqual([]);
    expect(found).toMatchObject({ hasBlock: true, body: 'Body' });
  });

  test('a byte order mark, Windows line ends and blank lines before it are tolerated', async () => {
    const found = await read('\uFEFF\r\n---  \r\nname: a\r\n---\r\nOne\r\nTwo');
    expect(found.data.name).toBe('a');
    expect(found).toMatchObject({ body: 'One\nTwo' });
    expect(found.lines.get('name')).toBe(3);
  });

  test('a block that is not closed is explained with its line', async () => {
    expect(await fault('\n---\nname: a\n\nBody')).toEqual({
      line: 2,
      reason: 'the frontmatter that begins here is not closed: expected another line ---',
    });
  });

  test('too large a text, and too large a block, are refused', async () => {
    expect((await fault('x'.repeat(1024 * 1024 + 1))).reason).toContain('larger than');
    expect((await fault(`---\na: ${'x'.repeat(70_000)}\n---\n`)).reason).toContain(
      'in its first 65536 characters',
    );
  });

  test('a problem has the line of the file', async () => {
    expect(await fault('---\nname: a\nhooks:\n  - {b: c} d\n---\n')).toMatchObject({ line: 4 });
  });

  test('a block that is a list is refused', async () => {
    expect((await fault('---\n- a\n- b\n---\n')).reason).toBe('expected fields, such as name: value');
  });
});

describe('what is read without the parser', () => {
  test('hooks and servers, as agents have them', () => {
    const block = readPlainBlock(
      [
        'hooks:',
        '  PreToolUse:',
        '    - matcher: "Bash|Edit"',
        '      hooks:',
        '        - type: command',
        '          command: ./check.sh # a comment',
        '          timeout: 5',
        'mcpServers:',
        '  - shared',
        '  - files:',
        '      command: npx',
        '      args: [\'-y\', "a, b", plain]',
        '',
      ].join('\n'),
    );
    const hook = { type: 'command', command: './check.sh', timeout: 5 };
    expect(JSON.parse(JSON.stringify(block))).toMatchObject({
      data: {
        hooks: { PreToolUse: [{ matcher: 'Bash|Edit', hooks: [hook] }] },
        mcpServers: ['shared', { files: { command: 'npx', args: ['-y', 'a, b', 'plain'] } }],
      },
    });
  });

  test.each([
    ['tools: [Read, Grep', 'list', ']'],
    ['metadata: {a: 1', 'group', '}'],
    ['description: "never ends', 'text', '"'],
    ["description: 'never ends", 'text', "'"],
  ])('%s: not closed', async (row, what, by) => {
    expect(readPlainBlock(`name: a\n${row}\nmodel: b\n`)).toEqual({
      line: 2,
      reason: `not valid YAML: the ${what} that begins here is not closed: expected ${by}`,
    });
  });

  test('a field that is called __proto__ further in is left to the parser', () => {
    expect(readPlainBlock('a:\n  __proto__: b\n')).toBeUndefined();
  });
});

describe('what people write that is not YAML', () => {
  test('brackets within brackets that are followed by words are text', async () => {
    const found = await read('---\nargument-hint: [--output [path]] (optional)\n---\n');
    expect(found.data['argument-hint']).toBe('[--output [path]] (optional)');
    expect(found.notes).toEqual([
      'line 2: the value of argument-hint is not valid YAML; it was read as text. Put it in quotes',
    ]);
  });

  test('a colon in a value', async () => {
    const found = await read('---\nname: a\ndescription: Use it so: user says: "x" #1\n---\n');
    expect(found.data.description).toBe('Use it so: user says: "x" #1');
    expect(found.notes).toEqual([
      'line 3: the value of description contains a colon; it was read as text. Put it in quotes',
    ]);
  });

  test('a star for all', async () => {
    expect((await read('---\ntools: *\n---\n')).data.tools).toBe('*');
  });

  test('a star or a colon beside what needs the parser', async () => {
    const found = await read('---\ntools: *\nhooks:\n  Stop: {a: 1}\ndescription: a: b\n  and: c\n---\n');
    expect(found.data).toMatchObject({ tools: '*', description: 'a: b and: c' });
    expect(found.notes).toHaveLength(2);
    expect(found.notes[1]).toStartWith('line 5:');
  });

  test.each(['@someone', '*bold* text', '[draft] text', '"quoted" and more', '`code` and more', '%x'])(
    '%s as a text',
    async (value) => {
      const found = await read(`---\nname: a\ndescription: ${value}\n---\n`);
      expect(found.data.description).toBe(value);
      expect(found.notes).toHaveLength(1);
    },
  );
});

describe('hostile blocks', () => {
  const bomb = ['a: &a [x, x, x, x, x, x, x, x, x]']
    .concat(
      [...'bcdefghi'].map(
        (name, index) => `${name}: &${name} [${Array(9).fill(`*${'abcdefghi'[index]}`).join(', ')}]`,
      ),
    )
    .join('\n');

  test.each([
    ['aliases that multiply', bomb],
    ['brackets without end', `a: ${'['.repeat(20_000)}`],
    ['deep nesting', `a: ${'['.repeat(100)}${']'.repeat(100)}`],
    ['flow maps without end', `a: ${'{a: '.repeat(10_000)}`],
    ['many values', `a:\n${'  - {b: 1}\n'.repeat(5_900)}`],
    ['a tag that would run something', 'a: !!js/function "function(){}"'],
    ['a tag of its own', 'a: !secret x'],
    ['an alias to nothing', 'a: {b: *nowhere}'],
  ])('%s: refused with a reason, and not read on', async (_, block) => {
    const problem = await fault(`---\n${block}\n---\n`);
    expect(problem.reason).not.toBe('');
  });

  test('__proto__ is a field like any other', async () => {
    const found = await read(
      '---\nname: a\n__proto__: {polluted: true}\nconstructor: x\nb: {__proto__: {c: 1}}\n---\n',
    );
    expect(Object.keys(found.data)).toEqual(['name', '__proto__', 'constructor', 'b']);
    expect(Object.getPrototypeOf(found.data)).toBeNull();
    expect(found.data.polluted).toBeUndefined();
    expect(({} as Record<string, unknown>).polluted).toBeUndefined();
    expect(Object.getPrototypeOf(found.data.b)).toBeNull();
  });
});

test('what is read without the parser is what the parser reads', () => {
  const random = seededRandom(7);
  const pick = <T>(items: readonly T[]): T => items[Math.floor(random() * items.length)] as T;
  const words = [
    'a',
    'Read',
    "it's",
    '"x"',
    "'y'",
    'true',
    'null',
    '~',
    '12',
    '-3',
    '0x1f',
    '1.5',
    '.5',
    '1e3',
    '007',
    '#no',
    ' ',
    'a#b',
    'a:b',
    '-',
    '- b',
    '?',
    '&c',
    '!d',
    '[e',
    'f]',
    '{g}',
    ',',
    '|',
    '>',
    '>-',
    '%',
    'é',
    '日本',
    '😀',
    '2024-01-01',
    '+1',
    '---x',
    'Yes',
    '.inf',
    '-.INF',
    '.nan',
    './x',
    '+a',
    '\\n',
    '@h',
    '`i`',
    '*j',
  ];
  const line = () => {
    const value = Array.from({ length: Math.floor(random() * 4) }, () => pick(words)).join(
      pick(['', ' ', '  ']),
    );
    return pick([
      `k${Math.floor(random() * 30)}: ${value}`,
      `k${Math.floor(random() * 30)}:`,
      `${pick(['', '  '])}- ${value}`,
      `  ${value}`,
      `    ${value}`,
      `k${Math.floor(random() * 30)}: ${pick(['|', '>', '|-', '>-'])}`,
      '',
      `# ${value}`,
      `k${Math.floor(random() * 30)}: [${value}, ${pick(words)}]`,
      `k${Math.floor(random() * 30)}: "${value}"`,
      `k${Math.floor(random() * 30)}: ["${value}", '${pick(words)}']`,
      `  k${Math.floor(random() * 9)}: ${value}`,
      `${pick(['  ', '    ', '      '])}k${Math.floor(random() * 9)}:`,
      `${pick(['  ', '    ', '      '])}- k${Math.floor(random() * 9)}: ${value}`,
      `${pick(['    ', '      ', '        '])}k${Math.floor(random() * 9)}: ${pick(words)}`,
      `${pick(['    ', '      '])}- ${pick(words)}`,
    ]);
  };
  let compared = 0;
  let nested = 0;
  let faults = 0;
  for (let round = 0; round < 30_000; round++) {
    const source = `${Array.from({ length: 1 + Math.floor(random() * 5) }, line).join('\n')}\n`;
    const quick = readPlainBlock(source);
    if (!quick) continue;
    const document = parseDocument(source, { schema: 'core', logLevel: 'silent' });
    if ('reason' in quick) {
      if (document.errors.length === 0) throw new Error(`${JSON.stringify(source)} is YAML`);
      faults++;
    }
    if ('reason' in quick || quick.notes.length > 0) continue;
    if (
      Object.values(quick.data).some((value) => typeof value === 'object' && value && !Array.isArray(value))
    )
      nested++;
    const wrong = document.errors[0] ?? document.warnings[0];
    if (wrong) throw new Error(`${JSON.stringify(source)} was read, and is no YAML: ${wrong.message}`);
    const slow = document.toJS() ?? {};
    if (JSON.stringify(slow) !== JSON.stringify(quick.data))
      throw new Error(
        `${JSON.stringify(source)}: ${JSON.stringify(quick.data)}, not ${JSON.stringify(slow)}`,
      );
    compared++;
  }
  expect(compared).toBeGreaterThan(2_000);
  expect(nested).toBeGreaterThan(150);
  expect(faults).toBeGreaterThan(30);
});

describe('what authors of other products write', () => {
  test('a description with a colon is not cut at a number sign', async () => {
    const { data } = await read(
      '---\ndescription: Use it when: a C# file or issue #12 changes # always\n---\n',
    );
    expect(data.description).toBe('Use it when: a C# file or issue #12 changes # always');
    const folded = await read('---\ndescription: Use: it\n  for issue #12\nname: a\n---\n');
    expect(folded.data.description).toBe('Use: it for issue #12');
  });

  test('without a colon it is YAML, and a comment is one', async () => {
    expect((await read('---\ndescription: Use it # a comment\n---\n')).data.description).toBe('Use it');
  });

  test.each([
    ['plain', 'description: One.\\n\\nTwo\\n<example>', 'One.\n\nTwo\n<example>'],
    ['with a colon', 'description: One: two.\\nThree', 'One: two.\nThree'],
    ['over two rows', 'description: One:\n  two.\\nThree', 'One: two.\nThree'],
    ['in double quotes', 'description: "One.\\nTwo"', 'One.\nTwo'],
    ['in single quotes', "description: 'One.\\nTwo'", 'One.\\nTwo'],
    ['in a block', 'description: |-\n  One.\\nTwo', 'One.\\nTwo'],
    ['of another field', 'name: One.\\nTwo', undefined],
  ])('a line break written as two characters is one, %s', async (_, field, expected) => {
    const { data } = await read(`---\n${field}\n---\n`);
    expect(data.description).toBe(expected as string);
    if (expected === undefined) expect(data.name).toBe('One.\\nTwo');
  });

  test('a field that is given twice is a note, and the last value is used', async () => {
    const { data, notes, lines } = await read(
      '---\nname: a\nmodel: x\nname: b\nhooks:\n  A: 1\n  A: 2\n---\n',
    );
    expect(JSON.parse(JSON.stringify(data))).toEqual({ name: 'b', model: 'x', hooks: { A: 2 } });
    expect(lines.get('name')).toBe(4);
    expect(notes).toEqual([
      'line 4: name is given more than once; this value is used',
      'line 7: A is given more than once; this value is used',
    ]);
  });

  test('also beside a value that has to be quoted', async () => {
    const { data, notes } = await read('---\nname: a\ndescription: Use: it\nname: b\n---\n');
    expect(data).toMatchObject({ name: 'b', description: 'Use: it' });
    expect(notes).toHaveLength(2);
  });
});
