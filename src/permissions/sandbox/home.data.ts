/**
 * What a confined command finds of the user's home besides the entries without a dot: everything else that begins with a
 * dot does not exist inside. Tool chains, their caches, and what a commit needs to be signed with a name. Each place that
 * exists costs a command about 0.15 ms. A user adds more with `sandbox.filesystem.allowRead`.
 */
export interface ShownInHome {
  readonly why: string;
  /** Relative to the home. */
  readonly places: readonly string[];
  /** Files and directories in those places that hold credentials or what a person did: they stay hidden. */
  readonly except?: readonly string[];
}

export const shownInHome: readonly ShownInHome[] = [
  {
    why: 'Name and address for commits, and what git ignores. Tokens belong in a credential helper, not in here.',
    places: ['.gitconfig', '.config/git', '.gitignore', '.gitignore_global', '.gitattributes', '.mailmap'],
    except: ['.config/git/credentials'],
  },
  {
    why: 'Caches of build tools and package managers, without those of browsers, mail and accounts.',
    places: ['.cache', '.ccache'],
    except: [
      ...[
        '.cache/google-chrome',
        '.cache/chromium',
        '.cache/mozilla',
        '.cache/BraveSoftware',
        '.cache/vivaldi',
      ],
      ...['.cache/microsoft-edge', '.cache/thunderbird', '.cache/evolution', '.cache/huggingface/token'],
      ...['.cache/huggingface/stored_tokens', '.cache/gh', '.cache/gcloud', '.cache/azure', '.cache/keyring'],
      ...['.cache/clipboard', '.cache/cliphist', '.cache/claude', '.cache/claude-cli-nodejs', '.cache/cadre'],
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
    except: ['.npm/_logs'],
  },
  {
    why: 'Python.',
    places: ['.pyenv', '.virtualenvs', '.rye', '.local/pipx', '.local/share/uv', '.local/share/virtualenv'],
    except: ['.rye/credentials'],
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
    except: ['.gem/credentials'],
  },
  {
    why: 'Java and its relatives: repositories and caches, not the settings, which hold passwords.',
    places: [
      ...['.m2/repository', '.m2/wrapper', '.gradle/caches', '.gradle/wrapper', '.gradle/native'],
      ...['.gradle/jdks', '.sdkman', '.jenv', '.jabba', '.ivy2/cache', '.ivy2/local', '.sbt/boot'],
      ...['.sbt/launchers', '.coursier', '.konan'],
    ],
  },
  { why: 'Go.', places: ['.config/go', '.goenv', '.gvm'] },
  { why: '.NET: packages, not the settings.', places: ['.dotnet', '.nuget/packages'] },
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
  },
  {
    why: 'Other languages.',
    places: [
      ...['.pub-cache', '.swiftpm', '.swiftenv', '.zvm', '.julia', '.luarocks', '.cpan', '.cpanm', '.plenv'],
      ...['.nimble', '.choosenim', '.elm', '.elan', '.terraform.d/plugin-cache', '.tfenv', '.krew/bin'],
    ],
    except: ['.pub-cache/credentials.json', '.julia/servers', '.luarocks/upload_config.lua'],
  },
];

/** Of a home that is itself the workspace: what belongs to the project and not to the user. */
export const projectEntries: readonly string[] = [
  ...['.git', '.github', '.gitlab-ci.yml', '.gitmodules', '.editorconfig', '.dockerignore', '.prettierrc'],
];

/** Variables that lead to credentials. A path is hidden wherever it is; with `inside`, only that in it. */
export const credentialVariables: Readonly<Record<string, readonly string[] | undefined>> = {
  AWS_SHARED_CREDENTIALS_FILE: undefined,
  AWS_CONFIG_FILE: undefined,
  AZURE_CONFIG_DIR: undefined,
  CLOUDSDK_CONFIG: undefined,
  GOOGLE_APPLICATION_CREDENTIALS: undefined,
  KUBECONFIG: undefined,
  DOCKER_CONFIG: undefined,
  REGISTRY_AUTH_FILE: undefined,
  GH_CONFIG_DIR: undefined,
  GLAB_CONFIG_DIR: undefined,
  GNUPGHOME: undefined,
  PASSWORD_STORE_DIR: undefined,
  NETRC: undefined,
  PGPASSFILE: undefined,
  PGSERVICEFILE: undefined,
  MYSQL_TEST_LOGIN_FILE: undefined,
  NPM_CONFIG_USERCONFIG: undefined,
  npm_config_userconfig: undefined,
  PIP_CONFIG_FILE: undefined,
  VAULT_CONFIG_PATH: undefined,
  TF_CLI_CONFIG_FILE: undefined,
  BOTO_CONFIG: undefined,
  RCLONE_CONFIG: undefined,
  ANSIBLE_VAULT_PASSWORD_FILE: undefined,
  SOPS_AGE_KEY_FILE: undefined,
  CLAUDE_CONFIG_DIR: undefined,
  CODEX_HOME: undefined,
  CARGO_HOME: ['credentials', 'credentials.toml'],
  GEM_HOME: ['credentials'],
  COMPOSER_HOME: ['auth.json'],
  HF_HOME: ['token', 'stored_tokens'],
};
