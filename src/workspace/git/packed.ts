/**
 * Where each of the packed references leads. Undefined where git could not read the file, for example one that does not end
 * with a newline. `isCut`: only its beginning is given.
 */
export function parsePacked(text: string, isCut = false): Map<string, string> | undefined {
  const found = new Map<string, string>();
  if (text === '') return found;
  const lines = text.split('\n');
  const rest = lines.pop() ?? '';
  if (rest !== '' && (!isCut || lines.length === 0)) return undefined;
  for (const [index, line] of lines.entries()) {
    if (index === 0 && line.startsWith('# pack-refs with:')) continue;
    const reference = parsePackedLine(line);
    if (reference) found.set(reference.name, reference.id);
    // The target of a tag.
    else if (!(line.startsWith('^') && isId(line.slice(1)))) return undefined;
  }
  return found;
}

/** Undefined for a line that does not say where a reference leads. */
export function parsePackedLine(line: string): { name: string; id: string } | undefined {
  const id = line.slice(0, line.indexOf(' '));
  const name = line.slice(id.length + 1);
  return isId(id) && name !== '' ? { name, id } : undefined;
}

function isId(text: string): boolean {
  return (text.length === 40 || text.length === 64) && /^[0-9a-f]+$/.test(text);
}
