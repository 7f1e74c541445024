const list = (names: string): readonly string[] => names.split(/\s+/).filter((name) => name !== '');

/**
 * Programs that run code they are given, as text, as a file or as another command. A rule for one of them covers anything a
 * model makes up. Names are without versions: `python` includes `python3.11`. Those that wrap a command, and are read by the
 * judge, are in `unwrap.ts`; package runners followed by a program in `runner-options.ts`.
 */
export const runsGiven: ReadonlySet<string> = new Set([
  // Shells.
  ...list(
    `sh bash zsh dash ksh ash mksh pdksh oksh yash rc es fish csh tcsh elvish nu xonsh osh pwsh powershell cmd`,
  ),
  ...list(`eval source . exec trap busybox toybox sash`),
  // Interpreters and equivalents.
  ...list(`python pypy ipython bpython ptpython jython micropython graalpy jupyter pdb pythonw py`),
  ...list(
    `node nodejs deno bun tsx ts-node ts-node-esm ts-node-dev esno vite-node babel-node swc-node jiti zx qjs d8 jsc gjs`,
  ),
  ...list(`ruby irb jruby truffleruby pry erb rake perl raku rakudo php php-cgi phpdbg psysh artisan`),
  ...list(
    `lua luajit luau texlua tclsh wish expect unbuffer rscript r littler julia octave matlab scilab sage gp maxima`,
  ),
  ...list(
    `ghci ghc runghc runhaskell hugs guile sbcl clisp ecl ccl abcl scheme racket csi gsi chez petite janet fennel`,
  ),
  ...list(`elixir iex mix erl escript rebar java jshell jrunscript groovy groovysh kotlin kotlinc scala amm`),
  ...list(`clojure clj bb lein boot sbt mill ocaml utop swift dotnet-script fsi fsharpi rust-script evcxr`),
  ...list(
    `osascript wscript cscript mshta awk gawk mawk nawk goawk bwk m4 dc gnuplot luatex lualatex tex latex pdftex`,
  ),
  ...list(`pdflatex xetex xelatex context sqlite psql mysql mariadb mongosh mongo sqlplus duckdb`),
  // Editors and debuggers take commands as options.
  ...list(
    `vi vim nvim view vimdiff gvim ex ed emacs emacsclient nano joe kak hx gdb lldb rr valgrind cgdb jdb dlv`,
  ),
  ...list(`strace ltrace perf bpftrace stap hg`),
  // Build tools controlled by a file.
  ...list(
    `make gmake bmake nmake just task rake ant mvn mvnw gradle gradlew ninja scons waf invoke fab nox tox bazel buck pants`,
  ),
  // Package runners.
  ...list(
    `npx bunx pnpx uvx pipx npm pnpm yarn corepack pipenv poetry pdm hatch rye bundle nix-shell nix guix devbox`,
  ),
  // Start other programs: with other rights, elsewhere, later, again, or in another environment.
  ...list(
    `sudo su doas runuser pkexec setpriv setsid sg newgrp capsh chroot unshare nsenter bwrap firejail proot fakeroot`,
  ),
  ...list(
    `fakechroot systemd-run systemd-nspawn dbus-run-session dbus-launch xvfb-run start-stop-daemon daemonize daemon`,
  ),
  ...list(
    `env xargs find fd fdfind parallel watch watchexec entr nodemon fswatch inotifywait concurrently npm-run-all run-p run-s`,
  ),
  ...list(
    `timeout gtimeout nice ionice chrt taskset numactl prlimit cpulimit nohup stdbuf time command builtin noglob`,
  ),
  ...list(
    `flock script hyperfine caffeinate rlwrap linux linux32 linux64 setarch i386 x86_64 catchsegv ld.so`,
  ),
  ...list(
    `at batch cron crontab tmux screen zellij dtach abduco dotenv dotenvx cross-env cross-env-shell env-cmd direnv`,
  ),
  ...list(`asdf mise rtx rbenv pyenv nodenv nvm fnm volta conda mamba micromamba pixi chamber aws-vault`),
  ...list(
    `ssh mosh rsh rexec sshpass autossh pdsh socat nc ncat netcat telnet ansible ansible-playbook adb vagrant`,
  ),
  ...list(`docker docker-compose podman nerdctl lxc incus distrobox toolbox buildah`),
]);

/** Only some subcommands of these do: a rule for another one says what it covers. */
export const runsGivenBy: Readonly<Record<string, readonly string[]>> = {
  uv: list('run tool x'),
  go: list('run generate tool'),
  cargo: list('run r script watch exec'),
  kubectl: list('exec run debug attach cp plugin'),
  oc: list('exec run debug rsh'),
  helm: list('plugin'),
  dotnet: list('run exec script fsi watch'),
  stack: list('exec runghc runhaskell ghci run script eval'),
  cabal: list('run exec repl v2-run v2-exec'),
  dune: list('exec utop'),
  nim: list('r e'),
  crystal: list('run eval play'),
  zig: list('run build'),
  dart: list('run'),
  flutter: list('run'),
  'scala-cli': list('run repl shebang'),
  cmake: list('-P -E'),
  turbo: list('run'),
  nx: list('run exec run-many affected'),
  lerna: list('run exec'),
  rails: list('runner r console c dbconsole db'),
  heroku: list('run'),
  fly: list('ssh console'),
  gcloud: list('compute'),
  op: list('run'),
  doppler: list('run'),
};
