import { type Agent, findColour, type ShownMember, type View } from '../../view/index.ts';
import type { Drawing } from '../drawing.ts';
import { agentStyle, paint, showLine } from '../text/index.ts';

export function findAgent(view: View, { agentId }: ShownMember): Agent | undefined {
  return agentId === null ? undefined : view.agents.get(agentId);
}

export function paintName(name: string, colour: string, drawing: Drawing): string {
  return paint(agentStyle(drawing.theme, findColour(colour)), showName(name));
}

function showName(name: string): string {
  return showLine(name, 24);
}
