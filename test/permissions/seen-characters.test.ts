import { describe, expect, test } from 'bun:test';
import { spawnSync } from 'node:child_process';
import { parseShell } from '../../src/shell/grammar/parse.ts';
import { judge, shell } from './cases.ts';

const isRead = (command: string) => !parseShell(command, { cwd: '/repo', home: '/home/u' }).isUnread;
const dressed = '\u26a0\ufe0f';
const family = '\u{1f468}\u{1f3fd}\u200d\u{1f469}\u200d\u{1f467}';
const persian = '\u0645\u06cc\u200c\u062e\u0648\u0627\u0647\u0645';
const indic = '\u0915\u094d\u200d\u0937';

const everyday = [
  `cat > NOTES.md <<'EOF'\n${dressed} careful\nEOF`,
  `cat > NOTES.md <<"EOF"\n${dressed} ${family} ${persian} ${indic}\nEOF`,
  `git commit -m '\u267b\ufe0f refactor'`,
  `git commit -m "\u267b\ufe0f refactor $(date +%s) ${family}"`,
  `echo '1\ufe0f\u20e3 first'`,
  `echo "${persian}"`,
  `echo '${indic}'`,
  `x=$(cat <<'EOF'\n${dressed}\nEOF\n); echo "$x"`,
  `cat > run.bat <<'EOF'\n@echo off\r\necho hi\r\nEOF`,
];

const hidden = [
  `echo ${dressed}`,
  `cat > ${dressed}.md <<'EOF'\nx\nEOF`,
  `rm '\ufe0f'`,
  `rm 'a\ufe0f'`,
  `rm 'a\u200db'`,
  `rm '\u{1f468}\u200d'`,
  `rm '\u200d\u{1f468}'`,
  `echo '\u26a0\ufe0f\ufe0f'`,
  `echo '\u200c'`,
  `echo 'a\u200cb'`,
  `echo '\u0645\u200c'`,
  `echo '\u202e'`,
  `echo '\u200b'`,
  `echo '${dressed}' \u200b`,
  `cat <<EOF\n${dressed}\nEOF`,
  `cat <<'EOF'\n${dressed}`,
  `echo $'${dressed}'`,
  `echo \`echo '${dressed}'\``,
  `bash -c 'echo ${dressed}'`,
  `echo 'a\r\nb'`,
  `cat <<EOF\na\r\nEOF`,
  `cat <<'EOF'\r\na\r\nEOF\r\n`,
  `cat <<'EOF'\na\rb\nEOF`,
  'ls\r\n',
];

describe('characters without width', () => {
  test('are read where they belong to an emoji or a word in quotes', () => {
    for (const line of everyday) expect([line, isRead(line)]).toEqual([line, true]);
    const note = `cat > NOTES.md <<'EOF'\n${dressed} careful\nEOF`;
    expect(judge({ accesses: [shell(note)], mode: 'acceptEdits' }).behaviour).toBe('allow');
    expect(judge({ accesses: [shell(everyday[2] ?? '')], allow: ['Bash(git commit:*)'] }).behaviour).toBe(
      'allow',
    );
  });

  test('are not read anywhere else, nor where they could be anything else', () => {
    for (const line of hidden) expect([line, isRead(line)]).toEqual([line, false]);
    for (const line of [`bash <<'EOF'\necho hi\r\nEOF`, `sh -s <<'EOF'\necho ${dressed}\nEOF`])
      expect([line, judge({ accesses: [shell(line)] }).behaviour]).toEqual([line, 'ask']);
  });

  test('a real shell takes them for text and ends the document where we do', () => {
    const line = `cat <<'EOF'\n${dressed} a\r\nEOF\r\nEOF\necho after`;
    for (const program of ['bash', 'dash'])
      expect(spawnSync(program, ['-c', line], { encoding: 'utf8' }).stdout).toBe(
        `${dressed} a\r\nEOF\r\nafter\n`,
      );
    const names = parseShell(line, { cwd: '/repo', home: '/home/u' }).commands.map(
      ({ words }) => words[0]?.text,
    );
    expect(names).toEqual(['cat', 'echo']);
  });
});
