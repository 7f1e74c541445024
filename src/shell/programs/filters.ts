import { filterWords } from '../tables/filters.data.ts';

/**
 * Why a filter of jq or yq is not known to read only its input. Every function in it must be in the list; the names of
 * fields, keys and variables may be any. Comments and definitions are not supported.
 */
export function findFilterFault(filter: string | undefined): string | undefined {
  if (filter === undefined) return 'a computed filter';
  const tokens = tokenize(filter);
  if (!tokens) return 'its filter may read files other than its input';
  const open: string[] = [];
  for (const [index, token] of tokens.entries()) {
    if (token === '(' && tokens[index - 1] === '.') return 'a filter with .( may read more than its input';
    if (/^(?:[([{]|if)$/.test(token)) open.push(token);
    else if (/^[)\]}]$/.test(token)) close(open);
    else if (token === 'end' && open.at(-1) === 'if') open.pop();
    else if (/^[A-Za-z_]/.test(token) && !filterWords.has(token) && !isKey(tokens, index, open.at(-1)))
      return `a filter with ${token} may read more than its input`;
    else if (token === '$ENV') return 'a filter with $ENV shows the environment';
  }
  return undefined;
}

/** Newer versions accept a branch as a value of an object, with its own commas; `if` may be a key there as well. */
function close(open: string[]): void {
  while (open.pop() === 'if');
}

/** `{name, version: .v}`: words of an object that name its keys. */
function isKey(tokens: readonly string[], index: number, open: string | undefined): boolean {
  if (open !== '{' || !/^[{,]$/.test(tokens[index - 1] ?? '')) return false;
  const next = tokens[index + 1] ?? '';
  return next === ':' || (/^[,}]$/.test(next) && !reaching.test(tokens[index] ?? ''));
}

/** They show more than the input wherever a version treats them as functions. */
const reaching = /^(?:env|strenv|envsubst|input_filename|get_search_list|modulemeta)$/;

/**
 * Words, variables and signs, in order; fields and strings become `.` and `""`, and what a string interpolates is in
 * parentheses. Undefined where it contains anything else.
 */
function tokenize(filter: string): readonly string[] | undefined {
  const tokens: string[] = [];
  /** For each open parenthesis whether a string continues after it. */
  const inText: boolean[] = [];
  let rest = filter;
  while (rest !== '') {
    const token = nextToken.exec(rest)?.[0];
    if (token === undefined) return undefined;
    rest = rest.slice(token.length);
    if (/^\s/.test(token)) continue;
    if (token === '(') inText.push(false);
    const goesOn = token === ')' && inText.pop() === true;
    if (token !== '"' && !goesOn) {
      tokens.push(/^\.\w/.test(token) ? '.' : token);
      continue;
    }
    if (goesOn) tokens.push(')');
    const text = textPiece.exec(rest)?.[0];
    if (text === undefined) return undefined;
    rest = rest.slice(text.length);
    tokens.push('""');
    if (text.endsWith('"')) continue;
    tokens.push('(');
    inText.push(true);
  }
  return inText.length === 0 ? tokens : undefined;
}

const nextToken =
  /^(?:\s+|\.[A-Za-z_]\w*|\$[A-Za-z_]\w*|@[a-z0-9]+(?![\w:])|[A-Za-z_]\w*(?!\w|::)|\d+(?:\.\d+)?(?:[eE][+-]?\d+)?|["()[\]{}.,:;|+*/%=<>!?-])/;

/** Up to the end of a string, or to the beginning of an interpolation. */
const textPiece = /^(?:[^"\\]|\\[^(])*(?:"|\\\()/s;

const subcommands: ReadonlySet<string> = new Set(['e', 'eval', 'ea', 'eval-all']);

/** The words of yq: a filter, after its subcommand if there is one, and file names that are not filters themselves. */
export function findYamlFault(words: readonly (string | undefined)[]): string | undefined {
  const at = subcommands.has(words[0] ?? '') ? 1 : 0;
  const [filter, ...files] = words.slice(at);
  const odd = files.findIndex((file) => !isFileName(file));
  if (odd >= 0) return `${files[odd] ?? 'a computed name'} may be a filter`;
  // One yq reads a first word such as `data.yaml` as a file, the other as a filter.
  return isFileName(filter) && dataEnding.test(filter ?? '') ? undefined : findFilterFault(filter);
}

const dataEnding = /\.(?:ya?ml|json|toml|xml|csv|tsv|props|properties|ini)$/i;

/** Nothing in it could be a function with an argument, or a variable. */
function isFileName(text: string | undefined): boolean {
  return text !== undefined && /^[\w./@+-]+$/.test(text) && text !== 'env';
}
