import { closedCalls, knownCalls, type ModeCall, modeCalls } from './calls.data.ts';

/**
 * The system-call filter of sandboxed commands, as the bytes that `bwrap --seccomp` takes: a classic BPF program. Namespaces
 * keep files and networks away; this closes what those leave open. A Unix socket in the file system can be connected to
 * although its directory is read-only, and then asked to do what the command may not (docker, ssh-agent, a desktop's bus). A
 * user namespace would give rights over mounts and open most of the kernel to attack. The tables are in `calls.data.ts`: only
 * known calls pass, except the closed ones.
 */
export function seccompFilter(arch: string, unixSockets: boolean): Uint8Array | undefined {
  const machine = arch === 'x64' || arch === 'arm64' ? filterMachines[arch] : undefined;
  return machine && assemble(buildProgram(machine, unixSockets));
}

interface Machine {
  /** The kernel's number for the architecture of a call. */
  readonly audit: number;
  /** Its place in the tables. */
  readonly column: 0 | 1;
  readonly known: readonly (readonly [first: number, last: number])[];
  readonly socket: number;
  readonly socketpair: number;
  readonly clone: number;
  readonly unshare: number;
  readonly ioctl: number;
  readonly ptrace: number;
}

export const filterMachines = {
  x64: {
    ...{ audit: 0xc000003e, column: 0, known: knownCalls.x64 },
    ...{ socket: 41, socketpair: 53, clone: 56, unshare: 272, ioctl: 16, ptrace: 101 },
  },
  arm64: {
    ...{ audit: 0xc00000b7, column: 1, known: knownCalls.arm64 },
    ...{ socket: 198, socketpair: 199, clone: 220, unshare: 97, ioctl: 29, ptrace: 117 },
  },
} as const satisfies Record<string, Machine>;

const families = { unix: 1, inet: 2, inet6: 10, netlink: 16 };
/** Addresses and routes: needed by programs that list their interfaces. */
const routeNetlink = 0;
/** Allowed types of a Unix socket pair. A datagram one can be connected again, to any path. */
const connected = { stream: 1, seqpacket: 5 };
/** Every kind of namespace. The last bit has another meaning for `clone`. */
const nameSpaces = { clone: 0x7e020000, unshare: 0x7e020080 };
/** Setuid and setgid. */
const runsAsAnother = 0o6000;
/** O_CREAT and O_TMPFILE: without them the mode of an open is ignored, and may be anything. */
const makesFile = 0x400040;
/** Its number inside. A process that traces it can make it outlive the command and Cadre. Others may be traced. */
const firstProcess = 1;
/** Inject input into a terminal: TIOCSTI and TIOCLINUX. */
const terminalInput = [0x5412, 0x541c];

const end = {
  allow: 0x7fff0000,
  kill: 0x80000000,
  /** EPERM and ENOSYS: the first reads as a refusal, the second lets a program fall back. */
  refuse: 0x00050000 | 1,
  absent: 0x00050000 | 38,
};

type End = keyof typeof end;

/** An instruction; those that compare continue with the next one unless the comparison holds. */
type Step =
  | { do: 'load'; offset: number }
  | { do: 'mask'; bits: number }
  | { do: 'equal' | 'atLeast' | 'anyBit' | 'noBit'; value: number; end: End }
  /** Skips this many of the next instructions unless equal, or unless smaller. */
  | { do: 'unless'; value: number; skip: number }
  | { do: 'below'; value: number; skip: number }
  | { do: 'return'; end: End };

/** Offsets in the kernel's description of a call. Arguments are 64 bits wide; those used here are ints. */
const number = 0;
const architecture = 4;
const argument = (index: number) => 16 + index * 8;

function buildProgram(machine: Machine, unixSockets: boolean): Step[] {
  return [
    { do: 'load', offset: architecture },
    { do: 'unless', value: machine.audit, skip: 0 },
    { do: 'load', offset: number },
    ...unknownCalls(machine),
    ...closedCalls.flatMap(({ answer, calls }) =>
      Object.values(calls).flatMap((numbers): Step[] => {
        const value = numbers[machine.column];
        return value === null ? [] : [{ do: 'equal', value, end: answer }];
      }),
    ),
    ...limitToCall(machine.clone, [
      { do: 'load', offset: argument(0) },
      { do: 'anyBit', value: nameSpaces.clone, end: 'refuse' },
      { do: 'return', end: 'allow' },
    ]),
    ...limitToCall(machine.unshare, [
      { do: 'load', offset: argument(0) },
      { do: 'anyBit', value: nameSpaces.unshare, end: 'refuse' },
      { do: 'return', end: 'allow' },
    ]),
    ...limitToCall(machine.ioctl, [
      { do: 'load', offset: argument(1) },
      ...terminalInput.map((value): Step => ({ do: 'equal', value, end: 'refuse' })),
      { do: 'return', end: 'allow' },
    ]),
    ...limitToCall(machine.ptrace, [
      { do: 'load', offset: argument(1) },
      { do: 'equal', value: firstProcess, end: 'refuse' },
      { do: 'return', end: 'allow' },
    ]),
    ...Object.values(modeCalls).flatMap((call) => {
      const value = call.numbers[machine.column];
      return value === null ? [] : limitToCall(value, modeSteps(call));
    }),
    ...limitToCall(machine.socket, socketSteps(unixSockets)),
    ...(unixSockets ? [] : limitToCall(machine.socketpair, pairSteps)),
    { do: 'return', end: 'allow' },
  ];
}

/** Between and after the known ranges; this also closes the second call interface of an x64 kernel. */
function unknownCalls({ known }: Machine): Step[] {
  return known.flatMap(([, last], index): Step[] => {
    const next = known[index + 1]?.[0];
    const after: Step = { do: 'atLeast', value: last + 1, end: 'absent' };
    return next === undefined ? [after] : [{ do: 'below', value: next, skip: 1 }, after];
  });
}

function limitToCall(call: number, steps: Step[]): Step[] {
  return [{ do: 'unless', value: call, skip: steps.length }, ...steps];
}

function modeSteps({ mode, flags }: ModeCall): Step[] {
  const whenMade: Step[] =
    flags === undefined
      ? []
      : [
          { do: 'load', offset: argument(flags) },
          { do: 'noBit', value: makesFile, end: 'allow' },
        ];
  return [
    ...whenMade,
    { do: 'load', offset: argument(mode) },
    { do: 'anyBit', value: runsAsAnother, end: 'refuse' },
    { do: 'return', end: 'allow' },
  ];
}

function socketSteps(unixSockets: boolean): Step[] {
  const allowed = [families.inet, families.inet6, ...(unixSockets ? [families.unix] : [])];
  return [
    { do: 'load', offset: argument(0) },
    ...allowed.map((value): Step => ({ do: 'equal', value, end: 'allow' })),
    { do: 'unless', value: families.netlink, skip: 2 },
    { do: 'load', offset: argument(2) },
    { do: 'equal', value: routeNetlink, end: 'allow' },
    { do: 'return', end: 'refuse' },
  ];
}

const pairSteps: Step[] = [
  { do: 'load', offset: argument(1) },
  { do: 'mask', bits: 0xf },
  { do: 'equal', value: connected.stream, end: 'allow' },
  { do: 'equal', value: connected.seqpacket, end: 'allow' },
  { do: 'return', end: 'refuse' },
];

const ends: readonly End[] = ['allow', 'refuse', 'absent', 'kill'];

const comparisons = { equal: 0x15, atLeast: 0x35, anyBit: 0x45 };
/** A jump has eight bits. */
const maxProgramLength = 255;

/** Each instruction is 16 bits of code, two jumps of 8 bits, and a value; the ends come after the program. */
function assemble(steps: readonly Step[]): Uint8Array {
  if (steps.length + ends.length > maxProgramLength) throw new Error('the filter is too long for its jumps');
  const bytes = new DataView(new ArrayBuffer((steps.length + ends.length) * 8));
  const put = (index: number, code: number, yes: number, no: number, value: number) => {
    bytes.setUint16(index * 8, code, true);
    bytes.setUint8(index * 8 + 2, yes);
    bytes.setUint8(index * 8 + 3, no);
    bytes.setUint32(index * 8 + 4, value, true);
  };
  steps.forEach((step, index) => {
    const to = (name: End) => steps.length + ends.indexOf(name) - index - 1;
    if (step.do === 'load') put(index, 0x20, 0, 0, step.offset);
    else if (step.do === 'mask') put(index, 0x54, 0, 0, step.bits);
    else if (step.do === 'return') put(index, 0x06, 0, 0, end[step.end]);
    else if (step.do === 'unless') put(index, 0x15, 0, step.skip === 0 ? to('kill') : step.skip, step.value);
    else if (step.do === 'below') put(index, 0x35, step.skip, 0, step.value);
    else if (step.do === 'noBit') put(index, comparisons.anyBit, 0, to(step.end), step.value);
    else put(index, comparisons[step.do], to(step.end), 0, step.value);
  });
  ends.forEach((name, index) => {
    put(steps.length + index, 0x06, 0, 0, end[name]);
  });
  return new Uint8Array(bytes.buffer);
}
