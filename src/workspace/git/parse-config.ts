/** One setting of a git configuration. Section and name are in lower case, as git compares them. */
export interface GitSetting {
  readonly section: string;
  /** The quoted part of `[section "subsection"]`. */
  readonly subsection: string;
  readonly name: string;
  readonly value: string;
}

export interface ParsedSetting extends GitSetting {
  /** The value is literal: without quotes, escapes, comments, control characters and bytes that are not UTF-8. */
  readonly isPlain: boolean;
}

/**
 * The settings of a git configuration file, read the way git does: quotes, escapes, continued lines, comments, and a setting
 * on the same line as its section. Git stops at an error; here the rest of that line is skipped, so more is found and never
 * less.
 */
export function parseGitConfig(text: string): ParsedSetting[] {
  const reader = { text: text.replace(/^\uFEFF/, '').replaceAll('\r\n', '\n'), at: 0 };
  const settings: ParsedSetting[] = [];
  let [section, subsection] = ['', ''];
  while (reader.at < reader.text.length) {
    const sign = reader.text[reader.at] ?? '';
    if (/\s/.test(sign)) reader.at++;
    else if (sign === '[') [section, subsection] = readSection(reader);
    else if (/[a-z]/i.test(sign)) {
      const name = take(reader, /[a-z0-9-]*/iy).toLowerCase();
      take(reader, /[ \t]*/y);
      const hasValue = reader.text[reader.at] === '=';
      if (hasValue) reader.at++;
      const from = reader.at;
      const value = hasValue ? readValue(reader) : 'true';
      const isPlain = hasValue && plainValue.test(reader.text.slice(from, reader.at));
      settings.push({ section, subsection, name, value, isPlain });
    } else take(reader, /[^\n]*/y);
  }
  return settings;
}

/** Of control characters only the tab, which git trims like a blank. */
const plainValue = /^[^"\\#;\p{Cc}\uFFFD]*(?:\t[^"\\#;\p{Cc}\uFFFD]*)*$/u;

interface Reader {
  readonly text: string;
  at: number;
}

function take(reader: Reader, pattern: RegExp): string {
  pattern.lastIndex = reader.at;
  const [found = ''] = pattern.exec(reader.text) ?? [];
  reader.at += found.length;
  return found;
}

/** `[section]`, `[section "sub\"section"]` and the old `[section.subsection]`. */
function readSection(reader: Reader): [section: string, subsection: string] {
  const header = /\[[^\S\n]*([a-z0-9.-]*)[^\S\n]*(?:"((?:[^"\\\n]|\\[^\n])*)")?[ \t]*\]?/iy;
  header.lastIndex = reader.at;
  const [whole = '[', first = '', quoted] = header.exec(reader.text) ?? [];
  reader.at += whole.length;
  if (quoted !== undefined) return [first.toLowerCase(), quoted.replace(/\\(.)/g, '$1')];
  const dot = first.indexOf('.');
  return dot < 0
    ? [first.toLowerCase(), '']
    : [first.slice(0, dot).toLowerCase(), first.slice(dot + 1).toLowerCase()];
}

const escapes: Readonly<Record<string, string>> = { n: '\n', t: '\t', b: '\b' };

/** Up to the end of the line. Blanks at either end are kept only inside quotes. */
function readValue(reader: Reader): string {
  take(reader, /[ \t]*/y);
  let value = '';
  let keep = 0;
  let isQuoted = false;
  for (; reader.at < reader.text.length; reader.at++) {
    const sign = reader.text[reader.at] ?? '';
    if (sign === '\n') break;
    if (!isQuoted && (sign === '#' || sign === ';')) {
      take(reader, /[^\n]*/y);
      break;
    }
    if (sign === '"') isQuoted = !isQuoted;
    else if (sign === '\\') {
      const next = reader.text[++reader.at] ?? '';
      if (next !== '\n') value += escapes[next] ?? next;
    } else value += sign;
    if (isQuoted || !/[ \t]/.test(sign)) keep = value.length;
  }
  return value.slice(0, keep);
}
