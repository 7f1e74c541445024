import { listCommands } from '../../src/commands/table/commands.ts';
import { type Flag, type FlagTable, listNames } from '../../src/commands/table/flag.ts';
import { mainFlags } from '../../src/commands/table/main-flags.ts';
import { renderTable } from './markdown.ts';

/** The flags of `cadre` itself, group by group, for docs/cli.md. */
export function renderMainFlags(): string {
  const groups = Object.values(mainFlags).map(
    ({ heading, flags }) => `### ${heading.replace(':', '')}\n\n${renderFlags(flags)}`,
  );
  return groups.join('\n\n');
}

/** Every command with its arguments and flags. */
export function renderCommands(): string {
  const rows = listCommands().map(({ path, entry }) => {
    const synopsis = ['cadre', path, entry.takes ?? ''].filter(Boolean).join(' ');
    const flags = Object.entries(entry.flags).map(
      ([key, flag]) =>
        `${writeNames(key, flag)}: ${escapeMarks(flag.about)}${describeChoices(flag)}${describeUsual(flag)}`,
    );
    const alias = entry.alias === undefined ? '' : `; also \`${entry.alias}\``;
    const usual = entry.isDefault ? '; the default' : '';
    return [`\`${synopsis}\``, `${escapeMarks(entry.about)}${alias}${usual}`, flags.join('<br>')];
  });
  return renderTable(['command', 'what it does', 'flags'], rows);
}

function renderFlags(flags: FlagTable): string {
  const rows = Object.entries(flags).map(([key, flag]) => [
    writeNames(key, flag),
    `${escapeMarks(flag.about)}${describeChoices(flag)}${describeUsual(flag)}`,
  ]);
  return renderTable(['flag', 'meaning'], rows);
}

function writeNames(key: string, flag: Flag): string {
  const names = listNames(key, flag);
  const last = [names.at(-1), flag.placeholder].filter(Boolean).join(' ');
  return [...names.slice(0, -1), last].map((name) => `\`${name}\``).join(', ');
}

function describeChoices({ choices }: Flag): string {
  return choices ? `: ${choices.map((word) => `\`${word}\``).join(', ')}` : '';
}

function describeUsual({ usual, isNegated }: Flag): string {
  return usual === undefined || isNegated ? '' : ` (default: \`${usual}\`)`;
}

/** Angle brackets and stars would be read as HTML and emphasis. */
function escapeMarks(text: string): string {
  return text.replace(/[<*]/g, (mark) => `\\${mark}`);
}
