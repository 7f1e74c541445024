/** With more of them even a plain pattern can take seconds on a name that almost matches. */
const maxRepeats = 4;

/**
 * The part of a regular expression that could make it run forever, in a few words; undefined if there is none. A simple
 * check that errs on the safe side: a repeated group that itself repeats or chooses, back references.
 */
export function findDanger(source: string): string | undefined {
  const groups: { varies: boolean }[] = [{ varies: false }];
  let repeats = 0;
  for (let at = 0; at < source.length; at++) {
    const character = source[at];
    if (character === '\\') {
      if (/[1-9k]/.test(source[at + 1] ?? '')) return 'a back reference';
      at++;
    } else if (character === '[') {
      at = findClassEnd(source, at);
    } else if (character === '(') {
      groups.push({ varies: false });
    } else if (character === '|') {
      markAll(groups);
    } else if (character === ')') {
      const inner = groups.length > 1 ? groups.pop() : undefined;
      if (inner?.varies && isRepeat(source, at + 1)) return 'a repeated group whose content varies';
    } else if (isRepeat(source, at) || character === '?') {
      const isLazyMark = character === '?' && /[*+?})(]/.test(source[at - 1] ?? '');
      if (!isLazyMark) markAll(groups);
      if (isRepeat(source, at) && ++repeats > maxRepeats) return `more than ${maxRepeats} repetitions`;
    }
  }
  return undefined;
}

function markAll(groups: { varies: boolean }[]): void {
  for (const group of groups) group.varies = true;
}

function isRepeat(source: string, at: number): boolean {
  return /^(?:[*+]|\{\d*,?\d*\})/.test(source.slice(at, at + 24));
}

function findClassEnd(source: string, start: number): number {
  for (let at = start + 1; at < source.length; at++) {
    if (source[at] === '\\') at++;
    else if (source[at] === ']') return at;
  }
  return source.length;
}
