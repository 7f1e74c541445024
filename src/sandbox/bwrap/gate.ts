/**
 * Waits for a byte before it becomes the command, and ends where none can come. Not by `--block-fd`: bubblewrap arranges to
 * die with its parent only after that, right before it starts a program, so a command whose harness is killed meanwhile would
 * keep running. Here that is settled already; and a harness that was killed before has closed its end of the pipe, which is
 * checked once more after the byte. Nothing inside keeps the descriptor.
 */
export function behindGate(gate: number | undefined, command: readonly string[]): string[] {
  if (gate === undefined) return [...command];
  const script = `${waitAt(gate)} && exec "$@"`;
  return ['/bin/bash', '--noprofile', '--norc', '-pc', script, 'gate', ...command];
}

/**
 * The same in the bash that runs the command, which saves a process: the beginning of its line. If the line cannot be parsed,
 * nothing of it runs, and the gate stays closed.
 */
export function waitFirst(gate: number): string {
  return `${waitAt(gate)} || exit 125; unset -f cadre_wait;`;
}

/** In a function, so that an environment variable with the name that `read` uses keeps its value. */
function waitAt(gate: number): string {
  const passes = `read -r -N1 -u ${gate} && ! read -t 0 -u ${gate}`;
  return `cadre_wait() { local REPLY; ${passes} && exec ${gate}<&-; }; cadre_wait`;
}
