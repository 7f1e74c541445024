import { countThings } from '../../lib/text/count-things.ts';
import { visible } from '../../lib/text/text.ts';
import {
  type AgentEvent,
  type BoardItem,
  type MailMessage,
  type TaskEnd,
  type TaskView,
  type ToolResultBlock,
  textOf,
} from '../../protocol/index.ts';

const linesShown = 8;

type QuestionEvent = Extract<AgentEvent, { type: 'question_asked' | 'question_answered' }>;

/** Tells the story of a run, one event at a time; each call with its result, even if several ran side by side. */
export class Narrator {
  readonly #style: NarratorStyle;
  readonly #shorten: (text: string) => string;
  readonly #calls = new Map<string, string>();
  /** Running agents, by id. */
  readonly #agents = new Map<string, string>();
  /** Board items as they were told. */
  readonly #items = new Map<string, string>();
  /** The questions asked. */
  readonly #questions = new Map<string, string>();

  /** `shorten` removes well-known parts from a line, such as the repository's path. */
  constructor(style: NarratorStyle, shorten: (text: string) => string = (text) => text) {
    this.#style = style;
    this.#shorten = (text) => shorten(visible(text));
  }

  /** Undefined if there is nothing to tell. */
  tell(event: AgentEvent): string | undefined {
    const { accent, strong, dim, warn } = this.#style;
    if (event.agentId !== null) return this.#tellOfAgent(event.agentId, event);
    switch (event.type) {
      case 'task_changed':
        return this.#tellOfTask(event.task, event.end);
      case 'tool_started':
        // An agent tells its own story.
        if (event.toolName === 'Agent') return undefined;
        this.#calls.set(
          event.toolUseId,
          `${accent('●')} ${strong(event.toolName)} ${this.#shorten(event.summary)}\n`,
        );
        return undefined;
      case 'permission_denied': {
        const why = dim(`denied: ${visible(event.decision.reason)}`);
        return `${warn('✗')} ${strong(event.toolName)} ${readCommand(event.input)} ${why}\n`;
      }
      case 'question_asked':
      case 'question_answered':
        return this.#tellOfQuestion(event);
      case 'mail_moved':
        return event.state === 'written' ? this.#tellOfMail(event.mail) : undefined;
      case 'board_changed':
        return this.#tellOfItem(event.item);
      case 'message_added':
        return event.record.type === 'assistant'
          ? this.#paragraph(textOf(event.record.message.content))
          : this.#results(event.record.message.content);
      default:
        return undefined;
    }
  }

  #tellOfQuestion(event: QuestionEvent): string | undefined {
    const { strong, dim, warn } = this.#style;
    if (event.type === 'question_asked') {
      const { toolName, summary, decision, asker } = event.question;
      this.#questions.set(event.question.id, toolName);
      const who = asker.member === undefined ? '' : `${strong(visible(asker.member))} asks: `;
      return `${warn('?')} ${who}${strong(toolName)} ${this.#shorten(summary)} ${dim(visible(decision.reason))}\n`;
    }
    if (!this.#questions.has(event.questionId)) return undefined;
    return `  ${strong(event.behaviour === 'allow' ? 'yes' : 'no')} ${dim('says the user (scripted)')}\n`;
  }

  /** Control mail has no words of its own; an idle notice says what the report before it has said. */
  #tellOfMail({ from, to, kind, text }: MailMessage): string | undefined {
    const { strong, dim } = this.#style;
    if (kind === 'idle') return undefined;
    const word = kind === 'text' ? '' : dim(` ${kind.replaceAll('_', ' ')}`);
    const said = text.trim() === '' ? '' : this.#indent(text);
    return `✉ ${strong(visible(from))} → ${strong(visible(to))}${word}\n${said}`;
  }

  /** Links and texts are in the calls that set them. */
  #tellOfItem({ id, subject, status, owner }: BoardItem): string | undefined {
    const { strong, dim } = this.#style;
    const by = owner === null ? '' : `, ${visible(owner)}`;
    const line = `▢ ${strong(visible(subject))} ${dim(`${status.replace('_', ' ')}${by} (${id})`)}\n`;
    if (this.#items.get(id) === line) return undefined;
    this.#items.set(id, line);
    return line;
  }

  #tellOfTask(
    { id, kind, status, agent, description }: TaskView,
    end: TaskEnd | undefined,
  ): string | undefined {
    const { accent, strong, dim } = this.#style;
    if (!agent) return undefined;
    const name = `${strong(agent.type)} ${visible(description)}`;
    // A teammate runs again for every mail: that it woke is seen by what it does.
    const isAwake = kind === 'in_process_teammate' && this.#agents.has(id);
    this.#agents.set(id, visible(description));
    if (isAwake && status === 'running') return undefined;
    if (status === 'running') return `${accent('◆')} ${name} ${dim('begins')}\n`;
    if (!end) return undefined;
    const uses = end.usage?.toolUses ?? 0;
    const used = `${countThings(uses, 'tool use')}, ${agent.progress.spentTokens} tokens`;
    const said = end.text === '' ? '' : this.#indent(end.text);
    return `${accent('◆')} ${name} ${dim(`${end.outcome ?? end.status} (${used}):`)}\n${said}`;
  }

  /** One line for each call of an agent: the results are in its report. */
  #tellOfAgent(agentId: string, event: AgentEvent): string | undefined {
    const { dim, warn } = this.#style;
    const who = dim(`  │ ${this.#agents.get(agentId) ?? agentId}:`);
    if (event.type === 'tool_started')
      return `${who} ${event.toolName} ${dim(this.#shorten(event.summary))}\n`;
    if (event.type === 'question_asked' || event.type === 'question_answered')
      return this.#tellOfQuestion(event);
    if (event.type === 'permission_denied')
      return `${who} ${warn('✗')} ${event.toolName} ${dim(`denied: ${visible(event.decision.reason)}`)}\n`;
    return undefined;
  }

  #paragraph(text: string): string | undefined {
    return text === '' ? undefined : `\n${this.#style.dim('model (scripted):')} ${visible(text)}\n`;
  }

  #results(content: readonly { type: string }[]): string | undefined {
    const shown = content
      .filter((block): block is ToolResultBlock => block.type === 'tool_result')
      .filter((block) => this.#calls.has(block.tool_use_id))
      .map((block) => (this.#calls.get(block.tool_use_id) ?? '') + this.#indent(textOf(block.content)));
    return shown.length === 0 ? undefined : shown.join('');
  }

  #indent(text: string): string {
    const lines = visible(text).trimEnd().split('\n');
    const rest = lines.length - linesShown;
    const shown = lines.slice(0, linesShown).map((line) => this.#style.dim(`  │ ${line}`));
    return `${[...shown, ...(rest > 0 ? [this.#style.dim(`  │ … ${rest} more lines`)] : [])].join('\n')}\n`;
  }
}

export interface NarratorStyle {
  accent(text: string): string;
  strong(text: string): string;
  dim(text: string): string;
  warn(text: string): string;
}

export function createStyle(colour: boolean): NarratorStyle {
  const wrap = (code: number) => (text: string) => (colour ? `\u001b[${code}m${text}\u001b[0m` : text);
  return { accent: wrap(36), strong: wrap(1), dim: wrap(2), warn: wrap(33) };
}

function readCommand(input: unknown): string {
  const { command } = (input ?? {}) as { command?: unknown };
  return typeof command === 'string' ? visible(command) : '';
}
