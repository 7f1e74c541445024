/**
 * Files that hold credentials, and why. They are closed to read-only roles wherever they are; a pattern that ends in a slash
 * is a directory with everything below it.
 */
export interface CredentialFiles {
  readonly why: string;
  readonly patterns: readonly string[];
  /**
   * Places in the user's home that are also closed to a sandboxed command, since the model sees what it reads. They may be
   * wider than the patterns: `.docker` in a repository is not a secret. Not here: files that everyday tools need, such as
   * `~/.npmrc`.
   */
  readonly home?: readonly string[];
}

export const credentialFiles: readonly CredentialFiles[] = [
  {
    why: 'Deployment settings, including passwords.',
    patterns: ['.env', '.env.*', '*.env', '.envrc', '.dev.vars'],
  },
  {
    why: 'Private keys, alone or in a store.',
    patterns: ['*.pem', '*.key', '*.p8', '*.p12', '*.pfx', '*.jks', '*.keystore', '*.kdbx', '*.ppk'],
  },
  {
    why: 'SSH keys by their usual names.',
    patterns: ['id_rsa*', 'id_dsa*', 'id_ecdsa*', 'id_ed25519*', '.ssh/'],
    home: ['.ssh'],
  },
  {
    why: 'GnuPG keys, and password stores encrypted with them.',
    patterns: ['.gnupg/', '.password-store/', '.local/share/keyrings/'],
    home: ['.gnupg', '.password-store', '.local/share/keyrings'],
  },
  {
    why: 'Passwords for hosts.',
    patterns: [
      '.netrc',
      '_netrc',
      '.git-credentials',
      '.config/git/credentials',
      '.htpasswd',
      '.pgpass',
      '.my.cnf',
      '.mylogin.cnf',
      '.s3cfg',
      '.boto',
    ],
    home: ['.netrc', '.git-credentials', '.config/git/credentials', '.pgpass', '.my.cnf'],
  },
  {
    why: 'Package registry tokens.',
    patterns: [
      '.npmrc',
      '.pypirc',
      '.gem/credentials',
      '.cargo/credentials',
      '.cargo/credentials.toml',
      '.m2/settings.xml',
      '.m2/settings-security.xml',
      '.nuget/NuGet.Config',
      '.composer/auth.json',
      'auth.json',
    ],
    home: ['.pypirc', '.cargo/credentials', '.cargo/credentials.toml', '.gem/credentials'],
  },
  {
    why: 'Cloud accounts.',
    patterns: [
      '.config/glab-cli/',
      '.config/rclone/',
      '.aws/',
      '.azure/',
      '.config/gcloud/',
      '.config/doctl/',
      '.oci/',
      '.bluemix/',
      '.config/gh/',
      '.config/hub',
      '.config/op/',
      '.vault-token',
      '.terraformrc',
      '.terraform.d/credentials.tfrc.json',
    ],
    home: [
      '.aws',
      '.azure',
      '.config/gcloud',
      '.config/gh',
      '.config/glab-cli',
      '.config/hub',
      '.config/op',
      '.config/rclone',
      '.vault-token',
      '.terraform.d/credentials.tfrc.json',
    ],
  },
  {
    why: 'Accounts for clusters and container registries.',
    patterns: [
      '.kube/config',
      'kubeconfig',
      'kubeconfig.*',
      '*.kubeconfig',
      '.docker/config.json',
      '.dockercfg',
      '.dockerconfigjson',
      '.config/containers/auth.json',
    ],
    home: ['.kube', '.docker', '.config/containers/auth.json'],
  },
  {
    why: 'Accounts of coding agents.',
    patterns: ['.claude/.credentials.json', '.codex/auth.json', '.gemini/oauth_creds.json'],
    home: ['.claude/.credentials.json', '.codex/auth.json', '.gemini/oauth_creds.json'],
  },
  {
    why: 'Browser sessions and passwords.',
    patterns: ['.config/google-chrome/', '.config/chromium/', '.mozilla/'],
    home: ['.config/google-chrome', '.config/chromium', '.mozilla'],
  },
  {
    why: 'Credential files under the names that providers give them.',
    patterns: [
      'credentials',
      'credentials*.json',
      'credentials.{yml,yaml,toml,ini,xml,csv}',
      'client_secret*.json',
      '*service-account*.json',
      '*service_account*.json',
      '*serviceaccount*.json',
      'local.settings.json',
    ],
  },
  {
    why: 'Data files named like secrets; a source file with such a name is code.',
    patterns: [
      'secret{,s}.{json,yml,yaml,toml,ini,txt,conf,cfg,properties,xml,php,env}',
      '*.secret{,s}.{json,yml,yaml,toml}',
      '.secret{,s}',
      '.secrets/',
    ],
  },
  {
    why: 'Terraform writes secrets in plain text into these.',
    patterns: ['*.tfvars', '*.tfvars.json', '*.tfstate', '*.tfstate.*'],
  },
  {
    why: 'The environment and the memory of a process, and the passwords of the machine.',
    patterns: [
      '/proc/*/environ',
      '/proc/*/task/*/environ',
      '/proc/*/mem',
      '/proc/*/task/*/mem',
      '/etc/shadow',
      '/etc/gshadow',
      '/run/secrets/',
    ],
  },
];

/** Meant to be shared: examples of the above, and the public half of a key. */
export const openCopies: readonly string[] = [
  ...['*.example', '*.sample', '*.template', '*.tmpl', '*.dist', '*.defaults', '*.schema', '*.pub'],
  ...['*.example.*', '*.sample.*', '*.template.*', '*.env.d.ts', '*.pub.pem', '*.public.pem', '*_public.pem'],
];

/** Variables that lead to credentials. A path is hidden wherever it is; with `inside`, only that entry in it. */
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
  HF_TOKEN_PATH: undefined,
  XDG_CACHE_HOME: ['huggingface/token', 'huggingface/stored_tokens', 'gh', 'gcloud', 'azure', 'keyring'],
  UV_CREDENTIALS_DIR: undefined,
  STACK_ROOT: ['upload'],
  NIMBLE_DIR: ['github_api_token'],
  OPAMROOT: ['plugins/opam-publish', 'plugins/opam-publish.token'],
  PUB_CACHE: ['credentials.json', 'pub-tokens.json'],
  JULIA_DEPOT_PATH: ['servers', 'logs'],
  GRADLE_USER_HOME: ['gradle.properties', 'init.gradle', 'init.d'],
  BUNDLE_USER_CONFIG: undefined,
  BUNDLE_USER_HOME: ['config'],
  POETRY_CONFIG_DIR: undefined,
  HELM_REGISTRY_CONFIG: undefined,
  HELM_REPOSITORY_CONFIG: undefined,
  KAGGLE_CONFIG_DIR: undefined,
  PULUMI_HOME: ['credentials.json'],
  DATABRICKS_CONFIG_FILE: undefined,
  SNOWFLAKE_HOME: undefined,
};
