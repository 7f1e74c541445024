import type { AgentKernel } from '../agents/kernel.ts';
import { skillHands } from '../agents/skill-hands.ts';
import { findNamedFiles, type NamedFile, readNamedFiles } from '../knowledge/named-files.ts';
import { visibleLine } from '../lib/text.ts';
import { type AgentEvent, filesMark, textOf, typedBlocks, type UserBlock } from '../protocol/index.ts';
import type { Kernel } from './kernel.ts';
import type { SessionReel } from './open-reel.ts';

/**
 * The files that a prompt names. Which of them are there is on the tape, and so is what reading them gave: a replay looks
 * at no file.
 */
export async function attachNamedFiles(
  { place, tape }: Kernel,
  services: AgentKernel,
  content: readonly UserBlock[],
): Promise<UserBlock[]> {
  const lead = services.roster.find(null);
  // A coordinator touches no files, and neither does one who was left without the tool.
  if (!lead?.context.tools.some(({ name }) => name === 'Read')) return [];
  const { userHome } = place;
  const { current } = lead.context.hands.directory;
  const text = textOf(typedBlocks(content));
  const find = () => findNamedFiles(text, current, userHome);
  const found = tape ? await findOnTape(tape, find) : find();
  for (const { name, kind } of found) if (kind === 'missing') services.publish(missingFile(name, current));
  if (!found.some(({ kind }) => kind !== 'missing')) return [];
  const hands = skillHands(services, lead, `prompt-${services.ids.token(12)}`, userHome);
  const { texts, images } = await readNamedFiles(found, hands);
  return [{ type: 'text', text: `${filesMark}\n\n${texts.join('\n\n')}` }, ...images];
}

function missingFile(name: string, cwd: string): AgentEvent {
  const text = `@${visibleLine(name, 200)}: no such file in ${cwd}. The prompt was sent without it.`;
  return { agentId: null, parentToolUseId: null, type: 'notice_given', level: 'warning', text };
}

async function findOnTape(reel: SessionReel, find: () => NamedFile[]): Promise<readonly NamedFile[]> {
  const seen = await reel.look('files that a prompt names', async () => JSON.stringify(find()));
  return seen === undefined ? [] : JSON.parse(seen);
}
