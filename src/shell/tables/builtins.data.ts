import type { ToolTable } from '../programs/tool-spec.ts';
import { aDate } from './value-forms.ts';

/** Builtins, and tools that read the machine rather than files. */
export const builtins: ToolTable = {
  echo: { why: 'Prints its words.', flags: '-n -e -E', operands: 'text', inert: true },
  true: { why: 'Does nothing.', flags: '', operands: 'text', inert: true },
  false: { why: 'Does nothing.', flags: '', operands: 'text', inert: true },
  ':': { why: 'Does nothing.', flags: '', operands: 'text', inert: true },
  pwd: { why: 'Prints the directory.', flags: '-L -P', operands: 'none' },
  cd: {
    why: 'Moves the shell; the target is judged as a read.',
    flags: '-L -P',
    operands: 'names',
    most: 1,
  },
  break: { why: 'Ends a loop.', flags: '', operands: 'text', most: 1 },
  continue: { why: 'Continues a loop.', flags: '', operands: 'text', most: 1 },
  exit: { why: 'Ends the script.', flags: '', operands: 'text', most: 1 },
  return: { why: 'Ends a function.', flags: '', operands: 'text', most: 1 },
  shift: { why: 'Drops arguments.', flags: '', operands: 'none' },
  wait: { why: 'Waits for what the script itself started.', flags: '', operands: 'none' },
  sleep: { why: 'Waits.', flags: '', operands: 'text', inert: true },
  seq: {
    why: 'Prints numbers.',
    flags: '-f: -s: -w --separator: --equal-width --format:',
    operands: 'text',
    inert: true,
  },
  date: {
    why: 'Prints the time. -s sets it; an operand without + does too. In a date TZ="…" names a file that it reads.',
    flags: '-u -R -I? -d: -r< --utc --universal --rfc-email --rfc-3339: --iso-8601? --date: --reference<',
    values: { '-d': aDate, '--date': aDate },
    operands: 'text',
    check: (words) =>
      words.every((word) => word?.startsWith('+')) ? undefined : 'date with such an operand sets the clock',
  },
  cal: { why: 'Prints a calendar.', flags: '-1 -3 -y', operands: 'text' },
  whoami: { why: 'Prints a name.', flags: '', operands: 'none' },
  id: { why: 'Prints names and numbers.', flags: '-g -G -n -r -u -z', operands: 'text', most: 1 },
  groups: { why: 'Prints names.', flags: '', operands: 'text', most: 1 },
  uname: {
    why: 'Prints the name and version of the system.',
    flags: '-a -s -n -r -v -m -p -i -o --all --kernel-name --machine',
    operands: 'none',
  },
  arch: { why: 'Prints the machine type.', flags: '', operands: 'none' },
  nproc: { why: 'Prints a number.', flags: '--all --ignore#', operands: 'none' },
  hostname: {
    why: 'Prints a name; an operand would set it. -f and -i ask a name server.',
    flags: '-s -I --short',
    operands: 'none',
  },
  uptime: { why: 'Prints a time.', flags: '-p -s --pretty --since', operands: 'none' },
  ss: {
    why: 'Lists sockets. -K ends them, -D writes a file, -F reads one, -N enters a namespace, -E runs on; -r and operands ask a name server.',
    flags:
      '-n -a -l -o -e -m -p -i -s -4 -6 -t -u -w -x -H -O --numeric --all --listening --options --extended --memory ' +
      '--processes --info --summary --ipv4 --ipv6 --tcp --udp --raw --unix --no-header --oneline',
    operands: 'none',
  },
  free: {
    why: 'Prints memory.',
    flags: '-b -k -m -g -h -t -w --human --mega --giga --total',
    operands: 'none',
  },
  pgrep: {
    why: 'Lists processes.',
    flags: '-f -l -a -x -n -o -c -u: -d: --full --list-name --list-full',
    operands: 'text',
    most: 1,
  },
  lscpu: { why: 'Describes the processor.', flags: '-e? -p? -J', operands: 'none' },
  lsblk: { why: 'Lists disks.', flags: '-a -f -l -o: -J', operands: 'none' },
  getconf: {
    why: 'Prints a limit; the word behind its name is a path.',
    flags: '-a',
    operands: 'pattern',
    lists: true,
  },
  locale: { why: 'Prints locale settings. -m runs gzip.', flags: '-a', operands: 'text' },
  tty: { why: 'Prints the name of the terminal.', flags: '-s', operands: 'none' },
  which: { why: 'Looks up a program.', flags: '-a -s --all', operands: 'text' },
  kill: {
    why: 'Only the names of signals.',
    flags: '-l -L',
    requires: '-l -L',
    operands: 'text',
    named: /^\w+$/,
  },
  jobs: {
    why: 'Lists what the shell started. -x runs a command.',
    flags: '-l -n -p -r -s',
    operands: 'none',
  },
  times: { why: 'Prints how long the shell ran.', flags: '', operands: 'none' },
  type: { why: 'Looks up a name.', flags: '-a -f -p -P -t', operands: 'text', inert: true },
  expr: { why: 'Computes; it evaluates nothing.', flags: '', operands: 'text', inert: true },
  read: {
    why: 'Reads a line into a variable, which is judged as an assignment.',
    flags: '-r -s -d: -n# -t# -N#',
    operands: 'text',
  },
  set: {
    why: 'Only the options that make a script stop at errors or print what it runs.',
    flags: '-e -u -x -o:',
    requires: '-e -u -x -o',
    values: { '-o': /^(?:pipefail|errexit|nounset)$/ },
    operands: 'none',
  },
};
