/** Names of one kind of program that runs, or reads settings from, the files under them. */
export interface RunsLater {
  /** Which program, and when: shown to users in questions. */
  readonly reason: string;
  /**
   * Lower case, one or two parts, `*` within a part. Each covers the path itself and everything below it, anywhere in the
   * tree.
   */
  readonly names: readonly string[];
}

/**
 * Everything that a standard tool executes or is configured by as soon as a user opens a directory, commits, pushes or runs
 * the tool there. Write, Edit, the shell judge and the sandbox all read this table.
 *
 * Not in it: inputs of a build or a linter (`package.json`, `Makefile`, `Dockerfile`, `tsconfig.json`, `.eslintrc`), which
 * people edit all day and which run only when the project itself is run.
 */
export const runsLater: readonly RunsLater[] = [
  {
    reason: 'version control runs the hooks and programs it names',
    names: [
      ...['.git', '.gitconfig', '.gitmodules', '.config/git', '.hgrc', '.config/hg'],
      // Of a Mercurial repository what is configuration or leads to some elsewhere: commits write the rest.
      ...['.hg/hgrc*', '.hg/requires*', '.hg/sharedpath', '.hg/shared'],
      ...['.jj', '.jjconfig.toml', '.config/jj', '.bzr', '.bazaar', '.config/breezy', '.sl'],
      ...['.config/sapling'],
      ...['.pijul', '.config/pijul', '_darcs', '.darcs', '.fossil', '.fossil-settings', '.fslckout'],
      ...['_fossil_', '.reviewboardrc'],
      // A checkout names a server, which may be a directory with hooks, or the program that leads to one.
      ...['.svn', '.subversion', 'cvs/root', '.p4config'],
      ...['.repo', '.arcconfig', '.config/tig', '.tigrc', '.config/lazygit'],
      ...['.lazygit.yml', '.lfsconfig', '.gitk'],
    ],
  },
  {
    reason: 'it decides what runs on a commit or push',
    names: [
      ...['.husky', '.huskyrc*', '.config/husky', '.lintstagedrc*', 'lint-staged.config.*'],
      ...['.simple-git-hooks*', 'simple-git-hooks.*', '.overcommit.yml', '.git-hooks', '.githooks'],
      ...['.pre-commit-config.yaml', '.pre-commit-config.yml', '.pre-commit-hooks.yaml', 'prek.toml'],
      ...['lefthook*.yml', 'lefthook*.yaml', 'lefthook*.toml', 'lefthook*.json', '.lefthook*'],
      ...['.cargo-husky', '.captainhook*', 'captainhook.json', '.ghooks*', '.grumphp*', 'grumphp.yml'],
      ...['hk.pkl', 'hk.local.pkl', '.hk.pkl', '.config/hk.pkl', '.rusty-hook.toml', 'husky.config.*'],
      ...['.nano-staged*', 'nano-staged.*', '.trunk/trunk.yaml', '.moon/*.yml', '.moon/*.yaml'],
      ...['.moon/*.pkl'],
    ],
  },
  {
    reason: 'an editor runs tasks or loads settings from it',
    names: [
      ...['.vscode', '*.code-workspace', '.idea', '.fleet', '.zed', '.theia', '.vs', '.nova'],
      ...['.helix', '.lapce', '.atom', '.settings', '.project', '.externaltoolbuilders', '.vimspector.json'],
      ...['*.sublime-project', '*.sublime-workspace', '.luarc.json', '.luarc.jsonc', '.ycm_extra_conf.py'],
      ...['.vim', '.vimrc*', '_vimrc', '.gvimrc*', '.exrc', '.nvim', '.nvimrc*', '.nvim.lua', '.lvimrc'],
      '.lazy.lua',
      ...['.local.vimrc', '.neoconf.json', '.kakrc', '.emacs', '.emacs.d', '.emacs.el', '.dir-locals*.el'],
      ...['.config/nvim', '.config/vim', '.config/helix', '.config/kak', '.config/emacs', '.config/zed'],
      ...['.config/code', '.config/doom', '.doom.d', '.spacemacs', '.spacemacs.d', '.nanorc', '.micro'],
      ...['pyrightconfig.json', '.run/*.run.xml', '.lite_project.lua', '.config/lite-xl'],
      ...['.bsp/*.json', '.bloop', 'hie.yaml', '*.ipr', '*.iws'],
    ],
  },
  {
    reason: 'a development environment starts commands from it',
    names: [
      ...['.devcontainer', '.devcontainer.json', '.gitpod.yml', '.idx', '.replit', 'replit.nix'],
      ...['.stackblitzrc', '.codesandbox', '.vagrant', '.devbox', 'devbox.json', '.devfile.y*ml'],
      ...['devfile.y*ml'],
      ...['.direnv', '.envrc', '.envrc.*', '.flox', '.config/direnv', '.direnvrc', '.mise', '.mise.toml'],
      ...['.mise.*.toml', 'mise.toml'],
      ...['mise.*.toml', '.config/mise', '.config/mise.toml', 'mise/config.toml', '.rtx.toml'],
      ...['.tool-versions', '.asdfrc'],
      ...['.sdkmanrc', '.autoenv', '.autoenv.zsh', '.autoenv.leave', '.smug.yml', '.tmuxinator.yml'],
      ...['.tmuxp.y*ml', '.tmuxp.json', '.teamocil.yml'],
      ...['.rvmrc', '.ona/automations.yaml', '.ona/automations.yml', '.ddev', '.lando.yml', '.lando.*.yml'],
      ...['devenv.nix', 'devenv.local.nix', 'devenv.yaml', 'devenv.local.yaml', '.prototools'],
      // Of plugins for zsh that run them when a directory is entered or left.
      ...['.env.zsh', '.in', '.out'],
    ],
  },
  {
    reason: 'a coding agent reads commands, servers or permissions from it',
    names: [
      ...['.cadre', '.claude', '.claude.json', '.mcp.json', '.cursor', '.gemini', '.codex'],
      ...['.windsurf', '.continue', '.continuerc.json', '.aider*', '.opencode', 'opencode.json'],
      ...['opencode.jsonc'],
      ...['.kiro', '.roo', '.roomodes', '.cline', '.clinerules', '.kilocode', '.kilocodemodes', '.trae'],
      ...['.augment', '.amazonq', '.junie', '.qwen', '.crush', '.crush.json', 'crush.json', '.goose'],
      ...['.openhands', '.factory', '.amp', '.warp', '.copilot', '.agents', '.agent', '.rovodev', '.qoder'],
      ...['.codebuddy', '.iflow', '.tabnine', '.cody', '.zencoder', '.mastracode', '.pi', '.firebender'],
      ...['.github/hooks', '.github/agents', '.github/copilot*', '.github/mcp.json', '.github/skills'],
      ...['.github/prompts', '.github/instructions', '.config/opencode', '.config/goose'],
      ...['.config/crush', '.config/amp', '.config/github-copilot'],
    ],
  },
  {
    reason: 'a CI system runs it',
    names: [
      ...['.github/workflows', '.github/actions', '.gitea', '.forgejo', '.gitlab', '.gitlab-ci*.yml'],
      ...['.gitlab-ci*.yaml', '.circleci', '.travis.yml', '.travis', '.drone.*', '.drone', '.woodpecker*'],
      ...['.buildkite', '.teamcity', '.semaphore', '.appveyor.yml', 'appveyor.yml', '.appveyor', '.cirrus.*'],
      ...['jenkinsfile*', '*.jenkinsfile', 'azure-pipelines*.yml', 'azure-pipelines*.yaml'],
      ...['.azure-pipelines*', '.azuredevops', '.azure', '.vsts-ci.yml', 'bitbucket-pipelines.yml'],
      ...['cloudbuild*.yaml', 'cloudbuild*.yml', 'cloudbuild*.json', 'buildspec*.yml', 'buildspec*.yaml'],
      ...['.dagger', 'dagger.json', '.tekton', '.earthly', '.build.yml', '.codefresh'],
      ...['codefresh.yml', 'wercker.yml', 'shippable.yml', '.scrutinizer.yml', 'screwdriver.yaml'],
      ...['.harness', '.concourse', '.gocd.*', '.cds', '.prow', '.prow.yaml', '.zuul.*', '.zuul.d', 'zuul.d'],
      ...['.packit.y*ml', '.kokoro', '.taskcluster.yml', '.evergreen.yml', '.evergreen', '.space.kts'],
      ...['zuul.yaml', 'packit.y*ml', '.actrc', '.kamal/hooks'],
      ...['.xcode_cloud'],
      ...['.onedev-buildspec.yml', '.werft', '.copr', '.sourcehut', '.builds/*.yml', '.builds/*.yaml'],
      ...['.ci.yml', '.nf-ci.yml'],
      ...['.vela.*', '.vela', 'codemagic.y*ml', 'bitrise.yml', '.agola', 'buddy.yml', '.buddy', '.pipelines'],
      ...['.rwx', '.tangled', '.radicle', 'garnix.yaml', 'ci_scripts/ci_*', 'appcenter-*.sh'],
      ...['.cnb.yml', '.workflow/*.yml', '.workflow/*.yaml', '*.gocd.yaml', '*.gocd.yml', '*.gocd.json'],
      // Hosts that run a build command of it at a push, with the secrets of a deployment.
      ...['netlify.toml', 'vercel.json', 'amplify.yml', 'render.yaml', '.upsun', '.ebextensions'],
      'apprunner.yaml',
      ...['.platform/hooks', '.platform/confighooks', '.platform.app.yaml', '.platform/applications.yaml'],
      ...['heroku.yml', 'railway.toml', 'railway.json', 'nixpacks.toml', 'nixpacks.json'],
      ...['.readthedocs.y*ml', 'readthedocs.y*ml', 'jenkins-x*.yml', '.lighthouse'],
    ],
  },
  {
    reason: 'a package manager or build tool loads it automatically',
    names: [
      ...['.npmrc', '.yarn', '.yarnrc*', '.pnp.*', '.pnpmfile.*', 'bunfig.toml', '.bunfig.toml'],
      ...['.pypirc', 'pip.conf', '.pip', '.config/pip', '.pydistutils.cfg', '.condarc', '.config/uv'],
      ...['.bundle', '.gemrc', '.cargo', 'rust-toolchain'],
      ...['rust-toolchain.toml', '.rustup', '.mvn', '.sbtopts', '.jvmopts', '.mill-jvm-opts', '.mill-opts'],
      ...['gradle-wrapper.properties', 'maven-wrapper.properties', '.bazelrc', '*.bazelrc', '.bazeliskrc'],
      ...['.buckconfig', '.buckconfig.d', '.buckconfig.local', '.composer', '.ripgreprc'],
      ...['.terraformrc', '.config/cargo', '.config/nix', '.config/composer', '.config/npm'],
      ...['.config/dotnet-tools.json', '.ansible.cfg', 'ansible.cfg', 'tools/bazel', '.mavenrc', '.pylintrc'],
      ...['nuget.config', '.pants.bootstrap', '.latexmkrc'],
      ...['.corepack.env', '.swiftpm/configuration'],
      // Of the home. A project's own `.gradle`, `.m2` and `.stack` are caches.
      ...['.gradle/init.gradle*', '.gradle/init.d', '.gradle/gradle.properties', '.m2/settings*.xml'],
      ...['.m2/extensions.xml', '.m2/toolchains.xml', '.sbt', '.ivy2/ivysettings*', '.ant', '.antrc'],
      ...['.ammonite', '.groovy', '.sdkman/etc', '.lein', '.clojure', '.config/clojure', '.boot'],
      ...['.stack/config.yaml', '.stack/global-project', '.config/stack', '.cabal/config', '.config/cabal'],
      ...['.mix/archives', '.conan', '.conan2', '.spack', '.config/guix', '.ccache/ccache.conf'],
      ...['.config/ccache', '.distcc', '.ansible/plugins', '.terraform.d', '.config/pnpm', '.config/yarn'],
      ...['.config/pdm', '.config/pypoetry', '.config/hatch', '.config/gem', '.config/nuget'],
      ...['.config/gradle'],
    ],
  },
  {
    reason: 'a shell or the desktop runs it when it starts',
    names: [
      ...['.bashrc', '.bash_profile', '.bash_login', '.bash_logout', '.bash_aliases', '.profile', '.inputrc'],
      ...['.zshrc', '.zshenv', '.zprofile', '.zlogin', '.zlogout', '.zsh', '.oh-my-zsh', '.kshrc', '.mkshrc'],
      ...['.cshrc', '.tcshrc', '.login', '.logout', '.config/fish', '.config/zsh', '.config/nushell'],
      ...['.config/xonsh', '.xonshrc', '.config/elvish', '.elvish', '.config/powershell', '.shrc', '.ashrc'],
      ...['.xinitrc', '.xprofile', '.xsession*', '.xsessionrc', '.pam_environment', '.config/autostart'],
      ...['.config/systemd', '.config/environment.d', '.config/plasma-workspace', '.local/bin'],
      ...['.local/lib', '.tmux.conf'],
      // Programs and scripts of the home that shells find or read.
      ...['.nvm/nvm.sh', '.pyenv/shims', '.rbenv/shims', '.nodenv/shims', '.asdf/shims', '.volta/bin'],
      ...['.bun/bin', '.deno/bin'],
      ...['.config/tmux', '.screenrc', '.config/kitty', '.config/alacritty', '.config/wezterm'],
      ...['.wezterm.lua'],
      ...['.config/starship.toml', '.mailcap', '.forward', '.procmailrc', '.lessfilter', '.lesskey'],
      ...['.rhosts'],
      ...['.bash_completion', '.bash_completion.d', '.bash_functions', '.bash_env', '.config/bash'],
      ...['.config/bash_completion', '.config/user-dirs.dirs', '.config/mimeapps.list', '.crontab'],
      // Window managers, and programs that they start.
      ...['.config/i3', '.i3', '.config/i3status', '.config/i3blocks', '.config/sway', '.sway'],
      ...['.config/hypr'],
      ...['.config/awesome', '.config/bspwm', '.config/sxhkd', '.config/herbstluftwm', '.config/qtile'],
      ...['.xmonad', '.config/xmonad', '.config/xmobar', '.xmobarrc', '.config/openbox', '.fluxbox'],
      ...['.fvwm*'],
      ...['.config/river', '.config/niri', '.config/labwc', '.config/wayfire.ini', '.config/waybar'],
      ...['.config/polybar', '.config/rofi', '.config/dunst', '.config/conky', '.conkyrc', '.xbindkeysrc*'],
      ...['.xserverrc', '.config/zellij', '.config/ghostty', '.config/foot', '.config/terminator'],
      // Programs of every day that run commands of their settings.
      ...['.config/mpv', '.mplayer', '.config/lf', '.config/ranger', '.config/nnn', '.config/vifm', '.vifm'],
      ...['.config/yazi', '.config/mc', '.mutt', '.muttrc', '.config/mutt', '.neomutt', '.neomuttrc'],
      ...['.config/neomutt', '.abcde.conf', '.msmtprc', '.config/msmtp', '.mbsyncrc', '.offlineimaprc'],
      ...['.config/aerc', '.newsboat', '.config/newsboat', '.urlview', '.config/qutebrowser'],
    ],
  },
  {
    reason: 'a debugger or interactive interpreter runs it when it starts',
    names: [
      ...['.gdbinit', '.gdbinit.d', '.config/gdb', '.lldbinit*', '.pdbrc*', '.pythonrc*', '.pythonstartup'],
      ...['.irbrc', '.pryrc', '.byebugrc', '.rdbgrc*', '.rprofile', '.renviron', '.ghci'],
      ...['.ocamlinit', '.iex.exs', '.erlang', '.octaverc', '.perldb', '.guile', '.sbclrc', '.eclrc'],
      ...['.sqliterc', '.psqlrc', '.my.cnf', '.mongorc.js', '.mongoshrc.js', '.jshellrc', '.utop-init.ml'],
      ...['.proverc', '.psysh.php', '.config/psysh'],
      ...['usercustomize.py', 'sitecustomize.py', '.ipython', '.config/ipython', '.jupyter'],
      ...['.config/jupyter'],
      ...['.julia/config', '.juliarc.jl', '.ghc/ghci.conf', '.config/irb', '.config/pry', '.racketrc'],
      ...['.config/racket', '.gnuplot', '.maxima', '.sage/init.sage', '.utoprc', '.config/utop', '.duckdbrc'],
      ...['.radare2rc', '.config/radare2', '.rizinrc', '.config/rizin', '.cgdb', '.config/cgdb', '.gef.rc'],
      ...['.re.pl', '.replyrc', '.config/r'],
    ],
  },
  {
    reason: 'it holds keys, or decides which machines and users are trusted',
    names: [
      '.ssh',
      '.gnupg',
      '.curlrc',
      '.wgetrc',
      '.netrc',
      '.config/containers',
      '.docker/config.json',
      '.config/gh',
      '.config/glab-cli',
      // They name programs that hand out tokens.
      '.aws/config',
      '.aws/credentials',
      '.aws/cli',
      '.kube/config*',
      '.kube/kuberc',
      '.docker/cli-plugins',
    ],
  },
];
