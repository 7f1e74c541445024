/**
 * TypeScript source with everything that is not code blanked out: comments, the insides of strings and
 * regular expressions, the text of templates. Positions and lines stay as they were, so that a pattern found
 * here can be read in the original. Not a parser: enough to see imports and braces.
 */
export function blankSource(source: string): string {
  const out = source.split('');
  const blank = (from: number, to: number) => {
    for (let i = from; i < to; i++) if (out[i] !== '\n') out[i] = ' ';
  };
  // One entry per open template expression: the depth of braces at which it ends.
  const templates: number[] = [];
  let depth = 0;
  let i = 0;
  while (i < source.length) {
    const char = source[i];
    const end = commentEnd(source, i) ?? quotedEnd(source, i);
    if (end !== undefined) {
      // A string keeps its quotes, so that an import is still seen to name something.
      const quotes = char === "'" || char === '"' ? 1 : 0;
      blank(i + quotes, end - quotes);
      i = end;
    } else if (char === '`' || (char === '}' && templates.at(-1) === depth)) {
      if (char === '}') templates.pop();
      const stop = templateEnd(source, i + 1);
      blank(i, stop.at);
      if (stop.expression) templates.push(depth);
      i = stop.at;
    } else {
      if (char === '{') depth++;
      if (char === '}') depth--;
      i++;
    }
  }
  return out.join('');
}

function commentEnd(source: string, i: number): number | undefined {
  if (source.startsWith('//', i)) return indexOr(source.indexOf('\n', i), source.length);
  if (source.startsWith('/*', i)) return indexOr(source.indexOf('*/', i + 2), source.length - 2) + 2;
  return undefined;
}

function indexOr(index: number, otherwise: number): number {
  return index === -1 ? otherwise : index;
}

/** The end of a string or of a regular expression that begins here. */
function quotedEnd(source: string, i: number): number | undefined {
  const open = source[i];
  const isString = open === "'" || open === '"';
  if (!isString && !(open === '/' && expressionMayStart(source, i))) return undefined;
  let inClass = false;
  for (let j = i + 1; j < source.length && source[j] !== '\n'; j++) {
    const char = source[j];
    if (char === '\\') j++;
    else if (open === '/' && char === '[') inClass = true;
    else if (open === '/' && char === ']') inClass = false;
    else if (char === open && !inClass) return j + 1;
  }
  return undefined;
}

/** A slash divides after a value, and opens a regular expression anywhere else. */
function expressionMayStart(source: string, i: number): boolean {
  const before = source.slice(Math.max(0, i - 40), i).trimEnd();
  return (
    /(?:^|[([{,;=:?!&|+\-*%~^<>])$/.test(before) || /\b(?:return|typeof|case|in|of|await|yield)$/.test(before)
  );
}

/** Where the text of a template stops: behind its last backtick, or behind the `${` of an expression. */
function templateEnd(source: string, from: number): { at: number; expression: boolean } {
  for (let i = from; i < source.length; i++) {
    if (source[i] === '\\') i++;
    else if (source[i] === '`') return { at: i + 1, expression: false };
    else if (source.startsWith('${', i)) return { at: i + 2, expression: true };
  }
  return { at: source.length, expression: false };
}

/** Every module a file names: static, dynamic, type-only, re-exported. */
export function importsOf(source: string): string[] {
  const code = blankSource(source);
  const patterns = [
    /\b(?:import|export)\s+(?:type\s+)?[\w$*{},\s]*?\bfrom\s*(['"])/g,
    /\bimport\s*(['"])/g,
    /\bimport\s*\(\s*(['"])/g,
  ];
  return patterns.flatMap((pattern) =>
    [...code.matchAll(pattern)].map((match) => {
      const start = match.index + match[0].length;
      return source.slice(start, code.indexOf(match[1] ?? "'", start));
    }),
  );
}
