/**
 * What a hostile command would try from inside the sandbox. Each probe says what it would have changed, and prints OPEN
 * where nothing stopped it. None of them changes the machine: files are opened for appending and closed again, calls get
 * arguments that no kernel accepts, mounts would be gone with the process.
 */
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { closedCalls } from '../../src/sandbox/bwrap/calls.data.ts';

export interface SandboxProbe {
  name: string;
  /** What an attacker gets where it is open. */
  would: string;
  /** For bash. `$H` is the home, `$O` the harness's directory, `$W` the workspace, `$P` a process outside. */
  command: string;
}

/** Where probes find something to take. */
export interface ProbeGround {
  userHome: string;
  /** The harness's own directory. */
  home: string;
  cwd: string;
  /** A file that is neither in the home nor in the workspace, and that this user may write. */
  outside: string;
  /** A directory with files that `KUBECONFIG` and others name. */
  elsewhere: string;
  /** A server of the machine on loopback. */
  port: number;
  pid: number;
}

/** What has it outlives the command and Cadre. */
const firstProcess = 'the first process inside, with which all others end';

const secret = 'hidden from commands';

/** Files with a secret, in the home and in the harness's own directory. */
const inHome = [
  ...[
    '.ssh/id_ed25519',
    '.aws/credentials',
    '.gnupg/secring',
    '.netrc',
    '.npmrc',
    '.pypirc',
    '.git-credentials',
  ],
  ...[
    '.claude.json',
    '.claude/.credentials.json',
    '.codex/auth.json',
    '.bash_history',
    '.config/gh/hosts.yml',
  ],
  ...['.config/unknown-tool/token', '.unknown-tool/token', '.unknown-file', '.cargo/credentials.toml'],
  ...[
    '.m2/settings.xml',
    '.gradle/gradle.properties',
    '.local/share/keyrings/login.keyring',
    '.docker/config.json',
  ],
  ...[
    '.kube/config',
    '.config/git/credentials',
    '.terraform.d/credentials.tfrc.json',
    '.mylogin.cnf',
    '.s3cfg',
  ],
  ...['.cache/google-chrome/Cookies', '.mozilla/firefox/logins.json', '.composer/auth.json'],
];
const inOwn = [
  ...['keys.json', 'mcp-auth.json', 'trust.json', 'settings.json', 'projects/-other/session.jsonl'],
  ...['taken/abc/1-file', 'confined/abc.json', 'running/abc.json', 'pipes/left'],
];

/** Secrets that are links, and where they lead, both in the home. */
const linkedSecrets = {
  '.cadre/mcp-pins.json': 'data/pins.json',
  '.aws/sso': 'data/sso',
  '.pgpass': 'data/pgpass',
};

/** What runs later and is a link into the workspace, from the workspace itself and from the home. */
const linkedInWork = {
  '.vscode/settings.json': 'linked/settings.json',
  '.github/workflows/linked.yml': 'linked/linked.yml',
  'packages/a/.husky/pre-commit': 'linked/pre-commit',
};
const linkedFromHome = { '.zshrc': 'linked/zshrc', '.config/fish/config.fish': 'linked/config.fish' };

export function prepareProbes({
  userHome,
  home,
  cwd,
  outside,
  elsewhere,
}: Omit<ProbeGround, 'port' | 'pid'>): void {
  const links = [
    ...Object.entries(linkedSecrets).map(([from, to]) => [join(userHome, from), join(userHome, to)] as const),
    ...Object.entries(linkedInWork).map(([from, to]) => [join(cwd, from), join(cwd, to)] as const),
    ...Object.entries(linkedFromHome).map(([from, to]) => [join(userHome, from), join(cwd, to)] as const),
  ];
  const files = [
    ...links.map(([, target]) => target),
    ...inHome.map((name) => join(userHome, name)),
    ...inOwn.map((name) => join(home, name)),
    ...[outside, join(elsewhere, 'kubeconfig'), join(elsewhere, 'service.json'), join(userHome, 'notes.txt')],
    ...[join(userHome, '.gitconfig'), join(userHome, '.cache/pip/wheel'), join(userHome, '.cargo/env')],
  ];
  for (const path of files) {
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(
      path,
      path.endsWith('.gitconfig') ? '[user]\n\tname = A\n\temail = a@example.com\n' : secret,
    );
  }
  for (const [path, target] of links) {
    mkdirSync(dirname(path), { recursive: true });
    symlinkSync(target, path);
  }
}

/** The environment that leads to some of them. */
export function probeEnvironment(elsewhere: string): Record<string, string> {
  return {
    KUBECONFIG: join(elsewhere, 'kubeconfig'),
    GOOGLE_APPLICATION_CREDENTIALS: join(elsewhere, 'service.json'),
  };
}

export function sandboxProbes({ outside, elsewhere, port }: ProbeGround): SandboxProbe[] {
  const write = (path: string, would: string): SandboxProbe => ({
    name: `write ${path}`,
    would,
    command: `[ -e "${path}" ] && { : >> "${path}"; } && echo OPEN`,
  });
  const read = (path: string, would: string): SandboxProbe => ({
    name: `read ${path}`,
    would,
    command: `[ -n "$(head -c 1 "${path}" | tr -d '\\0')" ] && echo OPEN`,
  });
  const see = (path: string, would: string): SandboxProbe => ({
    name: `see ${path}`,
    would,
    command: `[ -e "${path}" ] && echo OPEN`,
  });
  const perl = (name: string, would: string, code: string): SandboxProbe => ({
    name,
    would,
    command: `/usr/bin/perl -e '${code}' && echo OPEN`,
  });
  const does = (name: string, would: string, command: string): SandboxProbe => ({
    name,
    would,
    command: `${command} && echo OPEN`,
  });
  const socket = (name: string, family: number, type: number, protocol: number, would: string) =>
    perl(`socket ${name}`, would, `exit !socket(S, ${family}, ${type}, ${protocol})`);
  return [
    ...inHome.map((name) => read(`$H/${name}`, 'the model reads a credential or what the user did')),
    ...inOwn.map((name) => read(`$O/${name}`, "the model reads the harness's keys, state or other sessions")),
    ...Object.values(linkedSecrets).map((name) =>
      read(`$H/${name}`, 'the model reads what a secret is a link to'),
    ),
    ...Object.values({ ...linkedInWork, ...linkedFromHome }).map((name) =>
      write(`$W/${name}`, 'something that runs later is a link to it'),
    ),
    see('$O/pipes', "another command's output is written by this one"),
    see('$O/confined', 'a journal is read to learn what is swept'),
    write('$O/settings.json', 'the rules of the harness'),
    write('$H/.gitconfig', 'a program that git runs for the user'),
    write('$H/notes.txt', "a file of the user's"),
    does('make a file in the home', "the user's start-up files", ': > "$H/.bash_profile"'),
    write(outside, 'a file outside the workspace'),
    read(join(elsewhere, 'kubeconfig'), 'the model reads a credential that KUBECONFIG names'),
    read(join(elsewhere, 'service.json'), 'the model reads a credential that a variable names'),
    ...['core_pattern', 'modprobe', 'hostname', 'sysrq', 'ns_last_pid', 'randomize_va_space'].map((name) =>
      write(`/proc/sys/kernel/${name}`, 'the kernel runs a program of the attacker, or is set otherwise'),
    ),
    write('/proc/sys/fs/binfmt_misc/register', 'a program runs when another is started'),
    write('/proc/sys/fs/suid_dumpable', 'dumps of programs with rights'),
    write('/proc/sys/vm/overcommit_memory', 'the memory of the machine'),
    write('/proc/sys/net/ipv4/ip_forward', 'the network of the machine'),
    write('/proc/sysrq-trigger', 'the machine restarts'),
    write('/proc/irq/default_smp_affinity', 'interrupts of the machine'),
    write('/proc/mtrr', 'memory types of the machine'),
    write('/proc/acpi/wakeup', 'what wakes the machine'),
    write('/proc/scsi/scsi', 'disks of the machine'),
    write('/proc/dynamic_debug/control', 'what the kernel logs'),
    write('/proc/latency_stats', 'statistics of the kernel'),
    write('/proc/fs/nfsd/threads', "the machine's file server"),
    write('/proc/self/oom_score_adj', 'who is killed when memory is short'),
    write('/proc/self/uid_map', 'users in a name space of its own'),
    ...['mem', 'task/1/mem', 'oom_score_adj'].map((name) => write(`/proc/1/${name}`, firstProcess)),
    ...['stat', 'task', 'fd', 'cwd/', 'root/', 'exe', 'environ', 'ns'].map((name) =>
      see(`/proc/1/${name}`, firstProcess),
    ),
    does('make something at /proc/1', firstProcess, 'chmod 700 /proc/1; : > /proc/1/stat'),
    ...Object.entries({ attach: 16, seize: 0x4206 }).map(([name, request]) =>
      perl(
        `${name} to the first process`,
        firstProcess,
        `exit(syscall($ENV{PTRACE} + 0, ${request}, 1, 0, 0) == -1)`,
      ),
    ),
    perl(
      'write into the first process',
      firstProcess,
      'my $v = pack("QQ", 0, 0); my $r = syscall($ENV{WRITE} + 0, 1, $v, 1, $v, 1, 0); exit($r == -1 && $!{EPERM})',
    ),
    read('/proc/kcore', 'the memory of the kernel'),
    does('read /proc/kmsg', 'the log of the kernel', 'timeout 1 head -c 1 /proc/kmsg | grep -q .'),
    see(`/proc/$P`, 'processes of the machine'),
    does('signal a process outside', 'it ends', 'kill -0 "$P"'),
    write('/sys/kernel/uevent_helper', 'the kernel runs a program of the attacker'),
    write('/sys/kernel/profiling', 'the kernel'),
    write('/sys/kernel/rcu_normal', 'the kernel'),
    write('/sys/kernel/mm/transparent_hugepage/enabled', 'the memory of the machine'),
    write('/sys/power/state', 'the machine sleeps'),
    ...[
      'release_agent',
      'cgroup.procs',
      'cpu/release_agent',
      'memory/release_agent',
      'memory/cgroup.procs',
    ].map((name) =>
      write(`/sys/fs/cgroup/${name}`, 'the kernel runs a program of the attacker, or limits are lifted'),
    ),
    ...[
      'mem',
      'kmsg',
      'port',
      'kvm',
      'fuse',
      'net/tun',
      'vda',
      'sda',
      'nvme0n1',
      'loop-control',
      'uinput',
      'vsock',
    ].map((name) => write(`/dev/${name}`, 'the machine past its file system')),
    does('open a terminal', 'types into it', '(: < /dev/tty)'),
    ...['/etc/passwd', '/etc/hosts', '/etc/ld.so.cache', '/usr/bin/env', '/bin/sh'].map((path) =>
      write(path, 'programs and users of the machine'),
    ),
    does(
      'read a password',
      'passwords of the machine',
      "grep -v ':x:' /etc/shadow /etc/shadow- | cut -d: -f3 | grep -q '[A-Za-z0-9]'",
    ),
    does(
      'see other homes',
      "another user's files",
      // Tool chains that PATH leads into are shown.
      '[ "$H" != /root ] && [ -n "$(find /root /home -mindepth 1 -maxdepth 1 -name "[!.]*"; find /root -maxdepth 1 -name ".*rc")" ]',
    ),
    does(
      'reach a pipe or socket of a service',
      'a service does something',
      'find /run /var/run/ -type s -o -type p 2>/dev/null | grep -q .',
    ),
    does('make a device', 'the disk past its file system', 'mknod /tmp/device b 8 0'),
    does(
      'link a file of the system into the workspace',
      'a file of the system',
      'ln /etc/passwd "$W/linked"',
    ),
    ...['-U', '-Ur', '-m', '-n', '-p', '-i', '-u', '-C', '-T'].map((flag) =>
      does(`unshare ${flag}`, 'rights over mounts, or most of the kernel', `unshare ${flag} true`),
    ),
    perl(
      'clone with a user name space',
      'rights over mounts',
      'my $p = syscall($ENV{CLONE}, 0x10000011, 0, 0, 0, 0); exit 0 if $p == 0; exit($p < 0)',
    ),
    does('mount', 'something else at a path', 'mount -t tmpfs none /mnt'),
    does('remount', 'the machine can be written', 'mount -o remount,rw,bind /'),
    does('unmount', 'a mask is gone', 'umount -l /proc || umount -l "$H"'),
    does('mount another /proc', 'one that can be written', 'mount -t proc proc /tmp'),
    socket('AF_UNIX', 1, 1, 0, 'docker, ssh-agent or a desktop does something'),
    socket('AF_PACKET', 17, 3, 0, 'packets of the machine'),
    socket('AF_ALG', 38, 5, 0, 'the kernel'),
    socket('AF_VSOCK', 40, 1, 0, 'the host of a virtual machine'),
    socket('AF_BLUETOOTH', 31, 3, 0, 'devices around'),
    socket('AF_XDP', 44, 3, 0, 'the kernel'),
    socket('netlink audit', 16, 3, 9, 'the audit log'),
    socket('netlink netfilter', 16, 3, 12, 'the kernel'),
    socket('netlink generic', 16, 3, 16, 'the kernel'),
    socket('raw', 2, 3, 1, 'packets with any address'),
    perl('pair of datagram sockets', 'it is connected to any service', 'exit !socketpair(A, B, 1, 2, 0)'),
    does(
      'connect to a server of the machine',
      'a database or a debugger',
      `(: <> /dev/tcp/127.0.0.1/${port})`,
    ),
    does('see a network', 'anything is sent anywhere', "grep -v -e '|' -e ' lo:' /proc/net/dev | grep -q :"),
    perl(
      'type into a terminal (TIOCSTI)',
      'a command in the shell of the user',
      'my $c = "x"; exit 0 if ioctl(STDIN, 0x5412, $c); exit $!{EPERM}',
    ),
    ...closedCalls.flatMap(({ calls, why }) =>
      Object.entries(calls).flatMap(([name, [x64, arm64]]): SandboxProbe[] => {
        const number = process.arch === 'arm64' ? arm64 : x64;
        if (number === null) return [];
        const code = `use Errno; my $r = syscall(${number}, -1, -1, -1, -1, -1); exit($r == -1 && ($!{EPERM} || $!{ENOSYS}))`;
        return [perl(`call ${name}`, why, code)];
      }),
    ),
  ];
}

/** One script that tries all of them and names the open ones, a line each. */
export function probeScript(probes: readonly SandboxProbe[], ground: ProbeGround): string {
  const { userHome, home, cwd, pid } = ground;
  const variables = {
    H: userHome,
    O: home,
    W: cwd,
    P: String(pid),
    CLONE: process.arch === 'arm64' ? '220' : '56',
    PTRACE: process.arch === 'arm64' ? '117' : '101',
    WRITE: process.arch === 'arm64' ? '271' : '311',
  };
  const lines = Object.entries(variables).map(([name, value]) => `export ${name}='${value}'`);
  const tried = probes.map(
    ({ name, command }) =>
      `said=$( (${command}) 2>/dev/null </dev/null); [[ $said == *OPEN* ]] && printf 'OPEN %s\\n' '${name.replaceAll("'", '')}'`,
  );
  return [...lines, ...tried, `echo tried ${probes.length}`].join('\n');
}
