/**
 * A command without the parts that only look at the files they name: `grep -q x src/a.py && ./go.sh` becomes `./go.sh`. Only what is
 * plain to see is left out. A pipe into another program could run what the first one prints, and a changed search path makes
 * `grep` another program: such commands stay whole.
 */
export function leaveOutLooking(command: string): string {
  const text = command.replace(/(?:[12]|&)?>\s*\/dev\/null\b|2>&1/g, ' ');
  if (/[$`(){}<>\\#]|&(?!&)(?<!&&)|\b(?:PATH|alias|hash|enable|trap)\b/.test(text)) return command;
  const pipelines = splitOutsideQuotes(text);
  if (!pipelines) return command;
  return pipelines
    .filter((pipeline) => !pipeline.every(isLooking))
    .map((one) => one.join(' | '))
    .join('\n');
}

/** The commands of each pipeline; undefined where a quote is not closed. */
function splitOutsideQuotes(text: string): string[][] | undefined {
  const pieces = text.match(/'[^']*'|"[^"]*"|&&|\|\||[;\n|]|[^'";\n|&]+|./gs) ?? [];
  if (pieces.some((piece) => /^['"]$/.test(piece))) return undefined;
  const pipelines: string[][] = [['']];
  for (const piece of pieces) {
    const pipeline = pipelines.at(-1) ?? [];
    if (/^(?:&&|\|\||[;\n])$/.test(piece)) pipelines.push(['']);
    else if (piece === '|') pipeline.push('');
    else pipeline.push(`${pipeline.pop() ?? ''}${piece}`);
  }
  return pipelines;
}

function isLooking(command: string): boolean {
  return looking.test(command.trim());
}

/** Programs that run no file that they are given, whatever their options are. */
const looking =
  /^(?:(?:if|elif|while|until|then|else|do|!)\s+)*(?:(?:[ef]?grep|test|\[|cat|head|tail|wc|cmp|stat|ls|cksum|md5sum|sha(?:1|256|512)sum|echo|true|false|shellcheck)(?=\s|$)|(?:ba|da)?sh\s+-n\s|node\s+(?:-c|--check)\s|python[\d.]*\s+-m\s+(?:compileall|py_compile|tabnanny|json\.tool)(?=\s|$))/;
