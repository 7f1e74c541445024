/** Options of a program before its subcommand. */
export interface GlobalOptions {
  /** Options that take the next word, unless a value is joined to them. */
  readonly valued: string;
  /** Options that take none. For an option in neither list it is unknown whether it takes the next word. */
  readonly plain: string;
  /** Words that are followed by names and then by another subcommand, with the number of names. */
  readonly passes?: Readonly<Record<string, number>>;
  /** Every operand is a separate command. */
  readonly takesMany?: true;
  /** A subcommand may be abbreviated. */
  readonly abbreviates?: true;
  /** Subcommands with their other names. */
  readonly aliases?: Readonly<Record<string, string>>;
}

const node: GlobalOptions = {
  valued:
    '--prefix -C --cwd --dir --loglevel --registry --workspace -w --filter -F --userconfig --globalconfig --cache --tag ' +
    '--access --otp --script-shell --config --omit --include',
  plain:
    '-s --silent -q --quiet -d --verbose -r --recursive --workspaces -ws --json --offline --global -g --yes -y --force -f ' +
    '--no-color --color --dry-run --if-present --parallel --stream --ignore-scripts -W --workspace-root --bail --no-bail',
  passes: { workspace: 1, workspaces: 0, foreach: 0 },
  abbreviates: true,
};

const nodeAliases: Readonly<Record<string, string>> = {
  install: 'i in ins inst insta instal isnt isnta isntal isntall',
  ci: 'clean-install ic install-clean isntall-clean',
  'install-test': 'it',
  'install-ci-test': 'cit clean-install-test sit',
  run: 'run-script rum urn',
  test: 't tst',
  uninstall: 'un unlink remove rm r',
  update: 'u up upgrade udpate',
  exec: 'x',
  init: 'create innit',
  link: 'ln',
  list: 'ls la ll',
  view: 'v info show',
  search: 's se find',
  config: 'c',
  adduser: 'add-user login',
  owner: 'author',
  rebuild: 'rb',
  dedupe: 'ddp',
  version: 'verison',
  explain: 'why',
  'dist-tag': 'dist-tags tag',
};

/** Adding a package is another subcommand in all of them but npm. */
const npm: GlobalOptions = {
  ...node,
  aliases: { ...nodeAliases, install: `${nodeAliases.install} add` },
};
const pnpm: GlobalOptions = { ...node, aliases: { ...nodeAliases, uninstall: 'un uni remove rm r' } };
const yarn: GlobalOptions = { ...node, aliases: nodeAliases };
const bun: GlobalOptions = {
  ...node,
  aliases: { install: 'i', add: 'a', remove: 'rm r un uninstall delete', create: 'c', run: 'r' },
};

const docker: GlobalOptions = {
  valued:
    '-c --config --context -H --host -l --log-level --tlscacert --tlscert --tlskey -f --file -p --project-name ' +
    '--project-directory --env-file --profile --ansi --parallel --url --connection --identity',
  plain: '-D --debug --tls --tlsverify -v --version --verbose --remote -r --compatibility --all-resources',
};

const make: GlobalOptions = {
  valued:
    '-C -f -I -o -W --directory --file --makefile --include-dir --old-file --assume-old --what-if --eval',
  plain:
    '-s --silent --quiet -k -B -n -i -e -r -R -S -t -w -p -q -d -b -m -j -l --keep-going --always-make --dry-run ' +
    '--no-print-directory --jobs --load-average --trace --output-sync -O',
  takesMany: true,
};

const kubernetes: GlobalOptions = {
  valued:
    '-n --namespace --context --cluster --user --kubeconfig -s --server --token --as --as-group --request-timeout -v ' +
    '--certificate-authority --client-key --client-certificate --cache-dir --profile --kube-context --kube-token ' +
    '--kube-apiserver --registry-config --repository-cache --repository-config --burst-limit',
  plain:
    '--insecure-skip-tls-verify --debug --match-server-version --warnings-as-errors --kube-insecure-skip-tls-verify',
};

/** By program; for all others any later word may be the subcommand. */
export const globalOptions: Readonly<Record<string, GlobalOptions>> = {
  git: {
    valued: '-C -c --git-dir --work-tree --namespace --config-env --super-prefix --attr-source --list-cmds',
    plain:
      '-p -P --paginate --no-pager --bare --no-replace-objects --no-lazy-fetch --no-optional-locks --no-advice ' +
      '--literal-pathspecs --glob-pathspecs --noglob-pathspecs --icase-pathspecs --exec-path --html-path',
  },
  ...{ npm, pnpm, yarn, bun },
  ...{ docker, podman: docker, 'docker-compose': docker, nerdctl: docker },
  ...{
    make,
    gmake: make,
    just: { ...make, valued: `${make.valued} -d --set --justfile --working-directory` },
  },
  ...{ kubectl: kubernetes, oc: kubernetes, helm: kubernetes },
  terraform: { valued: '', plain: '-help -version' },
  tofu: { valued: '', plain: '-help -version' },
  cargo: {
    valued: '-C -Z --config --color --explain --manifest-path --target-dir',
    plain: '-q -v -vv --quiet --verbose --locked --offline --frozen --list',
    aliases: { build: 'b', check: 'c', doc: 'd', test: 't', run: 'r', remove: 'rm' },
  },
  go: { valued: '-C', plain: '' },
  gh: { valued: '-R --repo --hostname', plain: '' },
  systemctl: {
    valued:
      '-H --host -M --machine -t --type -p --property -n --lines -o --output -s --signal --root --image --job-mode',
    plain:
      '--user --system --global --no-pager -q --quiet -a --all --now --no-block --force -f --no-ask-password --runtime',
  },
  aws: {
    valued:
      '--profile --region --output --endpoint-url --query --color --ca-bundle --cli-read-timeout --cli-connect-timeout',
    plain: '--debug --no-verify-ssl --no-paginate --no-sign-request --no-cli-pager --cli-auto-prompt',
  },
  gcloud: {
    valued:
      '--project --account --configuration --format --verbosity --billing-project --impersonate-service-account',
    plain: '-q --quiet --log-http --user-output-enabled --no-user-output-enabled',
  },
};
