import { describe, expect, test } from 'bun:test';
import { spawnSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { fillCommand, fillText, splitArguments } from '../../src/knowledge/arguments.ts';
import { temporaryDirectory } from '../support/index.ts';

describe('words', () => {
  const cases: [string, string[]][] = [
    ['a b  c', ['a', 'b', 'c']],
    ['"a b" \'c d\' e', ['a b', 'c d', 'e']],
    ['"a \\"b\\"" c', ['a "b"', 'c']],
    ['"open end', ['"open', 'end']],
    ["don't", ["don't"]],
    ['', []],
  ];
  for (const [text, words] of cases)
    test(JSON.stringify(text), () => expect(splitArguments(text).words).toEqual(words));
});

describe('in a text', () => {
  const cases: [string, string[], string, string, boolean][] = [
    ['Fix $ARGUMENTS now', [], 'a b', 'Fix a b now', true],
    ['$0 then $1', [], 'a b', 'a then b', true],
    ['$ARGUMENTS[1] and $ARGUMENTS[7].', [], 'a b', 'b and .', true],
    ['on $branch for $issue', ['issue', 'branch'], '7 main', 'on main for 7', true],
    ['costs $5, $1.50 or $HOME', [], 'x', 'costs $5, $1.50 or $HOME', false],
    ['\\$ARGUMENTS \\$0', [], 'x', '$ARGUMENTS $0', false],
    ['[$0]', [], '$1 $0', '[$1]', true],
    ['[$ARGUMENTS]', [], '$ARGUMENTS', '[$ARGUMENTS]', true],
  ];
  for (const [text, names, given, filled, took] of cases)
    test(`${text} with ${given}`, () =>
      expect(fillText(text, names, splitArguments(given))).toEqual({ text: filled, took }));
});

describe('in a command', () => {
  test('a plain argument is part of the text that is judged', () => {
    expect(fillCommand('gh issue view $0', [], splitArguments('42'))).toEqual({
      command: 'gh issue view 42',
      took: true,
      variables: {},
    });
  });

  const hostile = [
    'x; touch pwned',
    '$(touch pwned)',
    '`touch pwned`',
    'a\nb',
    '"; touch pwned; "',
    "'; touch pwned; '",
    "it's",
    '| sh',
    '~root',
    '*',
    '\\',
    '\\n\\',
    'a[$(touch pwned)]',
    `\${HOME}`,
    '  two  blanks;  ',
  ];

  const around: [string, string][] = [
    ['nothing', 'printf %s $ARGUMENTS'],
    ['a word', 'printf %s --x=$ARGUMENTS'],
    ['double quotes', 'printf %s "<$ARGUMENTS>"'],
    ['single quotes', "printf %s '<$ARGUMENTS>'"],
    ['single quotes behind double ones', `printf %s "a'b"'$ARGUMENTS'`],
    ['double quotes around single ones', `printf %s "'$ARGUMENTS'"`],
    ['quotes with escapes', "printf %s $'\\t$ARGUMENTS\\t'"],
    ['a command in double quotes', `printf %s "$(printf %s "$ARGUMENTS")"`],
    ['single quotes of a command in double quotes', `printf %s "$(printf %s 'x $ARGUMENTS')"`],
    ['backticks', 'printf %s "`printf %s \'$ARGUMENTS\'`"'],
    ['a subshell', "(printf %s '$ARGUMENTS')"],
    ['quotes behind a comment', "# it's\nprintf %s '$ARGUMENTS'"],
    ['an escaped quote before it', "printf %s \\''$ARGUMENTS'"],
    ['a here-document', 'cat <<END\n<$ARGUMENTS>\nEND'],
    ['what follows a here-document', "cat <<END\nit's\nEND\nprintf %s '$ARGUMENTS'"],
    ['a here-string', 'cat <<< $ARGUMENTS'],
    ['a test of texts', '[[ $ARGUMENTS == a ]] || printf %s $ARGUMENTS'],
  ];

  for (const [name, command] of around)
    test(`${name}: every argument arrives as one piece and as it is, and none is run`, () => {
      const { path: cwd } = temporaryDirectory();
      for (const argument of hostile) {
        const given = splitArguments(argument);
        const filled = fillCommand(command, [], given);
        expect(filled.problem).toBeUndefined();
        const run = (text: string, env: Record<string, string>) =>
          spawnSync('bash', ['-c', text], { cwd, env: { PATH: process.env.PATH ?? '', ...env } });
        const { stdout, stderr } = run(filled.command, filled.variables);
        const whole = fillCommand(command, [], splitArguments('MARK'));
        expect(stderr.toString()).toBe('');
        expect(stdout.toString()).toBe(
          run(whole.command, {})
            .stdout.toString()
            .replace('MARK', () => given.text),
        );
      }
      expect(readdirSync(cwd)).toEqual([]);
    });

  for (const command of [
    'echo $(( $ARGUMENTS + 1 ))',
    '(( $ARGUMENTS > 1 )) && echo',
    'echo "$[ $ARGUMENTS ]"',
    `echo \${list[$ARGUMENTS]}`,
    `echo "\${text:$ARGUMENTS}"`,
    'list[$ARGUMENTS]=1',
    '[[ $ARGUMENTS -gt 3 ]]',
    "cat <<'END'\n$ARGUMENTS\nEND",
    'cat <<END\n$(echo $ARGUMENTS)\nEND',
  ])
    test(`${JSON.stringify(command)} is not run with an argument that is not plain`, () => {
      expect(fillCommand(command, [], splitArguments('a[$(id)]')).problem).toContain(
        '$ARGUMENTS is used where',
      );
      expect(fillCommand(command, [], splitArguments('7')).problem).toBeUndefined();
    });

  test("awk's own fields stay where there are no such arguments", () => {
    expect(fillCommand("awk '{print $2}'", [], splitArguments('x')).command).toBe("awk '{print $2}'");
  });

  test("a $0 without an argument is empty, never the shell's own name, and stays where no shell reads it", () => {
    const none = (command: string) => fillCommand(command, [], splitArguments('')).command;
    const printed = (command: string) => spawnSync('bash', ['-c', none(command)]).stdout.toString();
    expect(printed('echo [$0] "[$0]"; cat <<END\n[$0]\nEND\n')).toBe('[] []\n[]\n');
    expect(printed("echo a b | awk '{print $0}'")).toBe('a b\n');
    expect(none("cat <<'END'\n$0\nEND\n")).toContain('$0');
    expect(printed('f() { echo "$1"; }; f x')).toBe('x\n');
  });
});

describe('places in the text', () => {
  const places = { CLAUDE_PLUGIN_ROOT: '/p', CLAUDE_PROJECT_DIR: '/my work' };

  test('are filled in, once: what an argument brings stays as it is', () => {
    const given = splitArguments(`\${CLAUDE_PLUGIN_ROOT}`);
    const filled = fillText(`\${CLAUDE_PLUGIN_ROOT}/a $0 \${HOME}`, [], given, places);
    expect(filled).toEqual({ text: `/p/a \${CLAUDE_PLUGIN_ROOT} \${HOME}`, took: true });
    expect(fillText(`\${CLAUDE_PROJECT_DIR}`, [], splitArguments('x'), places).took).toBe(false);
  });

  test('are one word of a command, whatever they contain', () => {
    const filled = fillCommand(
      `\${CLAUDE_PLUGIN_ROOT}/a.sh \${CLAUDE_PROJECT_DIR}/b`,
      [],
      splitArguments(''),
      places,
    );
    expect(filled).toEqual({ command: `/p/a.sh '/my work'/b`, took: false, variables: {} });
  });
});
