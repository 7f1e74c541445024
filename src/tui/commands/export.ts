import { writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describeFileError } from '../../lib/files/files.ts';
import type { Desk } from '../desk.ts';
import { readConversation } from '../panels/press-transcript.ts';
import type { SlashCommand } from './command.ts';
import { describeCopied } from './copy.ts';
import { renderJson, renderMarkdown } from './export-text.ts';

type Format = 'md' | 'json';

export const exportCommand: SlashCommand = {
  name: 'export',
  argument: '[file]',
  description: 'write the conversation to a file (.md or .json) or the clipboard',
  run(args, desk) {
    if (args !== '') return exportTo(desk, args);
    const name = `cadre-${desk.session.id.slice(0, 8)}`;
    const rows = [
      { value: `${name}.md`, label: 'Markdown file', note: `${name}.md` },
      { value: `${name}.json`, label: 'JSON file', note: `${name}.json` },
      { value: '', label: 'Clipboard', note: 'as Markdown' },
    ];
    desk.open({
      kind: 'pick',
      title: 'Export the conversation\n/export FILE writes another file; its name ends in .md or .json.',
      rows,
      selected: 0,
      pick: ({ value }) => void (value === '' ? exportToClipboard(desk) : exportTo(desk, value)),
    });
  },
};

function exportTo(desk: Desk, name: string): void {
  const format = /\.(md|json)$/i.exec(name)?.[1]?.toLowerCase() as Format | undefined;
  if (format === undefined)
    return void desk.warn(`/export ${name}: the name of the file must end in .md or .json.`);
  const { home } = desk.app.look;
  const path = resolve(desk.session.info().cwd, name.startsWith('~/') ? join(home, name.slice(2)) : name);
  try {
    // A file that exists is never replaced.
    writeFileSync(path, render(desk, format), { mode: 0o600, flag: 'wx' });
    desk.tell(`Exported the conversation to ${path}`);
  } catch (error) {
    const { message, hint = '' } = describeFileError(error, path, 'create');
    desk.warn(`Not exported: ${message} ${hint}`.trim());
  }
}

async function exportToClipboard(desk: Desk): Promise<void> {
  const text = render(desk, 'md');
  desk.hint(describeCopied('the conversation', text, await desk.world.copy(text)));
}

function render(desk: Desk, format: Format): string {
  const { id, cwd, model } = desk.session.info();
  const { title } = desk.app.state.view.session;
  const about = { id, cwd, model, ...(title === null ? {} : { title }) };
  const conversation = readConversation(desk, null);
  return format === 'md' ? renderMarkdown(about, conversation) : renderJson(about, conversation);
}
