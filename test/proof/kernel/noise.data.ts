/** What programs do by themselves, whatever they are asked for. Each row is exact and says why it is harmless. */
export interface Noise {
  readonly why: string;
  readonly programs?: readonly string[];
  /** Of the path as given, or of where it led. `~` is the home. */
  readonly paths: RegExp;
  /** Only of where it led. */
  readonly isLed?: true;
  /** Only where the kernel refused it so. */
  readonly failed?: string;
  /** Only by such a call. */
  readonly call?: RegExp;
}

export const readNoise: readonly Noise[] = [
  {
    why: 'Libraries, locales and data of the system itself.',
    paths: /^\/(?:usr|lib|lib64|bin|sbin)(?:\/|$)/,
  },
  {
    why: 'The loader.',
    paths: /^\/etc\/(?:ld\.so\.(?:cache|preload)|localtime|timezone)$|^\/usr\/share\/zoneinfo\//,
  },
  {
    why: 'Which names the repository around the workspace leaves out of a search. Nobody but the user writes there.',
    paths: /\/p\/(?:\.gitignore|\.ignore|\.rgignore|\.fdignore|\.git\/info\/exclude)$/,
    programs: ['rg', 'fd', 'fdfind'],
    isLed: true,
  },
  {
    why: 'Names of protocols, which ss prints.',
    paths: /^\/etc\/iproute2\//,
    programs: ['ss'],
  },
  {
    why: 'Names of users, looked up by the C library.',
    paths: /^\/etc\/(?:nsswitch\.conf|passwd|group)$/,
    programs: [
      'bash',
      'sh',
      'dash',
      'ls',
      'stat',
      'find',
      'id',
      'whoami',
      'groups',
      'ps',
      'tar',
      'tree',
      'git',
      'python3',
      'node',
      'npm',
      'rg',
      'zipinfo',
      'unzip',
      'pgrep',
      'uptime',
      'lsblk',
      'sqlite3',
      'wget',
      'curl',
      'vim',
      'ssh',
      'make',
      'perl',
      'ruby',
      'php',
      'psql',
      'gh',
      'pstree',
      'w',
      'who',
    ],
  },
  {
    why: 'The list of packages of the system, and how it is kept.',
    programs: ['dpkg', 'dpkg-query'],
    paths: /^\/etc\/dpkg(?:\/|$)|^\/var\/lib\/dpkg(?:\/|$)/,
  },
  { why: 'Names of tables and groups of routes.', programs: ['ip'], paths: /^\/etc\/iproute2(?:\/|$)/ },
  {
    why: 'Who is logged in, and what is mounted.',
    programs: ['who', 'w', 'uptime', 'mount', 'findmnt'],
    paths: /^\/(?:var\/)?run\/(?:utmp|mount\/utab)$|^\/etc\/(?:fstab|mtab)$/,
  },
  { why: 'What the kernel says of the process and the machine.', paths: /^\/(?:proc|sys)(?:\/|$)/ },
  {
    why: 'Streams and randomness.',
    paths:
      /^\/dev\/(?:null|zero|tty|urandom|random|fd(?:\/\d+)?|stdin|stdout|stderr|pts\/\d+)$|^(?:pipe|socket):/,
  },
  {
    why: 'Git reads its own configuration of the system and the user.',
    programs: ['git', 'rg', 'fd', 'tree'],
    paths: /^\/etc\/git(?:config|attributes)$|^~\/\.(?:gitconfig|config\/git\/(?:config|ignore|attributes))$/,
  },
  {
    why: 'Libraries of cryptography look for their settings.',
    programs: ['yq', 'node', 'npm', 'npx', 'python3', 'openssl', 'curl', 'wget', 'git'],
    paths: /^\/etc\/ssl\/openssl\.cnf$/,
  },
  { why: 'Kinds of files.', programs: ['file'], paths: /^\/etc\/magic(?:\.mime)?$/ },
  {
    why: 'What is only asked for its version, or for a list of packages, reads settings of the system on the way.',
    programs:
      'node npm npx pip pip3 java javac curl wget kubectl docker podman gh php ruby gem perl lua gcc g++ clang cmake make ninja vim nvim sqlite3 psql mysql redis-cli openssl python python3 deno bun'.split(
        ' ',
      ),
    paths: /^\/etc\/|^~$|^\/var\/lib\/postgresql\/|^\/tmp\/hsperfdata_\w+$/,
  },
  {
    why: 'Find opens the place it was started in, and the root, to come back to.',
    programs: ['find'],
    paths: /^\/$/,
  },
  {
    why: 'The tables of a name lookup.',
    programs: ['hostname', 'git'],
    paths: /^\/etc\/(?:nsswitch\.conf|host\.conf|resolv\.conf|hosts|passwd)$/,
  },
];

export const connectNoise: readonly Noise[] = [
  {
    why: 'A cache of names on this machine, asked by the C library.',
    paths: /^unix \/var\/run\/nscd\/socket$/,
  },
  {
    why: 'The kernel is asked which addresses and sockets this machine has.',
    programs: ['node', 'npm', 'npx', 'curl', 'hostname', 'ss', 'ip'],
    paths: /^AF_NETLINK /,
  },
  {
    why: 'A library tries whether there is IPv6, by an address of this machine, without a peer.',
    programs: ['pip', 'pip3'],
    paths: /^AF_INET6 \d+<[^>]*>, \{sa_family=AF_INET6, sin6_port=htons\(0\).*"::1"/,
  },
];

export const writeNoise: readonly Noise[] = [
  {
    why: 'Where the index is sparse, git puts it together in memory, and notes on trees it has that they are still used.',
    programs: ['git'],
    paths: /\/\.git\/objects\/[\da-f]{2}\/[\da-f]{38}$/,
    call: /^utimensat\(/,
  },
  {
    why: 'To show how a merge was settled git makes it once more, in a directory beside its objects that it removes.',
    programs: ['git'],
    paths: /\/\.git\/objects\/tmp_objdir-remerge-diff-\w+(?:\/|$)/,
  },
  {
    why: 'To tell whether files changed, `git describe --dirty` notes their times in the index.',
    programs: ['git update-index'],
    paths: /\/(?:\.git|meta)\/index(?:\.lock)?$/,
  },
  {
    why: 'A Java machine says what of it a crash should keep.',
    programs: ['java', 'javac'],
    paths: /^\/proc\/self\/coredump_filter$/,
  },
  {
    why: 'Thrown away, or the terminal.',
    paths: /^\/dev\/(?:null|tty|stdout|stderr|fd\/[0-9])$|^(?:pipe|socket):/,
  },
  {
    why: 'The same machine keeps counters of itself in a directory for all.',
    programs: ['java', 'javac'],
    paths: /^\/tmp\/hsperfdata_\w+(?:\/\d+)?$/,
  },
  {
    why: 'A pipe is read backwards through a file that is removed at once.',
    programs: ['tac'],
    paths: /^\/tmp\/tac\w{6}$/,
  },
  {
    why: 'Perl tries a directory as a file to be changed, and is refused.',
    programs: ['shasum'],
    paths: /./,
    failed: 'EISDIR',
  },
  {
    why: 'A long here-document goes through a file that the shell removes at once.',
    programs: ['bash', 'dash', 'sh'],
    paths: /^\/tmp\/sh-thd\.\w+(?: \(deleted\))?$/,
  },
];

/** Programs that others run by themselves. */
export const helpers: Readonly<Record<string, readonly string[]>> = {
  git: [
    'git',
    'git-submodule',
    'sh',
    'dash',
    'git-sh-setup',
    'basename',
    'sed',
    'uname',
    'cat',
    'git-receive-pack',
    'git-upload-pack',
    // In the place of an editor.
    'true',
  ],
  egrep: ['grep', 'sh', 'dash'],
  fgrep: ['grep', 'sh', 'dash'],
  zcat: ['gzip', 'sh', 'dash'],
  gunzip: ['gzip', 'sh', 'dash'],
  zgrep: ['gzip', 'grep', 'sed', 'sh', 'dash'],
  tar: ['gzip', 'bzip2', 'xz'],
  xargs: ['echo'],
  locale: ['gzip'],
  sh: ['dash'],
  // The recipe of the layouts.
  make: ['echo', 'sh', 'dash'],
  npm: ['node'],
  npx: ['node'],
  yq: ['python3', 'jq'],
  awk: ['mawk', 'gawk'],
  zipinfo: ['unzip'],
  diff3: ['diff'],
  sdiff: ['diff'],
  dpkg: ['dpkg-query'],
};
