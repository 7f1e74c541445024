/** Parts of the machine that a sandboxed command does not see, except for those listed as shown. */
export interface HiddenPart {
  readonly why: string;
  readonly hidden: readonly string[];
  readonly shown?: readonly string[];
}

/** For every user. */
export const hiddenParts: readonly HiddenPart[] = [
  {
    why: 'Sockets and pipes of running services, which work even when read-only; mounted secrets.',
    hidden: ['/run'],
    shown: [
      ...['/run/systemd/resolve', '/run/media', '/run/current-system', '/run/booted-system'],
      ...['/run/opengl-driver', '/run/opengl-driver-32'],
    ],
  },
  {
    why: 'Homes of other users.',
    hidden: ['/home', '/root', '/var/home', '/export/home'],
    shown: ['/home/linuxbrew'],
  },
];

/** For root alone: the system already closes them to all other users. */
export const hiddenFromRoot: readonly HiddenPart[] = [
  {
    why: 'Data of services, logs, mail, backups of password files. The list of installed packages is shown.',
    hidden: ['/var'],
    shown: [
      ...['/var/lib/dpkg', '/var/lib/rpm', '/var/lib/pacman', '/var/lib/gems', '/var/lib/ghc'],
      ...['/var/lib/flatpak', '/var/lib/snapd/snap', '/var/www', '/var/task'],
    ],
  },
  {
    why: 'Passwords of users.',
    hidden: [
      ...['/etc/shadow', '/etc/shadow-', '/etc/gshadow', '/etc/gshadow-', '/etc/security/opasswd'],
      ...['/etc/sudoers', '/etc/sudoers.d'],
    ],
  },
  {
    why: 'Private keys of the machine and its connections.',
    hidden: [
      ...['/etc/ssh', '/etc/ssl/private', '/etc/pki/tls/private', '/etc/letsencrypt', '/etc/wireguard'],
      ...['/etc/openvpn', '/etc/ipsec.secrets', '/etc/ipsec.d/private', '/etc/krb5.keytab', '/etc/ppp'],
      ...['/etc/NetworkManager/system-connections', '/etc/kubernetes', '/etc/rancher', '/etc/docker'],
      ...['/etc/mysql/debian.cnf', '/etc/credstore', '/etc/credstore.encrypted'],
    ],
  },
  {
    why: 'The kernel from inside: its memory, its traces, the firmware.',
    hidden: [
      ...['/sys/kernel/debug', '/sys/kernel/tracing', '/sys/kernel/security', '/sys/kernel/config'],
      ...['/sys/firmware', '/sys/fs/bpf', '/sys/fs/pstore', '/boot'],
    ],
  },
];

/** Where paths closed to other users are searched, as root: `closed-to-others.ts`. */
export const searchedForClosed: { whole: readonly string[]; depth: number; known: readonly string[] } = {
  /** Settings: all of them. */
  whole: ['/etc', '/usr/local/etc'],
  /** For other directories at the root of the machine, this many names deep. */
  depth: 3,
  /** Except the system's own, which contain no secrets, are hidden anyway, or are replaced inside. */
  known: [
    ...['bin', 'sbin', 'lib', 'lib32', 'lib64', 'libx32', 'usr', 'nix', 'gnu', 'snap', 'proc', 'sys', 'dev'],
    ...['run', 'tmp', 'var', 'boot', 'root', 'home', 'etc'],
  ],
};
