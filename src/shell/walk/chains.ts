import type { SyntaxNode } from 'unbash';
import { union } from './directories.ts';
import type { Visiting } from './loops.ts';
import { findChanges } from './survey.ts';

/** After nothing but `&&`, everything before has succeeded. */
export function visitChain(
  walk: Visiting,
  { commands, operators }: Extract<SyntaxNode, { type: 'AndOr' }>,
): void {
  const { state } = walk;
  const [first, ...rest] = commands;
  if (!first) return;
  let seen = state.directories;
  const look = (command: SyntaxNode) => {
    walk.visit(command);
    seen = union(seen, state.directories);
  };
  look(first);
  const names = new Set<string>();
  let isSequence = true;
  state.perhaps(names, () => {
    for (const [index, command] of rest.entries()) {
      if (isSequence && operators[index] === '||') {
        isSequence = false;
        state.forget(names);
      }
      if (!isSequence) state.directories = seen;
      look(command);
      const own = findChanges(command).names;
      for (const name of own) names.add(name);
      if (!isSequence) state.forget(own);
    }
  });
  state.directories = seen;
}
