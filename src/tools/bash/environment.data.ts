/** Variables that commands get, by name or with a star, and why. Variables in no list are withheld. */
export interface OpenVariables {
  readonly why: string;
  readonly names: string;
}

/**
 * A star never matches a name that suggests a secret (`npm_config_//registry/:_authToken`, `GITHUB_TOKEN`), and no
 * address with a password in it passes: both must be named in settings.
 */
export const openEnvironment: readonly OpenVariables[] = [
  {
    why: 'The user and the machine.',
    names: 'HOME USER LOGNAME HOSTNAME HOST UID SHELL PATH MAIL LANG LANGUAGE LC_* TZ',
  },
  {
    why: 'Where programs find libraries, manuals and their own files.',
    names:
      'MANPATH INFOPATH LD_LIBRARY_PATH DYLD_LIBRARY_PATH DYLD_FALLBACK_LIBRARY_PATH LIBRARY_PATH CPATH C_INCLUDE_PATH CPLUS_INCLUDE_PATH PKG_CONFIG_PATH CMAKE_PREFIX_PATH TERMINFO TERMINFO_DIRS LOCALE_ARCHIVE',
  },
  { why: 'Where temporary and personal files go.', names: 'TMPDIR TMP TEMP XDG_*' },
  {
    why: 'How output is laid out.',
    names: 'COLUMNS LINES LS_COLORS LSCOLORS GREP_COLORS COLORTERM CLICOLOR',
  },
  {
    why: 'Editors; nothing is opened, but they read configuration.',
    names: 'EDITOR VISUAL BROWSER',
  },
  {
    why: 'A desktop, for tests that need one.',
    names: 'DISPLAY WAYLAND_DISPLAY DBUS_SESSION_BUS_ADDRESS DESKTOP_SESSION',
  },
  {
    why: 'Git over SSH needs the agent. It signs, and does not reveal its keys.',
    names: 'SSH_AUTH_SOCK SSH_AGENT_PID GPG_TTY GNUPGHOME',
  },
  {
    why: 'Author and committer.',
    names:
      'GIT_AUTHOR_NAME GIT_AUTHOR_EMAIL GIT_COMMITTER_NAME GIT_COMMITTER_EMAIL GIT_SSL_CAINFO GIT_CEILING_DIRECTORIES GIT_DISCOVERY_ACROSS_FILESYSTEM',
  },
  {
    why: 'Proxies, unless the address contains a password.',
    names:
      'HTTP_PROXY HTTPS_PROXY ALL_PROXY NO_PROXY FTP_PROXY http_proxy https_proxy all_proxy no_proxy ftp_proxy',
  },
  {
    why: 'Certificate authorities.',
    names:
      'SSL_CERT_FILE SSL_CERT_DIR CURL_CA_BUNDLE REQUESTS_CA_BUNDLE NODE_EXTRA_CA_CERTS AWS_CA_BUNDLE NIX_SSL_CERT_FILE',
  },
  {
    why: 'A build server: programs behave differently there, and report the commit.',
    names:
      'CI CONTINUOUS_INTEGRATION BUILD_* GITHUB_* GITLAB_* CI_* RUNNER_* CIRCLE* TRAVIS* BUILDKITE* JENKINS_* TEAMCITY_VERSION TF_BUILD',
  },
  {
    why: 'JavaScript.',
    names:
      'NODE_ENV NODE_OPTIONS NODE_PATH NODE_VERSION NODE_NO_WARNINGS NODE_TLS_REJECT_UNAUTHORIZED NVM_* FNM_* VOLTA_HOME N_PREFIX ASDF_* MISE_* RTX_* npm_config_* NPM_CONFIG_* npm_package_* npm_lifecycle_* npm_execpath npm_node_execpath PNPM_HOME YARN_* COREPACK_* DENO_DIR DENO_INSTALL DENO_INSTALL_ROOT',
  },
  {
    why: 'Python.',
    names:
      'VIRTUAL_ENV VIRTUAL_ENV_PROMPT CONDA_* PYENV_* PYTHON* PIP_* PIPX_* PIPENV_* POETRY_HOME POETRY_VIRTUALENVS_* UV_* MYPYPATH PYTEST_ADDOPTS TOX_*',
  },
  {
    why: 'Go.',
    names:
      'GOPATH GOROOT GOBIN GOCACHE GOMODCACHE GOFLAGS GOPROXY GONOPROXY GOPRIVATE GONOSUMDB GONOSUMCHECK GOSUMDB GOTOOLCHAIN GO111MODULE GOOS GOARCH GOENV GOEXPERIMENT GOTMPDIR GOMAXPROCS GOGC CGO_*',
  },
  {
    why: 'Rust.',
    names:
      'CARGO_HOME CARGO_TARGET_DIR CARGO_BUILD_* CARGO_NET_* CARGO_INCREMENTAL CARGO_TERM_* CARGO_PROFILE_* RUSTUP_HOME RUSTUP_TOOLCHAIN RUSTFLAGS RUSTDOCFLAGS RUSTC_WRAPPER RUST_*',
  },
  {
    why: 'Java and the JVM.',
    names:
      'JAVA_HOME JDK_HOME JRE_HOME JAVA_OPTS JAVA_TOOL_OPTIONS CLASSPATH MAVEN_HOME MAVEN_OPTS M2_HOME GRADLE_HOME GRADLE_USER_HOME GRADLE_OPTS SDKMAN_* KOTLIN_HOME SCALA_HOME SBT_OPTS ANDROID_* ANT_HOME',
  },
  {
    why: 'Ruby, PHP, Perl, Lua, Haskell, OCaml, Elixir, .NET, Swift, Dart.',
    names:
      'GEM_HOME GEM_PATH RUBYLIB RUBYOPT RBENV_* RAILS_ENV RACK_ENV BUNDLE_PATH BUNDLE_GEMFILE BUNDLE_WITHOUT BUNDLE_JOBS COMPOSER_HOME COMPOSER_CACHE_DIR PERL5LIB PERL_MM_OPT PERL_MB_OPT PERL_LOCAL_LIB_ROOT LUA_PATH LUA_CPATH GHCUP_INSTALL_BASE_PREFIX STACK_ROOT CABAL_DIR OPAM* MIX_ENV MIX_HOME HEX_HOME DOTNET_* NUGET_PACKAGES PUB_CACHE FLUTTER_ROOT DEVELOPER_DIR SDKROOT TOOLCHAINS',
  },
  {
    why: 'Compilers and builds.',
    names:
      'CC CXX CPP LD AR CFLAGS CXXFLAGS CPPFLAGS LDFLAGS MAKEFLAGS MAKELEVEL MFLAGS CMAKE_* NINJA_STATUS CCACHE_* SCCACHE_DIR ARCHFLAGS MACOSX_DEPLOYMENT_TARGET HOMEBREW_PREFIX HOMEBREW_CELLAR HOMEBREW_REPOSITORY NIX_PATH NIX_PROFILES NIX_STORE IN_NIX_SHELL CUDA_* ROCM_*',
  },
  {
    why: 'Where containers and clusters are; their credentials are in separate files.',
    names:
      'DOCKER_HOST DOCKER_CONTEXT DOCKER_BUILDKIT DOCKER_CONFIG COMPOSE_* KUBECONFIG MINIKUBE_* XDG_RUNTIME_DIR container',
  },
  {
    why: 'The account and region, not the credentials for them.',
    names:
      'AWS_PROFILE AWS_REGION AWS_DEFAULT_REGION AWS_CONFIG_FILE AWS_SHARED_CREDENTIALS_FILE CLOUDSDK_CONFIG GOOGLE_CLOUD_PROJECT GCLOUD_PROJECT AZURE_CONFIG_DIR',
  },
  {
    why: 'Flags that are set for one run.',
    names:
      'DEBUG VERBOSE LOG_LEVEL TEST_* TESTS_* JEST_* VITEST* PLAYWRIGHT_BROWSERS_PATH CYPRESS_CACHE_FOLDER PUPPETEER_* SOURCE_DATE_EPOCH PORT HTTP_PORT',
  },
  { why: 'Windows Subsystem for Linux.', names: 'WSL_DISTRO_NAME WSL_INTEROP WSLENV' },
];
