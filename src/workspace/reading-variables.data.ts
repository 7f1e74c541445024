/**
 * Treatment of the user's variables for a command that runs without asking because it only reads. The programs of such a
 * command are few and known; these lists say which variables lead them to code or settings. A star matches any letters; the
 * most exact entry wins. A test holds that every variable commands can get is in one of the lists. A variable in none was
 * named by the user in settings, and stays: no program of ours reads it.
 */
export interface ReadingVariables {
  /** Data for these programs, whatever the value is. */
  readonly kept: string;
  /** Lists of places: relative and empty ones are removed, and those in the workspace. */
  readonly places: string;
  /** Names of versions: removed where the value contains a slash or begins with a dot. */
  readonly versions: string;
  /** Options, code, or settings of interpreters, loaders and tools. */
  readonly dropped: string;
}

export const readingVariables: readonly (ReadingVariables & { readonly of: string })[] = [
  {
    of: 'The user and the machine.',
    kept:
      'HOME USER LOGNAME HOSTNAME HOST UID SHELL MAIL LANG LANGUAGE LC_* TZ TERM TMPDIR TMP TEMP COLUMNS LINES LS_COLORS LSCOLORS ' +
      'GREP_COLORS COLORTERM CLICOLOR NO_COLOR EDITOR VISUAL BROWSER PAGER MANPAGER DISPLAY WAYLAND_DISPLAY ' +
      'DBUS_SESSION_BUS_ADDRESS DESKTOP_SESSION XDG_SESSION_* XDG_CURRENT_DESKTOP XDG_SEAT XDG_VTNR XDG_MENU_PREFIX ' +
      'SSH_AUTH_SOCK SSH_AGENT_PID GPG_TTY WSL_DISTRO_NAME WSL_INTEROP WSLENV container CADRE CADRE_* CLAUDECODE',
    places: 'PATH XDG_* GNUPGHOME',
    versions: '',
    dropped: 'LESS* MANOPT MANROFFOPT ENV BASH_ENV BASH_FUNC_* BASHOPTS SHELLOPTS',
  },
  {
    of: 'The loader, the C library and the like: every program reads these.',
    kept: '',
    places:
      'LD_LIBRARY_PATH DYLD_LIBRARY_PATH DYLD_FALLBACK_LIBRARY_PATH LOCALE_ARCHIVE LOCPATH NLSPATH TERMINFO TERMINFO_DIRS',
    versions: '',
    dropped: 'LD_* DYLD_* GCONV_PATH GETCONF_DIR HOSTALIASES RES_OPTIONS GLIBC_TUNABLES MALLOC_* RESOLV_*',
  },
  {
    of: 'Git.',
    kept:
      'GIT_AUTHOR_* GIT_COMMITTER_* GIT_CEILING_DIRECTORIES GIT_DISCOVERY_ACROSS_FILESYSTEM GIT_TERMINAL_PROMPT GIT_PAGER ' +
      'GIT_EDITOR',
    places: 'GIT_SSL_CAINFO GIT_CONFIG_GLOBAL GIT_CONFIG_SYSTEM GIT_EXEC_PATH',
    versions: '',
    dropped: 'GIT_*',
  },
  {
    of: 'The network.',
    kept: 'HTTP_PROXY HTTPS_PROXY ALL_PROXY NO_PROXY FTP_PROXY http_proxy https_proxy all_proxy no_proxy ftp_proxy',
    places:
      'SSL_CERT_FILE SSL_CERT_DIR CURL_CA_BUNDLE REQUESTS_CA_BUNDLE NODE_EXTRA_CA_CERTS AWS_CA_BUNDLE NIX_SSL_CERT_FILE',
    versions: '',
    dropped: 'OPENSSL_* CURL_HOME WGETRC',
  },
  {
    of: 'Build servers, clusters, accounts and switches.',
    kept:
      'CI CONTINUOUS_INTEGRATION BUILD_* GITHUB_* GITLAB_* CI_* RUNNER_* CIRCLE* TRAVIS* BUILDKITE* JENKINS_* ' +
      'TEAMCITY_VERSION TF_BUILD DOCKER_HOST DOCKER_CONTEXT DOCKER_BUILDKIT COMPOSE_* KUBECONFIG MINIKUBE_* AWS_PROFILE ' +
      'AWS_REGION AWS_DEFAULT_REGION AWS_CONFIG_FILE AWS_SHARED_CREDENTIALS_FILE CLOUDSDK_CONFIG GOOGLE_CLOUD_PROJECT ' +
      'GCLOUD_PROJECT AZURE_CONFIG_DIR DEBUG VERBOSE LOG_LEVEL TEST_* TESTS_* JEST_* VITEST* PLAYWRIGHT_BROWSERS_PATH ' +
      'CYPRESS_CACHE_FOLDER PUPPETEER_* SOURCE_DATE_EPOCH PORT HTTP_PORT',
    places: 'DOCKER_CONFIG',
    versions: '',
    dropped: '',
  },
  {
    of: 'JavaScript, and version managers.',
    kept: 'NODE_ENV NODE_VERSION NODE_NO_WARNINGS NODE_TLS_REJECT_UNAUTHORIZED npm_package_* npm_lifecycle_*',
    places:
      'NODE_PATH NVM_* FNM_* VOLTA_HOME N_PREFIX ASDF_* MISE_* RTX_* PNPM_HOME DENO_DIR DENO_INSTALL DENO_INSTALL_ROOT npm_execpath ' +
      'npm_node_execpath',
    versions: 'ASDF_*_VERSION NODENV_VERSION',
    dropped:
      'NODE_* NODENV_* npm_config_* NPM_CONFIG_* YARN_* COREPACK_* DENO_* BUN_* VOLTA_* ASDF_CONFIG_FILE ' +
      'ASDF_DEFAULT_TOOL_VERSIONS_FILENAME ASDF_TOOL_VERSIONS_FILENAME',
  },
  {
    of: 'Python.',
    kept:
      'VIRTUAL_ENV VIRTUAL_ENV_PROMPT CONDA_DEFAULT_ENV CONDA_SHLVL CONDA_PROMPT_MODIFIER PYTHONDONTWRITEBYTECODE PYTHONUNBUFFERED ' +
      'PYTHONIOENCODING PYTHONUTF8 PYTHONHASHSEED PYTHONNOUSERSITE PYTHONSAFEPATH TOX_*',
    places:
      'PYTHONPATH PYTHONHOME PYTHONUSERBASE PYTHONPYCACHEPREFIX CONDA_* PYENV_* PIPX_* POETRY_HOME MYPYPATH',
    versions: 'PYENV_VERSION',
    dropped: 'PYTHON* PIP_* PIPENV_* POETRY_VIRTUALENVS_* UV_* RUFF_* BLACK_* MYPY_* PYTEST_ADDOPTS',
  },
  {
    of: 'Go and Rust.',
    kept:
      'GOPATH GOROOT GOBIN GOCACHE GOMODCACHE GOPROXY GONOPROXY GOPRIVATE GONOSUMDB GONOSUMCHECK GOSUMDB GO111MODULE GOOS GOARCH ' +
      'GOEXPERIMENT GOTMPDIR GOMAXPROCS GOGC CARGO_HOME CARGO_TARGET_DIR CARGO_BUILD_* CARGO_NET_* CARGO_INCREMENTAL ' +
      'CARGO_TERM_* CARGO_PROFILE_* RUSTUP_HOME RUST_*',
    places: '',
    versions: '',
    dropped: 'GOFLAGS GOTOOLCHAIN GOENV CGO_* RUSTUP_TOOLCHAIN RUSTFLAGS RUSTDOCFLAGS RUSTC_*',
  },
  {
    of: 'Other languages.',
    kept:
      'JAVA_HOME JDK_HOME JRE_HOME MAVEN_HOME M2_HOME GRADLE_HOME GRADLE_USER_HOME KOTLIN_HOME SCALA_HOME ANDROID_* ANT_HOME ' +
      'RAILS_ENV RACK_ENV BUNDLE_WITHOUT BUNDLE_JOBS COMPOSER_CACHE_DIR MIX_ENV MIX_HOME HEX_HOME NUGET_PACKAGES PUB_CACHE ' +
      'FLUTTER_ROOT GHCUP_INSTALL_BASE_PREFIX STACK_ROOT CABAL_DIR',
    places:
      'CLASSPATH SDKMAN_* GEM_HOME GEM_PATH RUBYLIB RBENV_* BUNDLE_PATH COMPOSER_HOME PERL5LIB PERLLIB PERL_LOCAL_LIB_ROOT OPAM* ' +
      'DOTNET_* DEVELOPER_DIR SDKROOT',
    versions:
      'RBENV_VERSION GOENV_VERSION JENV_VERSION PLENV_VERSION PHPENV_VERSION LUAENV_VERSION TOOLCHAINS',
    dropped:
      'JAVA_OPTS JAVA_TOOL_OPTIONS JDK_JAVA_OPTIONS _JAVA_* MAVEN_OPTS GRADLE_OPTS SBT_OPTS RUBY* BUNDLE_* BUNDLER_* PERL* LUA_* PHP_* ' +
      'PHPRC GHC* GHCRTS JENV_* GOENV_* PLENV_* PHPENV_* LUAENV_*',
  },
  {
    of: 'Compilers and builds.',
    kept:
      'MAKELEVEL NINJA_STATUS ARCHFLAGS MACOSX_DEPLOYMENT_TARGET NIX_PROFILES NIX_STORE IN_NIX_SHELL HOMEBREW_PREFIX HOMEBREW_CELLAR ' +
      'HOMEBREW_REPOSITORY CUDA_* ROCM_*',
    places:
      'MANPATH INFOPATH LIBRARY_PATH CPATH C_INCLUDE_PATH CPLUS_INCLUDE_PATH PKG_CONFIG_PATH CMAKE_PREFIX_PATH SCCACHE_DIR NIX_PATH',
    versions: '',
    dropped:
      'CC CXX CPP LD AR CFLAGS CXXFLAGS CPPFLAGS LDFLAGS MAKEFLAGS MAKEFILES MFLAGS GNUMAKEFLAGS CMAKE_* CCACHE_* GCC_* ' +
      'COMPILER_PATH CCC_OVERRIDE_OPTIONS CLANG_*',
  },
  {
    of: 'Tools that search, filter and show.',
    kept: '',
    places: 'MAGIC JQ_LIBRARY_PATH AWKPATH AWKLIBPATH',
    versions: '',
    dropped:
      'GREP_OPTIONS GREP_COLOR GAWK_* POSIXLY_CORRECT TAR_OPTIONS TAPE GZIP BZIP BZIP2 XZ_OPT XZ_DEFAULTS ZSTD_* UNZIP UNZIPOPT ZIPINFO ' +
      'ZIPINFOOPT DIFF_OPTIONS FD_* RIPGREP_* TREE_* VIMINIT EXINIT VIM VIMRUNTIME NVIM_* SQLITE_* PSQL* MYSQL* ZDOTDIR FPATH',
  },
  {
    of: 'All others, by name.',
    kept: '',
    places: '*PATH',
    versions: '',
    dropped: '*_OPTS *_OPTIONS *_FLAGS *_PRELOAD *_PLUGINS',
  },
];

/**
 * Set for such a command, whatever the user has: many programs look on the network for a new version of themselves, or
 * report that they were used, along with what they were called for. By these they do not.
 */
export const quietVariables: Readonly<Record<string, string>> = {
  PIP_DISABLE_PIP_VERSION_CHECK: '1',
  npm_config_update_notifier: 'false',
  NO_UPDATE_NOTIFIER: '1',
  GH_NO_UPDATE_NOTIFIER: '1',
  GH_NO_EXTENSION_UPDATE_NOTIFIER: '1',
  DENO_NO_UPDATE_CHECK: '1',
  HOMEBREW_NO_AUTO_UPDATE: '1',
  HOMEBREW_NO_ANALYTICS: '1',
  DOTNET_CLI_TELEMETRY_OPTOUT: '1',
  CHECKPOINT_DISABLE: '1',
  DO_NOT_TRACK: '1',
};
