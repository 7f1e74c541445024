import type { SyntaxNode } from 'unbash';
import { union } from './directories.ts';
import type { Visiting } from './loops.ts';
import { namesListed } from './names.ts';
import { findInputFault } from './shared-input.ts';
import { findChanges } from './survey.ts';

type Pipeline = Extract<SyntaxNode, { type: 'Pipeline' }>;

export function visitPipeline(walk: Visiting, node: Pipeline): void {
  const [only] = node.commands;
  if (node.commands.length === 1 && only) {
    // After `!` the rest of a chain runs when this has failed.
    const before = walk.state.directories;
    walk.visit(only);
    if (node.prefixes.length > 0) walk.state.directories = union(before, walk.state.directories);
    return;
  }
  walk.order.readTogether(() => visitParts(walk, node));
  // Some shells run the last part themselves.
  walk.state.forget(findChanges(node).names);
}

/** Each part runs in its own shell, and may read the names that the previous one lists. */
function visitParts(walk: Visiting, node: Pipeline): void {
  let { takesNames } = walk.state;
  for (const [index, command] of node.commands.entries()) {
    const before = walk.commands.length;
    walk.state.inSubshell(() => {
      walk.state.takesNames = takesNames;
      walk.visit(command);
    });
    const fault = takesNames
      ? findInputFault(walk.commands.slice(before), takesNames, command.type !== 'Command')
      : undefined;
    if (fault) walk.addProblem(fault);
    const [last] = walk.commands.slice(-1);
    // Messages may contain anything the command was given.
    const isPlain = command.type === 'Command' && node.operators[index] !== '|&';
    takesNames = isPlain && last ? namesListed(last) : undefined;
  }
}
