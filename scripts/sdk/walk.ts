import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';

/** The little of the compiler that is used here: it is fetched together with the SDK, and no dependency. */
interface Compiler {
  createSourceFile(name: string, text: string, target: number, parents: boolean): SourceNode;
  forEachChild(node: SourceNode, visit: (child: SourceNode) => void): void;
}

interface SourceNode {
  getText(): string;
  name?: { text: string; getText(): string };
  /** Of an interface or a type literal. */
  members?: readonly SourceNode[];
  /** Of an alias: its meaning. Of a field: its type. */
  type?: SourceNode;
  /** Of a union. */
  types?: readonly SourceNode[];
}

/** What the types of an installed SDK declare that a host may use, by area. */
export type Declared = Record<string, string[]>;

/** Types whose fields are rows. */
const fieldsOf: Record<string, string> = {
  options: 'Options',
  methods: 'Query',
  prompt: 'SDKUserMessage',
  initialize: 'SDKControlInitializeRequest',
  agent: 'AgentDefinition',
};

/** Requests that go to the host, and not from it. */
const toHost = ['can_use_tool', 'hook_callback', 'elicitation', 'request_user_dialog'];

/** Reads the public type definitions of the SDK, and of the messages that it passes on. */
export async function walkSdk(module: string): Promise<Declared> {
  const packages = join(dirname(module), '..', '..');
  const compiler = await loadCompiler(packages);
  const sdk = readTypes(compiler, join(dirname(module), 'sdk.d.ts'));
  const messages = readTypes(compiler, join(packages, '@anthropic-ai/sdk/resources/messages/messages.d.ts'));
  const beta = readTypes(compiler, join(packages, '@anthropic-ai/sdk/resources/beta/messages/messages.d.ts'));
  const source = readFileSync(join(dirname(module), 'sdk.d.ts'), 'utf8');
  const rows = Object.entries(fieldsOf).map(([area, type]) => [area, listFields(sdk, type)]);
  return {
    ...Object.fromEntries(rows),
    functions: [...source.matchAll(/^export declare function (\w+)/gm)].map(([, name = '']) => name),
    requests: listRequests(sdk).filter((subtype) => !toHost.includes(subtype)),
    blocks: listBlocks(messages),
    usage: listFields(beta, 'BetaUsage'),
  };
}

async function loadCompiler(packages: string): Promise<Compiler> {
  const loaded = await import(pathToFileURL(join(packages, 'typescript/lib/typescript.js')).href);
  return loaded.default ?? loaded;
}

type Types = ReadonlyMap<string, SourceNode>;

function readTypes(compiler: Compiler, file: string): Types {
  const source = compiler.createSourceFile(file, readFileSync(file, 'utf8'), 99, true);
  const types = new Map<string, SourceNode>();
  compiler.forEachChild(source, (node) => {
    if (node.name && (node.members || node.type)) types.set(node.name.text, node);
  });
  return types;
}

function listFields(types: Types, name: string): string[] {
  const fields = findMembers(types, name).flatMap((member) => member.name?.getText() ?? []);
  if (fields.length === 0) throw new Error(`the types have no ${name} with fields`);
  return [...new Set(fields)];
}

function findMembers(types: Types, name: string): readonly SourceNode[] {
  const node = types.get(name);
  return node?.members ?? node?.type?.members ?? [];
}

function listRequests(types: Types): string[] {
  const union = types.get('SDKControlRequestInner')?.type?.types ?? [];
  return union.flatMap((part) => readLiteral(findMembers(types, part.getText()), 'subtype'));
}

/** `image url` for an image whose source is an address. */
function listBlocks(types: Types): string[] {
  const union = types.get('ContentBlockParam')?.type?.types ?? [];
  return union.flatMap((part) => {
    const members = findMembers(types, part.getText());
    const [kind = ''] = readLiteral(members, 'type');
    const source = members.find((member) => member.name?.getText() === 'source')?.type;
    const forms = (source?.types ?? (source ? [source] : [])).flatMap((form) =>
      readLiteral(findMembers(types, form.getText()), 'type'),
    );
    return forms.length === 0 ? [kind] : forms.map((form) => `${kind} ${form}`);
  });
}

function readLiteral(members: readonly SourceNode[], field: string): string[] {
  const text = members.find((member) => member.name?.getText() === field)?.type?.getText() ?? '';
  return [...text.matchAll(/['"]([^'"]+)['"]/g)].map(([, word = '']) => word);
}
