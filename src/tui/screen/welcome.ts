import { version } from '../../lib/version.ts';
import type { Drawing } from '../drawing.ts';
import { showLine } from '../text/controls.ts';
import { width } from '../text/width.ts';
import { truncate, wrap } from '../text/wrap.ts';
import { spoken, styled } from './layout.ts';
import { modeLabel, modeStyle, shortPath } from './status-line.ts';

/** What a user wants to know before the first prompt. */
export interface WelcomeFacts {
  readonly cwd: string;
  readonly branch: string | null;
  /** Empty until the session is open. */
  readonly model: string;
  readonly mode: string;
  /** Whether the directory has a file that every agent reads. */
  readonly hasMemory: boolean;
  readonly isRepository: boolean;
  /** One line is enough: the conversation continues, or the pane is a teammate's. */
  readonly isShort: boolean;
}

const minColumns = 60;
const minRows = 24;
const maxColumns = 80;

/** The panel above the first prompt; one line where there is no room for more. */
export function welcomeLines(facts: WelcomeFacts, rows: number, drawing: Drawing): string[] {
  if (facts.isShort || drawing.plain || drawing.width < minColumns || rows < minRows) {
    const words = spoken(drawing, `Cadre ${version} · /help shows keys and commands`);
    return wrap(words, drawing.width).map((line) => styled(drawing, 'dim', line));
  }
  const cells = Math.min(maxColumns, drawing.width);
  const inner = cells - 4;
  const branch = facts.branch === null ? '' : ` (${showLine(facts.branch, 40)})`;
  const body = [
    labelled('model', facts.model === '' ? '…' : showLine(facts.model, 60), drawing),
    labelled('directory', shortPath(facts.cwd, drawing.home) + branch, drawing),
    labelled('mode', styled(drawing, modeStyle(facts.mode) ?? 'text', modeLabel(facts.mode)), drawing),
    '',
    ...chooseTips(facts).map((tip) => styled(drawing, 'dim', tip)),
  ];
  const border = (text: string) => styled(drawing, 'border', text);
  const title = ` Cadre ${version} `;
  const head = `${border('╭─')}${styled(drawing, 'heading', title)}${border(`${'─'.repeat(Math.max(0, cells - 3 - width(title)))}╮`)}`;
  const lines = body.map((line) => {
    const text = truncate(line, inner);
    return `${border('│ ')}${text}${' '.repeat(Math.max(0, inner - width(text)))}${border(' │')}`;
  });
  return [head, ...lines, border(`╰${'─'.repeat(cells - 2)}╯`)];
}

function labelled(label: string, text: string, drawing: Drawing): string {
  return `${styled(drawing, 'dim', label.padEnd(9))}  ${text}`;
}

const maxTips = 3;

/** Those that fit this directory come before those that fit everywhere. */
function chooseTips({ hasMemory, isRepository }: WelcomeFacts): string[] {
  const here = [
    ...(isRepository ? [] : ['This is not a git repository: agents share the directory, without worktrees.']),
    ...(hasMemory ? [] : ['No AGENTS.md here yet: /init writes one, and every agent reads it.']),
  ];
  const everywhere = [
    'shift-tab switches the mode: accept edits, or plan first.',
    '@ names a file or an agent, ! runs a command.',
  ];
  return [
    ...[...here, ...everywhere].slice(0, maxTips - 1),
    '/help shows keys and commands, ctrl-t agents and tasks.',
  ];
}
