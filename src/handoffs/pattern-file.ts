import type { Document, LineCounter } from 'yaml';
import { z } from 'zod';
import { formatError, ok, type Result, usage } from '../lib/result.ts';
import { efforts } from '../protocol/effort.ts';
import { branchBySize } from './branch.ts';
import { chain } from './chain.ts';
import type { HandoffLibrary } from './load-library.ts';
import { parallel } from './parallel.ts';
import type { HandoffTask, Pattern } from './pattern.ts';
import { phase } from './phase.ts';
import { resolveTemplate } from './resolve-template.ts';
import { isRoleName, phaseRoles, type RoleName } from './roles.ts';
import { type AnalysisFindings, checkNames } from './schema.ts';

/** A pattern that a file describes, and what the file says about every task. */
export interface FilePattern {
  name: string;
  pattern: Pattern;
  task: Omit<HandoffTask, 'feature'>;
}

const maxSteps = 50;
const text = z.string().trim().min(1).max(20_000);

const phaseNode = z.strictObject({
  phase: text.describe('A role or a template'),
  label: text.max(60).optional(),
  instructions: text.optional(),
  model: text.max(200).optional(),
  effort: z.enum(efforts).optional(),
  timeout_seconds: z.int().min(1).max(86_400).optional(),
  checks: z.array(z.enum(checkNames)).min(1).optional(),
});

type PhaseNode = z.output<typeof phaseNode>;
type Node =
  | string
  | PhaseNode
  | { chain: Node[] }
  | { parallel: Record<string, Node> }
  | { branch: { analyze?: Node | undefined; simple: Node; complex: Node } };

const memberName = z.string().regex(/^[\w-]{1,40}$/, 'expected at most 40 letters, digits, "-" and "_"');

/** None would be complete without anybody having looked. */
const hasMembers = (members: object) =>
  Object.keys(members).length > 0 && Object.keys(members).length <= maxSteps;
const membersFault = `expected 1 to ${maxSteps} members`;

const node: z.ZodType<Node> = z.lazy(() =>
  z.union(
    [
      text,
      phaseNode,
      z.strictObject({ chain: z.array(node).min(1).max(maxSteps) }),
      z.strictObject({ parallel: z.record(memberName, node).refine(hasMembers, membersFault) }),
      z.strictObject({ branch: z.strictObject({ analyze: node.optional(), simple: node, complex: node }) }),
    ],
    { error: 'expected the name of a role, or one of phase, chain, parallel and branch' },
  ),
);

export const patternFileSchema = z.strictObject({
  version: z.literal(1),
  name: text.max(60).optional(),
  description: text.optional(),
  spec_path: text.optional(),
  relevant_files: z.array(text).max(200).optional(),
  constraints: z.array(text).max(200).optional(),
  run: node,
});

/** Reads a pattern from JSON or YAML. A problem names the file, the line and the field. */
export async function readPatternFile(
  file: string,
  source: string,
  library: HandoffLibrary,
): Promise<Result<FilePattern>> {
  const parsed = await parseYaml(file, source);
  if (!parsed.ok) return parsed;
  const read = patternFileSchema.safeParse(parsed.value.data);
  if (!read.success) {
    const { path, message } = findDeepest(read.error);
    return refuse(file, parsed.value.document, path, message);
  }
  const fault = findTemplateFault(read.data.run, ['run'], library, 0);
  if (fault) return refuse(file, parsed.value.document, fault.path, fault.message);
  const { name = 'pattern', spec_path, relevant_files, constraints, run } = read.data;
  return ok({
    name,
    pattern: build(run, library),
    task: { specPath: spec_path, relevantFiles: relevant_files, constraints },
  });
}

type Path = readonly PropertyKey[];
interface Fault {
  path: Path;
  message: string;
}

function refuse(file: string, document: Parameters<typeof locateField>[0], path: Path, message: string) {
  const line = locateField(document, path);
  const field = path.map(String).join('.');
  return usage(
    `${file}${line === undefined ? '' : `:${line}`}: ${field === '' ? '' : `${field}: `}${message}`,
    'The format is described in docs/handoffs.md.',
  );
}

/** Of the alternatives of a node, the one that fits furthest says what is wrong. */
function findDeepest(error: z.ZodError): Fault {
  const faults = error.issues.flatMap((issue) => listFaults(issue, []));
  return faults.reduce((deepest, one) => (one.path.length > deepest.path.length ? one : deepest));
}

function listFaults(issue: z.core.$ZodIssue, above: Path): Fault[] {
  const path = [...above, ...issue.path];
  const inner = issue.code === 'invalid_union' ? issue.errors.filter((one) => isClose(one)) : [];
  return [{ path, message: issue.message }, ...inner.flat().flatMap((one) => listFaults(one, path))];
}

/** The alternative that was meant: it has the right key, so that only what is below it is wrong. */
function isClose(issues: readonly z.core.$ZodIssue[]): boolean {
  return (
    issues.length > 0 && issues.every(({ path, code }) => path.length > 0 && code !== 'unrecognized_keys')
  );
}

/** Names are checked before anything is started. */
function findTemplateFault(
  given: Node,
  path: Path,
  library: HandoffLibrary,
  depth: number,
): Fault | undefined {
  if (depth > 10) return { path, message: 'nested more than 10 deep' };
  const below = (inner: Node, ...keys: string[]) =>
    findTemplateFault(inner, [...path, ...keys], library, depth + 1);
  if (typeof given === 'string' || 'phase' in given) {
    const [name, at] = typeof given === 'string' ? [given, path] : [given.phase, [...path, 'phase']];
    const found = resolveTemplate(library, name);
    if (found.ok) return undefined;
    return { path: at, message: [found.problem.message, found.problem.hint].filter(Boolean).join(' ') };
  }
  if ('chain' in given) return findFirst(given.chain.map((one, at) => () => below(one, 'chain', String(at))));
  if ('parallel' in given)
    return findFirst(
      Object.entries(given.parallel).map(
        ([name, one]) =>
          () =>
            below(one, 'parallel', name),
      ),
    );
  const { analyze = 'analyzer', simple, complex } = given.branch;
  const decider = typeof analyze === 'string' ? analyze : 'phase' in analyze ? analyze.phase : undefined;
  if (decider !== 'analyzer')
    return {
      path: [...path, 'branch', 'analyze'],
      message: 'expected the role analyzer, which says how large the task is',
    };
  return below(simple, 'branch', 'simple') ?? below(complex, 'branch', 'complex');
}

function findFirst(checks: readonly (() => Fault | undefined)[]): Fault | undefined {
  for (const check of checks) {
    const fault = check();
    if (fault) return fault;
  }
  return undefined;
}

function build(given: Node, library: HandoffLibrary): Pattern {
  if (typeof given === 'string') return buildPhase({ phase: given }, library);
  if ('phase' in given) return buildPhase(given, library);
  if ('chain' in given) {
    const [first, ...rest] = given.chain.map((one) => build(one, library));
    if (!first) throw new Error('a chain has at least one step');
    return chain(first, ...rest);
  }
  if ('parallel' in given)
    return parallel(
      Object.fromEntries(Object.entries(given.parallel).map(([name, one]) => [name, build(one, library)])),
    );
  const { analyze = 'analyzer', simple, complex } = given.branch;
  return branchBySize(build(analyze, library) as Pattern<AnalysisFindings>, {
    simple: build(simple, library),
    complex: build(complex, library),
  });
}

function buildPhase(
  { phase: name, timeout_seconds, ...options }: PhaseNode,
  library: HandoffLibrary,
): Pattern {
  const role = pickRole(name, library);
  return phase(role, {
    ...options,
    ...(role === name ? {} : { template: name }),
    ...(timeout_seconds === undefined ? {} : { timeoutMs: timeout_seconds * 1_000 }),
  });
}

function pickRole(name: string, { templates }: HandoffLibrary): RoleName {
  return isRoleName(name) ? name : phaseRoles[templates.get(name)?.phase ?? 'validate'];
}

const maxLength = 200_000;
const maxAliases = 20;
const maxDepth = 50;

/** A file as data, with what is needed to find the line of a field. */
interface YamlFile {
  data: unknown;
  document: { document: Document; lines: LineCounter };
}

/** Reads YAML 1.2, of which JSON is a part. */
async function parseYaml(file: string, source: string): Promise<Result<YamlFile>> {
  if (source.length > maxLength) return usage(`${file}: larger than ${maxLength} characters.`);
  const { LineCounter, isCollection, isPair, isScalar, parseDocument } = await import('yaml');
  const lines = new LineCounter();
  try {
    const document = parseDocument(source, { schema: 'core', lineCounter: lines, logLevel: 'silent' });
    const fault = document.errors[0] ?? document.warnings[0];
    if (fault) {
      const reason = (fault.message.split('\n')[0] ?? '').replace(/ at line \d+, column \d+:?$/, '');
      return usage(`${file}:${fault.linePos?.[0].line ?? 1}: not valid YAML or JSON: ${reason}`);
    }
    let lost: number | undefined;
    // The library's own visit takes time with the square of the depth.
    const look = (node: unknown, left: number): boolean => {
      if (left < 0) return false;
      if (!isPair(node)) return !isCollection(node) || node.items.every((item) => look(item, left - 1));
      const { key, value } = node;
      // As data it would be the prototype of an object, and no field.
      if (isScalar(key) && key.value === '__proto__') lost ??= lines.linePos(key.range?.[0] ?? 0).line;
      return look(key, left) && look(value, left);
    };
    const tooDeep = () => usage(`${file}: nested more than ${maxDepth} deep.`);
    if (!look(document.contents, maxDepth)) return tooDeep();
    if (lost !== undefined) return usage(`${file}:${lost}: "__proto__" cannot be the name of a field.`);
    const data: unknown = document.toJS({ maxAliasCount: maxAliases });
    if (!isShallow(data, maxDepth)) return tooDeep();
    return ok({ data, document: { document, lines } });
  } catch (error) {
    return usage(`${file}: not read: ${formatError(error)}`);
  }
}

function isShallow(value: unknown, left: number): boolean {
  if (typeof value !== 'object' || value === null) return true;
  return left > 0 && Object.values(value).every((inner) => isShallow(inner, left - 1));
}

/** The line of a field, or of the nearest one above it that exists. */
function locateField(
  { document, lines }: YamlFile['document'],
  path: readonly PropertyKey[],
): number | undefined {
  for (let length = path.length; length >= 0; length--) {
    const keys = path.slice(0, length).map((key) => (/^\d+$/.test(String(key)) ? Number(key) : key));
    const found = length === 0 ? document.contents : document.getIn(keys, true);
    const range = (found as { range?: [number, number, number] | null } | undefined)?.range;
    if (range) return lines.linePos(range[0]).line;
  }
  return undefined;
}
