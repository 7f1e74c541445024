import { listCommands } from '../table/commands.ts';
import { topicNames } from './topic-names.ts';

/** The manual pages: section 1 for commands, 7 for topics. */
export interface ManualPage {
  name: string;
  section: 1 | 7;
}

export function listManualPages(): ManualPage[] {
  const commands = listCommands().flatMap(({ words }) => (words.length === 1 ? words : []));
  return [
    { name: 'cadre', section: 1 },
    ...commands.map((name): ManualPage => ({ name: `cadre-${name}`, section: 1 })),
    ...topicNames.map((name): ManualPage => ({ name: `cadre-${name}`, section: 7 })),
  ];
}

/** What `cadre man PAGE` takes: a command, a topic, or one of both with its section. */
export function listPages(): { value: string; about: string }[] {
  const topics: readonly string[] = topicNames;
  return listManualPages().map(({ name, section }) => {
    const word = name.replace(/^cadre-/, '');
    const isTwice = section === 1 && topics.includes(word);
    return { value: isTwice ? `${word}.1` : word, about: section === 1 ? 'command' : 'topic' };
  });
}
