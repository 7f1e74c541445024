import { visible } from '../../lib/text.ts';
import { type AgentEvent, type ToolResultBlock, textOf } from '../../protocol/index.ts';

const linesShown = 8;

/** Tells the story of a run, one event at a time. Undefined where there is nothing to tell. */
export function narrate(event: AgentEvent, style: Style): string | undefined {
  switch (event.type) {
    case 'message_added':
      return event.record.type === 'assistant'
        ? paragraph(textOf(event.record.message.content), style)
        : results(event.record.message.content, style);
    case 'tool_started':
      return `${style.accent('●')} ${style.strong(event.toolName)} ${visible(event.summary)}\n`;
    case 'permission_denied':
      return `${style.warn('✗')} ${style.strong(event.toolName)} ${style.dim(`denied: ${visible(event.decision.reason)}`)}\n`;
    default:
      return undefined;
  }
}

export interface Style {
  accent(text: string): string;
  strong(text: string): string;
  dim(text: string): string;
  warn(text: string): string;
}

export function styleFor(colour: boolean): Style {
  const wrap = (code: number) => (text: string) => (colour ? `\u001b[${code}m${text}\u001b[0m` : text);
  return { accent: wrap(36), strong: wrap(1), dim: wrap(2), warn: wrap(33) };
}

function paragraph(text: string, style: Style): string | undefined {
  return text === '' ? undefined : `\n${style.dim('model (scripted):')} ${visible(text)}\n`;
}

function results(content: readonly { type: string }[], style: Style): string | undefined {
  const shown = content
    .filter((block): block is ToolResultBlock => block.type === 'tool_result')
    .map((block) => indent(textOf(block.content), style));
  return shown.length === 0 ? undefined : shown.join('');
}

function indent(text: string, style: Style): string {
  const lines = visible(text).trimEnd().split('\n');
  const rest = lines.length - linesShown;
  const shown = lines.slice(0, linesShown).map((line) => style.dim(`  │ ${line}`));
  return `${[...shown, ...(rest > 0 ? [style.dim(`  │ … ${rest} more lines`)] : [])].join('\n')}\n`;
}
