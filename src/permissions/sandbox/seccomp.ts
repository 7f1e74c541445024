/**
 * The system-call filter of confined commands, as the bytes that `bwrap --seccomp` takes: a classic BPF program. Files
 * and networks are kept away by name spaces; this closes what those leave open. A Unix socket in the file system can be
 * connected to although its directory is read-only, and then asked to do what the command may not (docker, ssh-agent,
 * a desktop's bus). Other address families, kernel keyrings and io_uring, which makes sockets past any filter, know no
 * name spaces either.
 */
export function seccompFilter(arch: string, unixSockets: boolean): Uint8Array | undefined {
  const machine = machines[arch];
  return machine && assemble(programFor(machine, unixSockets));
}

interface Machine {
  /** As the kernel names the architecture of a call. */
  readonly audit: number;
  /** Calls from here on belong to another way of calling the same kernel. */
  readonly foreignFrom?: number;
  readonly socket: number;
  readonly socketpair: number;
  readonly keyrings: readonly number[];
}

const machines: Readonly<Record<string, Machine>> = {
  x64: {
    audit: 0xc000003e,
    foreignFrom: 0x40000000,
    socket: 41,
    socketpair: 53,
    keyrings: [248, 249, 250],
  },
  arm64: { audit: 0xc00000b7, socket: 198, socketpair: 199, keyrings: [217, 218, 219] },
};

/** Setup, enter, register: the same numbers everywhere. */
const uring = [425, 426, 427];

const families = { unix: 1, inet: 2, inet6: 10, netlink: 16 };
/** What a pair of Unix sockets may be. A datagram one can be connected anew, to any path. */
const connected = { stream: 1, seqpacket: 5 };

const end = {
  allow: 0x7fff0000,
  kill: 0x80000000,
  /** EPERM and ENOSYS: the first reads as a refusal, the second lets a program fall back. */
  refuse: 0x00050000 | 1,
  absent: 0x00050000 | 38,
};

type End = keyof typeof end;

/** An instruction; those that compare go on to the next one unless the comparison holds. */
type Step =
  | { do: 'load'; offset: number }
  | { do: 'mask'; bits: number }
  | { do: 'equal' | 'atLeast'; value: number; end: End }
  /** Skips so many of the next instructions unless equal. */
  | { do: 'unless'; value: number; skip: number }
  | { do: 'return'; end: End };

/** Offsets in the kernel's description of a call. Arguments are 64 bits wide; those looked at here are ints. */
const number = 0;
const architecture = 4;
const argument = (index: number) => 16 + index * 8;

function programFor(machine: Machine, unixSockets: boolean): Step[] {
  const allowed = [
    families.inet,
    families.inet6,
    families.netlink,
    ...(unixSockets ? [families.unix] : []),
  ].map((value): Step => ({ do: 'equal', value, end: 'allow' }));
  const socket: Step[] = [{ do: 'load', offset: argument(0) }, ...allowed, { do: 'return', end: 'refuse' }];
  const pair: Step[] = [
    { do: 'load', offset: argument(1) },
    { do: 'mask', bits: 0xf },
    { do: 'equal', value: connected.stream, end: 'allow' },
    { do: 'equal', value: connected.seqpacket, end: 'allow' },
    { do: 'return', end: 'refuse' },
  ];
  return [
    { do: 'load', offset: architecture },
    { do: 'unless', value: machine.audit, skip: 0 },
    { do: 'load', offset: number },
    ...(machine.foreignFrom === undefined
      ? []
      : [{ do: 'atLeast', value: machine.foreignFrom, end: 'absent' } as const]),
    ...uring.map((value): Step => ({ do: 'equal', value, end: 'absent' })),
    ...machine.keyrings.map((value): Step => ({ do: 'equal', value, end: 'refuse' })),
    { do: 'unless', value: machine.socket, skip: socket.length },
    ...socket,
    ...(unixSockets
      ? []
      : [{ do: 'unless', value: machine.socketpair, skip: pair.length } as const, ...pair]),
    { do: 'return', end: 'allow' },
  ];
}

const ends: readonly End[] = ['allow', 'refuse', 'absent', 'kill'];

/** Each instruction is 16 bits of code, two jumps of 8 bits, and a value; the ends stand behind the program. */
function assemble(steps: readonly Step[]): Uint8Array {
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
    else put(index, step.do === 'equal' ? 0x15 : 0x35, to(step.end), 0, step.value);
  });
  ends.forEach((name, index) => {
    put(steps.length + index, 0x06, 0, 0, end[name]);
  });
  return new Uint8Array(bytes.buffer);
}
