/**
 * Entries of the user's home that a sandboxed command sees besides those without a dot: all other dot entries do not exist
 * inside. Tool chains, their caches, and the author name for commits. Each existing place costs a command about 0.15 ms. A
 * user adds more with `sandbox.filesystem.allowRead`.
 */
export interface ShownInHome {
  readonly why: string;
  /** Relative to the home. */
  readonly places: readonly string[];
  /** Files and directories in those places that contain credentials or personal history: they stay hidden. */
  readonly except?: readonly string[];
}

export const shownInHome: readonly ShownInHome[] = [
  {
    why: 'Name and address for commits, and global ignore rules. Tokens belong in a credential helper, not in here.',
    places: ['.gitconfig', '.config/git', '.gitignore', '.gitignore_global', '.gitattributes', '.mailmap'],
    except: ['.config/git/credentials'],
  },
  {
    why: 'Caches of compilers, package managers and test tools, each by its name: other programs keep tokens, mail and pages in theirs.',
    places: [
      ...locateCaches(
        'bazel',
        'bazelisk',
        'black',
        'buf',
        'bun',
        'cabal',
        'ccache',
        'clangd',
        'composer',
        'conda',
      ),
      ...locateCaches(
        'coursier',
        'Cypress',
        'deno',
        'dune',
        'electron',
        'electron-builder',
        'esbuild',
        'fontconfig',
      ),
      ...locateCaches(
        'ghcide',
        'go-build',
        'golangci-lint',
        'goimports',
        'gopls',
        'gradle',
        'hatch',
        'hie-bios',
      ),
      ...locateCaches(
        'huggingface/datasets',
        'huggingface/hub',
        'jedi',
        'kotlin',
        'matplotlib',
        'maven',
        'meson',
      ),
      ...locateCaches(
        'mise',
        'ms-playwright',
        'mypy',
        'nix',
        'node',
        'node-gyp',
        'nox',
        'opam',
        'pdm',
        'pip',
      ),
      ...locateCaches('pip-tools', 'pipenv', 'pnpm', 'pre-commit', 'prek', 'prettier', 'prisma', 'puppeteer'),
      ...locateCaches(
        'pylint',
        'pypoetry',
        'rattler',
        'rebar3',
        'ruff',
        'sbt',
        'sccache',
        'staticcheck',
        'torch',
      ),
      ...locateCaches('tree-sitter', 'turbo', 'typescript', 'uv', 'vcpkg', 'virtualenv', 'yarn', 'zig'),
      '.ccache',
    ],
  },
  {
    why: 'Rust.',
    places: ['.cargo', '.rustup'],
    except: ['.cargo/credentials', '.cargo/credentials.toml'],
  },
  {
    why: 'Node, Bun, Deno and their package managers.',
    places: [
      ...['.nvm', '.npm', '.node-gyp', '.volta', '.fnm', '.nodenv', '.yarn', '.pnpm-store', '.npm-global'],
      ...['.npm-packages', '.bun', '.deno', '.corepack', '.local/share/pnpm', '.local/share/fnm'],
    ],
    except: ['.npm/_logs', '.deno/deno_history.txt', '.bun/.npmrc', '.yarn/.yarnrc.yml'],
  },
  {
    why: 'Python.',
    places: ['.pyenv', '.virtualenvs', '.rye', '.local/pipx', '.local/share/uv', '.local/share/virtualenv'],
    except: ['.rye/credentials', '.rye/config.toml', '.local/share/uv/credentials'],
  },
  {
    why: 'Programs and libraries that the user installed without being root.',
    places: ['.local/bin', '.local/lib', '.local/libexec', '.local/include', '.nix-profile', '.linuxbrew'],
  },
  {
    why: 'Managers of several tool chains.',
    places: ['.asdf', '.local/share/mise', '.local/share/rtx', '.proto', '.pkgx'],
  },
  {
    why: 'Ruby.',
    places: ['.rbenv', '.rvm', '.gem', '.bundle/cache', '.local/share/gem'],
    except: ['.gem/credentials', '.local/share/gem/credentials'],
  },
  {
    why: 'Java and other JVM tools: repositories and caches, not the settings, which contain passwords.',
    places: [
      ...['.m2/repository', '.m2/wrapper', '.gradle/caches', '.gradle/wrapper', '.gradle/native'],
      ...['.gradle/jdks', '.sdkman', '.jenv', '.jabba', '.ivy2/cache', '.ivy2/local', '.sbt/boot'],
      ...['.sbt/launchers', '.coursier', '.konan'],
    ],
    except: ['.coursier/credentials.properties', '.coursier/credentials'],
  },
  { why: 'Go.', places: ['.config/go', '.goenv', '.gvm'] },
  {
    why: '.NET: packages, not the settings or the key store.',
    places: ['.dotnet', '.nuget/packages'],
    except: ['.dotnet/corefx', '.dotnet/NuGet'],
  },
  {
    why: 'PHP: packages, not the accounts.',
    places: ['.composer/vendor', '.composer/cache', '.config/composer/vendor', '.phpenv'],
  },
  {
    why: 'Haskell, OCaml, Erlang and Elixir.',
    places: [
      ...['.ghcup', '.cabal/packages', '.cabal/store', '.cabal/bin', '.stack', '.opam', '.mix'],
      ...['.hex/packages', '.kiex', '.exenv'],
    ],
    except: [
      '.stack/upload',
      '.opam/plugins/opam-publish',
      '.opam/plugins/opam-publish.token',
      '.mix/hex.config',
    ],
  },
  {
    why: 'Other languages.',
    places: [
      ...['.pub-cache', '.swiftpm', '.swiftenv', '.zvm', '.julia', '.luarocks', '.cpan', '.cpanm', '.plenv'],
      ...['.nimble', '.choosenim', '.elm', '.elan', '.terraform.d/plugin-cache', '.tfenv', '.krew/bin'],
    ],
    except: [
      ...['.pub-cache/credentials.json', '.pub-cache/pub-tokens.json', '.julia/servers', '.julia/logs'],
      ...[
        '.luarocks/upload_config.lua',
        '.cpan/histfile',
        '.cpan/CPAN/MyConfig.pm',
        '.nimble/github_api_token',
      ],
      ...['.swiftpm/security', '.choosenim/github_api_token'],
    ],
  },
];

/**
 * Files in tool chains, relative to a place of the table, into which a program itself writes tokens or passwords (`npm config set
 * --global`, `pip config set --site`). `*` is one name. Empty ones do no harm to these programs.
 */
export const deepSecrets: readonly string[] = [
  ...['etc/npmrc', 'versions/node/*/etc/npmrc', 'versions/*/etc/npmrc', 'tools/image/node/*/etc/npmrc'],
  ...['node-versions/*/installation/etc/npmrc', 'tools/node/*/etc/npmrc', 'installs/node/*/etc/npmrc'],
  ...['installs/nodejs/*/etc/npmrc', 'installs/nodejs/*/.npm/etc/npmrc', 'install/global/.npmrc'],
  ...['install/global/bunfig.toml', 'versions/*/pip.conf', 'installs/python/*/pip.conf', '*/pip.conf'],
];

/** Relative to the home. */
function locateCaches(...names: string[]): string[] {
  return names.map((name) => `.cache/${name}`);
}

/** For a home that is itself the workspace: entries that belong to the project and not to the user. */
export const projectEntries: readonly string[] = [
  ...['.git', '.github', '.gitlab-ci.yml', '.gitmodules', '.editorconfig', '.dockerignore', '.prettierrc'],
];
