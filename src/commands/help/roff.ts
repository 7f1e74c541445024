/** The few requests of man(7) that our pages need. Text is escaped; nothing in it can be a request. */

export function escapeRoff(text: string): string {
  const escaped = text
    .replaceAll('\\', '\\e')
    .replaceAll('-', '\\-')
    .replaceAll('…', '...')
    .replace(/[\u2018\u2019]/g, "'")
    .replace(/[\u201c\u201d]/g, '"')
    .replaceAll('~', '\\(ti')
    .replaceAll('^', '\\(ha');
  // A line that begins with one of these would be a request.
  return /^[.']/.test(escaped) ? `\\&${escaped}` : escaped;
}

export function bold(text: string): string {
  return `\\fB${escapeRoff(text)}\\fR`;
}

export function italic(text: string): string {
  return text === '' ? '' : `\\fI${escapeRoff(text)}\\fR`;
}

export function section(title: string): string[] {
  return [`.SH ${escapeRoff(title).toUpperCase()}`];
}

export function subsection(title: string): string[] {
  return [`.SS ${escapeRoff(title)}`];
}

export function paragraph(text: string): string[] {
  return ['.PP', escapeRoff(text)];
}

/** A term that is roff already, and its meaning below it. */
export function listItem(term: string, about: string): string[] {
  return ['.TP', term, escapeRoff(about)];
}

/** Lines that keep their spaces. */
export function verbatim(lines: readonly string[]): string[] {
  return ['.PP', '.nf', ...lines.map(escapeRoff), '.fi'];
}
