import { relative, resolve } from 'node:path';
import type { Question } from '../../protocol/index.ts';
import type { Preview } from '../../tools/files/preview.ts';
import { type NamedPlace, shortenPlaces, showLine, truncate, width } from '../text/index.ts';

export interface PhraseOptions {
  /** In cells. */
  readonly room: number;
  readonly places: readonly NamedPlace[];
  /** Where the asking agent works, if not in the session's directory. */
  readonly worktree?: string | undefined;
}

/** A question in one sentence: `Edit src/sum.ts?` What it names is cut to the room; the question below has it whole. */
export function phraseQuestion(
  question: Question,
  preview: Preview | undefined,
  { room, places, worktree }: PhraseOptions,
): string {
  const phrase = phrases[question.toolName] ?? phraseOther;
  const around: Surroundings = { places, worktree };
  const { before, subject, after = '' } = phrase(question, preview, around);
  const rest = width(before) + width(after) + 1;
  const shown = truncate(showLine(subject, maxSubject), Math.max(minSubject, room - rest), 'middle');
  return truncate(`${before}${shown}${after}?`, room);
}

const maxSubject = 600;
const minSubject = 8;

interface Phrase {
  before: string;
  /** Comes from the model: the part that is cut first. */
  subject: string;
  after?: string;
}

type Surroundings = Omit<PhraseOptions, 'room'>;

type Phraser = (question: Question, preview: Preview | undefined, around: Surroundings) => Phrase;

const phrases: Readonly<Record<string, Phraser>> = {
  Edit: phraseChange('Edit'),
  Write: phraseChange('Overwrite'),
  NotebookEdit: phraseChange('Edit'),
  Read: (question, _, around) => ({
    before: 'Read ',
    ...namePlace(question.input.file_path, question, around),
  }),
  Glob: phraseSearch,
  Grep: phraseSearch,
  Bash: phraseCommand,
  Monitor: (question, preview, around) =>
    typeof question.input.command === 'string'
      ? { ...phraseCommand(question, preview, around), before: 'Watch ' }
      : { before: 'Watch ', subject: question.summary },
  WebFetch: ({ input }) => ({ before: 'Fetch ', subject: readText(input.url) }),
  WebSearch: ({ input }) => ({ before: 'Search the web for ', subject: `"${readText(input.query)}"` }),
  Agent: phraseAgent,
  SendMessage: ({ input }) => ({ before: 'Send a message to ', subject: readText(input.to) }),
  Skill: ({ input }) => ({ before: 'Use the skill ', subject: readText(input.skill) }),
  Workflow: ({ input, summary }) => ({
    before: 'Run the workflow ',
    subject: readText(input.name) || summary,
  }),
  Land: phraseLanding,
};

function phraseChange(verb: string): Phraser {
  return (question, preview, around) => ({
    before: preview?.kind === 'diff' && preview.isNew ? 'Create ' : `${verb} `,
    ...namePlace(question.input.file_path ?? question.input.notebook_path, question, around),
  });
}

function phraseSearch(question: Question, _: Preview | undefined, around: Surroundings): Phrase {
  const pattern = truncate(showLine(readText(question.input.pattern), 200), maxPattern);
  const { subject, after } = namePlace(question.input.path ?? '.', question, around);
  return { before: 'Search ', subject, after: `${after} for "${pattern}"` };
}

const maxPattern = 30;

/** With the directory, if it is not the one where the agent began. */
function phraseCommand(
  { input, cwd }: Question,
  _: Preview | undefined,
  { places, worktree }: Surroundings,
): Phrase {
  const [line = '', ...more] = readText(input.command).trim().split('\n');
  const start = worktree ?? places.find(({ name }) => name === '')?.path ?? cwd;
  const below = relative(start, cwd);
  const place = below.startsWith('..') ? shortenPlaces(cwd, places) : below;
  const where = place === '' ? '' : ` in ${truncate(showLine(place, 200), maxPlace, 'start')}`;
  return { before: 'Run ', subject: more.length > 0 ? `${line} …` : line, after: where };
}

const maxPlace = 40;

function phraseAgent({ input }: Question): Phrase {
  const type = readText(input.subagent_type);
  const task = readText(input.description);
  const kind =
    type === '' ? 'an agent' : `${/^[aeiou]/i.test(type) ? 'an' : 'a'} ${showLine(type, 60)} agent`;
  return { before: `Start ${kind}${task === '' ? '' : ': '}`, subject: task };
}

function phraseLanding({ input }: Question): Phrase {
  const names = Array.isArray(input.names) ? input.names.map(readText) : [];
  const listed = names.length > 1 ? `${names.slice(0, -1).join(', ')} and ${names.at(-1)}` : (names[0] ?? '');
  if (input.action === 'drop')
    return { before: 'Remove ', subject: listed || 'worktrees', after: ' with all that is in it' };
  return { before: 'Land ', subject: listed || "all agents' work", after: ' on your branch' };
}

function phraseOther({ toolName, summary }: Question): Phrase {
  const [, server, tool] = /^mcp__(.+?)__(.+)$/.exec(toolName) ?? [];
  if (server !== undefined && tool !== undefined)
    return { before: 'Use ', subject: tool, after: ` of the MCP server ${showLine(server, 60)}` };
  const name = showLine(toolName, 80);
  return summary === '' ? { before: 'Use ', subject: name } : { before: `Use ${name}: `, subject: summary };
}

/** A file as seen from where the agent works. */
function namePlace(
  path: unknown,
  { cwd }: Question,
  { places, worktree }: Surroundings,
): { subject: string; after: string } {
  const whole = resolve(cwd, readText(path));
  const below = worktree === undefined ? undefined : relative(worktree, whole);
  if (below === undefined || below.startsWith('..'))
    return { subject: shortenPlaces(whole, places), after: '' };
  return below === ''
    ? { subject: 'its worktree', after: '' }
    : { subject: below, after: ' in its worktree' };
}

function readText(value: unknown): string {
  return typeof value === 'string' ? value : '';
}
