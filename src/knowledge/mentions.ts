/** `@path` or `@agent-name` in a prompt. */
export interface Mention {
  readonly kind: 'file' | 'agent';
  /** The path as it was written, or the agent's name. */
  readonly name: string;
}

const maxMentions = 100;

/** Everything that a prompt mentions. The caller checks whether such a file or agent exists. */
export function findMentions(text: string): Mention[] {
  const mentions: Mention[] = [];
  for (const match of text.matchAll(/(?<=^|[\s([{])@(?:"([^"\n]{1,1000})"|([^\s"@]{1,1000}))/g)) {
    if (mentions.length >= maxMentions) break;
    const [, quoted, bare = ''] = match;
    // A full stop ends the sentence, not the path; a bracket closes the one before it.
    const word = quoted ?? bare.replace(/[.,;:!?)\]}]+$/, '');
    if (word !== '') mentions.push(readMention(word));
  }
  return mentions;
}

function readMention(word: string): Mention {
  const agent = /^agent-(.+)$/.exec(word) ?? /^(.+) \(agent\)$/.exec(word);
  return agent?.[1] === undefined ? { kind: 'file', name: word } : { kind: 'agent', name: agent[1] };
}
