/** How a call is answered: as not permitted, or as one that this kernel does not have, so that programs fall back. */
export type CallAnswer = 'refuse' | 'absent';

/** Calls that sandboxed commands do not get, by what they reach. Numbers for x64 and arm64; null: does not exist. */
export interface ClosedCalls {
  readonly why: string;
  readonly answer: CallAnswer;
  readonly calls: Readonly<Record<string, readonly [x64: number | null, arm64: number | null]>>;
}

const everywhere = (number: number) => [number, number] as const;

export const closedCalls: readonly ClosedCalls[] = [
  {
    why: 'They create sockets and open files past any call filter. Programs fall back to ordinary calls.',
    answer: 'absent',
    calls: {
      io_uring_setup: everywhere(425),
      io_uring_enter: everywhere(426),
      io_uring_register: everywhere(427),
    },
  },
  {
    why: 'Its flags are in memory, where a filter cannot see them. The C library falls back to clone.',
    answer: 'absent',
    calls: { clone3: everywhere(435) },
  },
  {
    why: 'The mode of a file that it makes is in memory too: see `modeCalls`. Programs fall back to openat.',
    answer: 'absent',
    calls: { openat2: everywhere(437) },
  },
  {
    why: 'Mounts are the walls of the sandbox.',
    answer: 'refuse',
    calls: {
      mount: [165, 40],
      umount2: [166, 39],
      pivot_root: [155, 41],
      chroot: [161, 51],
      setns: [308, 268],
      open_tree: everywhere(428),
      move_mount: everywhere(429),
      fsopen: everywhere(430),
      fsconfig: everywhere(431),
      fsmount: everywhere(432),
      fspick: everywhere(433),
      mount_setattr: everywhere(442),
    },
  },
  {
    why: 'Files by number instead of by path: no mount hides them.',
    answer: 'refuse',
    calls: { open_by_handle_at: [304, 265] },
  },
  {
    why: 'They reach into another process, including the first one inside, which ends all others: see also `ptrace`.',
    answer: 'refuse',
    calls: {
      process_vm_readv: [310, 270],
      process_vm_writev: [311, 271],
      kcmp: [312, 272],
      pidfd_getfd: everywhere(438),
    },
  },
  {
    why: 'Kernel keyrings are the same inside and outside.',
    answer: 'refuse',
    calls: { add_key: [248, 217], request_key: [249, 218], keyctl: [250, 219] },
  },
  {
    why: 'Ways into the kernel that ordinary programs do not need and most kernel exploits do.',
    answer: 'refuse',
    calls: {
      bpf: [321, 280],
      perf_event_open: [298, 241],
      userfaultfd: [323, 282],
      fanotify_init: [300, 262],
      lookup_dcookie: [212, 18],
    },
  },
  {
    why: 'They change the machine as a whole.',
    answer: 'refuse',
    calls: {
      kexec_load: [246, 104],
      kexec_file_load: [320, 294],
      create_module: [174, null],
      init_module: [175, 105],
      finit_module: [313, 273],
      delete_module: [176, 106],
      get_kernel_syms: [177, null],
      query_module: [178, null],
      nfsservctl: [180, 42],
      _sysctl: [156, null],
      uselib: [134, null],
      reboot: [169, 142],
      swapon: [167, 224],
      swapoff: [168, 225],
      acct: [163, 89],
      quotactl: [179, 60],
      quotactl_fd: everywhere(443),
      syslog: [103, 116],
      iopl: [172, null],
      ioperm: [173, null],
      vhangup: [153, 58],
      settimeofday: [164, 170],
      clock_settime: [227, 112],
      clock_adjtime: [305, 266],
      adjtimex: [159, 171],
      sethostname: [170, 161],
      setdomainname: [171, 162],
    },
  },
];

/**
 * A call that sets the mode of a file, and which of its arguments that is; those with `flags` only when they create a file.
 */
export interface ModeCall {
  readonly numbers: readonly [x64: number | null, arm64: number | null];
  readonly mode: number;
  readonly flags?: number;
}

/**
 * Every way to make a file setuid or setgid. Other users of the machine could become that user through it: as root, a
 * sandboxed command would leave a root shell for everyone.
 */
export const modeCalls: Readonly<Record<string, ModeCall>> = {
  chmod: { numbers: [90, null], mode: 1 },
  fchmod: { numbers: [91, 52], mode: 1 },
  fchmodat: { numbers: [268, 53], mode: 2 },
  fchmodat2: { numbers: everywhere(452), mode: 2 },
  mknod: { numbers: [133, null], mode: 1 },
  mknodat: { numbers: [259, 33], mode: 2 },
  creat: { numbers: [85, null], mode: 1 },
  open: { numbers: [2, null], mode: 2, flags: 1 },
  openat: { numbers: [257, 56], mode: 3, flags: 2 },
};

/** Calls that were reviewed. A call that a newer kernel adds is missing for a command until it was reviewed too. */
export const knownCalls = {
  x64: [
    [0, 334],
    [424, 466],
  ],
  arm64: [
    [0, 294],
    [424, 466],
  ],
} as const;
