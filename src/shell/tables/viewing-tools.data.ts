import type { ToolTable } from '../programs/tool-spec.ts';
import { encodings } from './value-forms.ts';

/** Less and more read a word with a plus as one of their commands. */
const noCommand = /^[^+*?[]/;

const isShown =
  /^(?:a|addr|address|r|route|l|link|n|neigh|rule)(?: (?:show|list|ls)(?: (?:dev )?[A-Za-z0-9][\w.-]*)?)?$/;

/** Tools that show files page by page, shuffle lines, or read the machine. Each entry has a test. */
export const viewingTools: ToolTable = {
  less: {
    why:
      'Prints files when there is no terminal. -o and -O write, -k, -t and -T read other files, + runs its own commands. ' +
      'LESSOPEN, which names a program, is taken from its environment.',
    flags:
      '-e -E -F -i -I -m -M -n -N -q -Q -r -R -s -S -u -X --no-init --quit-if-one-screen --RAW-CONTROL-CHARS',
    operands: 'paths',
    named: noCommand,
  },
  more: {
    why: 'Prints files when there is no terminal. + and -p search for text first.',
    flags: '-d -f -l -s -u -n#',
    operands: 'paths',
    named: noCommand,
  },
  pr: {
    why: 'Lays out pages. No option writes or runs anything.',
    flags:
      '-a -d -f -F -h: -l# -m -n? -o# -s? -t -T -w# -W# --omit-header --merge --double-space --length# --width#',
    operands: 'paths',
    inert: true,
    numbers: true,
  },
  shuf: {
    why: 'Mixes lines. -o writes, --random-source reads another file.',
    flags: '-n# -r -z -i: --head-count# --repeat --zero-terminated --input-range:',
    operands: 'paths',
  },
  diff3: {
    why: 'Compares three files by diff. --diff-program names another program.',
    flags: '-A -e -E -m -x -X -3 -i -a -T --show-all --merge --text',
    operands: 'paths',
  },
  iconv: {
    why: 'Prints files in another encoding. -o writes; a name of an encoding with a slash is a file that it reads.',
    flags: '-f: -t: -c -l -s --from-code: --to-code: --list --silent',
    values: encodings,
    operands: 'paths',
  },
  tput: {
    why: 'Prints what the terminal can do. Others than these set it up, and may run a program.',
    flags: '',
    operands: 'text',
    check: (words) =>
      words.length > 0 &&
      words.every((word) =>
        /^(?:cols|lines|colors|bold|sgr0|smul|rmul|setaf|setab|el|cr|\d+)$/.test(word ?? ''),
      )
        ? undefined
        : 'it may set up the terminal',
  },
  stty: {
    why: 'Prints how the terminal is set; other words set it.',
    flags: '-a --all',
    operands: 'text',
    check: (words) =>
      words.every((word) => word === 'size' || word === 'speed') ? undefined : 'it sets the terminal',
  },
  ulimit: {
    why: 'Prints limits; a number would set one.',
    flags: '-a -c -d -f -H -m -n -s -S -t -u -v',
    operands: 'none',
  },
  umask: { why: 'Prints the mask; an operand would set it.', flags: '-S -p', operands: 'none' },
  who: {
    why: 'Prints who is here. --lookup asks a name server, an operand is a file.',
    flags: '-a -b -d -H -l -m -p -q -r -s -t -T -u -w --all --boot --count --heading --users',
    operands: 'none',
  },
  w: {
    why: 'Lists the logged-in users and what they run.',
    flags: '-h -s -f -o --no-header --short',
    operands: 'none',
  },
  pstree: {
    why: 'Prints processes.',
    flags: '-a -A -c -g -h -l -n -p -s -t -T -u -U',
    operands: 'text',
    most: 1,
  },
  vmstat: { why: 'Prints memory.', flags: '-a -d -f -m -s -w', operands: 'none' },
  mount: { why: 'Prints what is mounted; operands and other options mount.', flags: '-l', operands: 'none' },
  findmnt: {
    why: 'Prints what is mounted. -F reads another file, --poll never ends.',
    flags: '-a -A -b -D -J -l -n -o: -r -t: --json --list --noheadings --output:',
    operands: 'none',
  },
  ip: {
    why: 'Prints addresses, routes and devices. Every other word than show sets them; -b reads commands, -n enters a namespace.',
    flags: '-4 -6 -br -brief -o -oneline -j -json -s -d',
    letters: 'separate',
    operands: 'text',
    check: (words) => (isShown.test(words.join(' ')) ? undefined : 'it may change the network'),
  },
  netstat: {
    why: 'Lists sockets by their numbers: without -n it asks a name server.',
    flags: '-a -e -i -l -n -o -p -r -s -t -u -w -x -4 -6 --all --listening --numeric --programs --tcp --udp',
    requires: '-n --numeric',
    operands: 'none',
  },
  dpkg: {
    why: 'Lists packages of the system. Every other command changes or unpacks some.',
    flags: '-l -L -s -S --list --listfiles --status --search',
    letters: 'separate',
    requires: '-l -L -s -S --list --listfiles --status --search',
    operands: 'text',
  },
};
