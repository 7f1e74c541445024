/** The commands in the groups that `cadre --help` shows, each in a few words: the whole sentence is in its own help. */
export const commandGroups: readonly CommandGroup[] = [
  {
    heading: 'Start',
    commands: {
      setup: 'choose a model and store its key',
      demo: 'watch agents fix a program: no key, no network',
      doctor: 'check that this machine is ready to run',
      models: 'list providers and their models',
      key: 'store, list and remove API keys',
      providers: 'add other AI SDK providers',
    },
  },
  {
    heading: 'Sessions',
    commands: {
      sessions: 'list sessions; rewind one',
      attach: 'look at a running session and steer it',
      move: 'move a session to a worker, and back',
      cost: 'show what a session cost',
      tasks: 'show and stop background work',
      verify: 'check a run again from its records',
      checks: "run the project's type check, linter and tests",
      audit: 'list questions, answers and grants',
    },
  },
  {
    heading: 'Agents, teams and workflows',
    commands: {
      agents: 'list agent types',
      worktree: "review and land agents' work",
      team: 'list, show, join and end teams',
      board: 'show and change a shared board',
      mail: 'send and read mail of a team',
      run: 'run a workflow',
      workflows: 'list workflows and their runs',
      handoff: 'show and change hand-off templates',
    },
  },
  {
    heading: 'Many machines',
    commands: {
      worker: 'run agents of other machines on this one',
      workers: 'list the workers of an engine',
    },
  },
  {
    heading: 'Permissions and extensions',
    commands: {
      why: 'explain whether a call would run, ask or be denied',
      trust: "review and trust a repository's own settings",
      mcp: 'manage MCP servers',
      hooks: 'list hooks',
      skills: 'list skills',
      commands: 'list slash commands',
      dream: 'propose better notes from past sessions',
    },
  },
  {
    heading: 'Help',
    commands: {
      help: 'show the help of a command, or a page about a topic',
      completions: 'print completions for bash, zsh or fish',
      man: 'print or write manual pages',
    },
  },
];

export interface CommandGroup {
  heading: string;
  commands: Readonly<Record<string, string>>;
}

export interface Example {
  line: string;
  about: string;
}

/** Shown by `cadre --help`, the help of each command, and the manual pages. */
export const examples: Readonly<Record<string, readonly Example[]>> = {
  '': [
    { line: 'cadre', about: 'start the terminal app' },
    { line: 'cadre "fix the failing test"', about: 'start it with a prompt' },
    { line: 'cadre -c', about: 'continue the latest session here' },
    { line: 'cadre -p "why does the build fail?"', about: 'print one answer' },
    { line: 'git diff | cadre -p "review this"', about: 'read from stdin' },
  ],
  demo: [
    { line: 'cadre demo', about: 'a coordinator and its workers' },
    { line: 'cadre demo teams', about: 'a team that shares a board' },
  ],
  'key set': [{ line: 'cadre key set anthropic', about: 'asks for the key; it is not shown' }],
  models: [{ line: 'cadre models --all', about: 'long lists in full' }],
  sessions: [{ line: 'cadre sessions --all', about: 'of every directory' }],
  'sessions rewind': [
    { line: 'cadre sessions rewind 3f2a', about: 'list its prompts' },
    { line: 'cadre sessions rewind 3f2a --to 4 --dry-run', about: 'what would change' },
  ],
  cost: [{ line: 'cadre cost', about: 'of the latest session here' }],
  'tasks output': [{ line: 'cadre tasks output t1 --full', about: 'all of its output' }],
  'team show': [{ line: 'cadre team show review', about: 'the members of one team' }],
  'board add': [{ line: 'cadre board add "Write the tests" --owner ada', about: 'assigned at once' }],
  'mail send': [{ line: 'cadre mail send ada "The API changed"', about: 'to one member' }],
  run: [
    { line: 'cadre run review src/', about: 'a workflow with an argument' },
    { line: 'cadre run --resume r7k2m9x4', about: 'continue a run' },
  ],
  agents: [{ line: 'cadre agents show Explore', about: 'what one agent type may do' }],
  'worktree diff': [{ line: 'cadre worktree diff fix-login', about: 'what one agent changed' }],
  'worktree land': [{ line: 'cadre worktree land fix-login docs', about: 'two, in this order' }],
  'mcp add': [
    {
      line: 'cadre mcp add files -- npx -y @modelcontextprotocol/server-filesystem .',
      about: 'a program',
    },
    { line: 'cadre mcp add docs https://docs.example.com/mcp', about: 'a URL' },
  ],
  why: [{ line: "cadre why 'Bash(git log | tee x)'", about: 'part by part' }],
  trust: [{ line: 'cadre trust --list', about: 'everything that is trusted' }],
  checks: [{ line: 'cadre checks tests lint', about: 'only these two' }],
  verify: [{ line: 'cadre verify 3f2a', about: 'by the beginning of its id' }],
  worker: [
    { line: 'CADRE_ENGINE=redis://127.0.0.1 cadre worker --slots 8', about: 'until ctrl-c' },
    { line: 'cadre worker --engine postgres://… --label gpu --mode default', about: 'for jobs with a label' },
  ],
  'worker trust': [
    { line: 'cadre worker trust ed25519:… "ada, laptop"', about: 'what "cadre worker key" printed' },
  ],
  workers: [{ line: 'cadre workers --engine redis://127.0.0.1', about: 'those of one engine' }],
  completions: [
    { line: 'source <(cadre completions bash)', about: 'in ~/.bashrc' },
    { line: 'cadre completions fish > ~/.config/fish/completions/cadre.fish', about: 'for fish' },
  ],
  man: [
    { line: 'cadre man worktrees | man -l -', about: 'read one' },
    { line: 'cadre man --write ~/.local/share/man', about: 'then: man cadre' },
  ],
};
