import { expect, test } from 'bun:test';
import { judge, shell } from './cases.ts';

const rules = [
  ...[
    'npm test',
    'npm run test',
    'npm run build',
    'yarn test',
    'pnpm test',
    'pnpm run build',
    'make test',
    'uv run pytest',
    'mvn test',
    'gradle test',
    './gradlew test',
    'cargo test',
  ],
  ...[
    'cargo clippy',
    'cargo run',
    'go test',
    'go build',
    'npx tsc',
    'npx jest',
    'python -m pytest',
    'pytest',
    'bun test',
    'bun run test',
  ],
  ...[
    'git commit',
    'git push',
    'git fetch',
    'git clone',
    'git rebase',
    'git grep',
    'git log',
    'git pull',
    'git add',
    'git config',
    'git submodule',
    'git checkout',
  ],
].map((words) => `Bash(${words}:*)`);

const verdict = (command: string, allow = rules) => judge({ accesses: [shell(command)], allow }).behaviour;

const asked = [
  ...[
    'npm test --node-options=--require=./x',
    'npm test --node-options --require=./x',
    'npm test --script-shell=./x',
  ],
  ...[
    'npm test --script-she ./x',
    'npm test --prefix x',
    'npm test -C x',
    'npm test --userconfig=x',
    'npm test --globalconfig x',
  ],
  ...[
    'npm run test --prefix=x -- --watch',
    'npm run build --silent --script-shell=./x',
    'npm test --shell ./x foo',
    'npm test --//x:_y=z',
  ],
  ...[
    'npm test "$x"',
    'npm test $x',
    'yarn test --cwd x',
    'yarn test --use-yarnrc x -- y',
    'pnpm test --dir x',
    'pnpm test -C x',
    'pnpm run build --shell-emulator',
  ],
  ...[
    'make test SHELL=./x',
    'make test -- SHELL=./x',
    'uv run pytest -p x',
    'mvn test -Djvm=./x',
    'gradle test -I x',
    'gradle test publish',
    './gradlew test --init-script x',
    "make test --eval='$(shell ./x)'",
    'make test -f x',
    'make test -fx',
    'make test -C x',
    'make test deploy',
    'make test -j4 CC=./x',
  ],
  ...[
    'make test --file=x',
    'make test -I x',
    'make test -kf x',
    'cargo test --config x',
    'cargo test --config=build.rustc=./x',
    'cargo test --manifest-path x',
  ],
  ...[
    'cargo test --target-dir x',
    'cargo test -Zx',
    'cargo clippy -- -Clinker=./x',
    'cargo test name -- --logfile .git/config',
  ],
  ...[
    'go test -exec ./x ./...',
    'go test -exec=./x',
    'go test --exec ./x',
    'go test -toolexec ./x',
    'go test -overlay x',
    'go test -ldflags=-extld=./x',
    'go test -C x',
  ],
  ...[
    'go test ./... -args -x -exec ./x',
    'go build -gcflags x',
    'go test -vettool=./x',
    'go test -coverprofile .git/config',
  ],
  ...[
    'python -m pytest -p x',
    'pytest -px',
    'pytest -c x.ini',
    'pytest --rootdir x',
    'pytest -o python_files=x',
    'pytest @x',
    'pytest --confcutdir=x',
    'pytest --junitxml=.git/config',
  ],
  ...[
    'bun test --preload ./x',
    'bun test -r ./x',
    'bun run test --cwd x',
    'git push --receive-pack=./x origin',
    'git push --exec=./x',
    'git push --rec=./x',
  ],
  ...[
    'git fetch --upload-pack ./x',
    'git fetch -u x',
    'git clone -c core.fsmonitor=./x a b',
    'git clone -u ./x a',
    'git clone --template=x a',
    'git rebase -x ./x main',
    'git rebase --exec ./x main',
  ],
  ...[
    'git grep -O./x foo',
    'git grep --open-files-in-pager=./x foo',
    'git pull --upload-pack=./x',
    'git pull -s x',
    'git config core.pager ./x',
    'git config alias.x "!./x"',
  ],
  ...[
    'git submodule foreach ./x',
    'git commit --template=x',
    'git clone ext::./x',
    "git fetch 'ext::sh -c ./x'",
    'git push ext::./x',
    'git commit -F .env "$x"',
  ],
  ...[
    'timeout 5 npm test --script-shell=./x',
    'nice make test SHELL=./x',
    'env npm test --prefix x',
    'time go test -exec ./x',
  ],
];

test('a rule for a runner does not cover options that make another program run', () => {
  for (const command of asked) expect([command, verdict(command)]).toEqual([command, 'ask']);
});

test('the question names the option', () => {
  const decision = judge({ accesses: [shell('npm test --script-shell=./x')], allow: rules });
  expect(decision.reason).toContain('--script-shell');
});

test('everyday options stay free under a rule for a runner', () => {
  const lines = [
    ...[
      'npm test',
      'npm test -- --watch foo',
      'npm run build --silent',
      'npm test foo.test.ts',
      'npm run test -w pkg',
      'npm test --workspace=a --if-present',
    ],
    ...[
      'npm run test -- -t "a b" --coverage',
      'yarn test --watch',
      'yarn test src/a.test.ts --coverage',
      'pnpm test -- --run',
      'pnpm test --watch',
      'make test -j4',
      'uv run pytest -q tests',
      'mvn test -Dtest=FooTest -q',
      './gradlew test --tests a.b',
    ],
    ...[
      'make test -j 4 -k',
      'make test --silent',
      'make test -s -n',
      'cargo test name -- --nocapture',
      'cargo test --release -p core',
      'cargo test --workspace --all-features -q',
    ],
    ...[
      'cargo test -- --test-threads=1 --skip slow',
      'cargo clippy --all-targets -- -D warnings',
      'cargo run --release -- --any thing',
      'go test ./... -run X -v -count=1',
    ],
    ...[
      'go test -race -timeout 30s -tags=a,b ./pkg/...',
      'go test -coverprofile=c.out ./...',
      'go build -o bin/x ./cmd/x',
      'npx tsc --noEmit',
      'npx tsc -p tsconfig.build.json',
    ],
    ...[
      'npx jest foo --coverage',
      'python -m pytest -q tests/test_a.py::test_b -k "a and b" -x',
      'pytest -vv --tb=short --maxfail=1',
      'pytest -n 4 --lf',
      'bun test a.test.ts --timeout 60000',
    ],
    ...[
      'git commit -m "a b"',
      'git commit -am x --no-verify',
      'git commit --amend --no-edit',
      'git push -u origin HEAD',
      'git push --force-with-lease',
      'git fetch --all --prune',
    ],
    ...[
      'git clone --depth 1 https://a.example/x.git y',
      'git rebase -i HEAD~2',
      'git rebase origin/main',
      'git rebase --continue',
      'git pull --rebase origin main',
      'git log --oneline -5',
      'git add -A',
    ],
    ...[
      'git config user.name Ann',
      'git submodule update --init --recursive',
      'git checkout -b x',
      'git checkout main',
      'timeout 60 npm test -- --watch',
      'CI=1 npm test',
    ],
  ];
  for (const command of lines) expect([command, verdict(command)]).toEqual([command, 'allow']);
});

test('a rule that spells an option out covers it', () => {
  expect(verdict('npm test --prefix web', ['Bash(npm test --prefix web:*)'])).toBe('allow');
  expect(verdict('npm test --prefix web --silent', ['Bash(npm test --prefix web:*)'])).toBe('allow');
  expect(verdict('npm test --prefix web --prefix x', ['Bash(npm test --prefix web:*)'])).toBe('ask');
  expect(verdict('make -C sub test', ['Bash(make -C sub test:*)'])).toBe('allow');
  expect(verdict('make test SHELL=./x', ['Bash(make -C sub test:*)', 'Bash(make test *)'])).toBe('ask');
  expect(verdict('npm test --prefix web', ['Bash(npm test --prefix web)'])).toBe('allow');
  expect(verdict('npm --prefix x test', ['Bash(npm * test)'])).toBe('ask');
  expect(verdict('git push origin --exec=./x main', ['Bash(git push * main)'])).toBe('ask');
  expect(verdict('git push origin main', ['Bash(git * main)'])).toBe('allow');
  expect(verdict('git -c core.pager=./x log', ['Bash(git:*)'])).toBe('ask');
  expect(verdict('git --exec-path=./x foo', ['Bash(git:*)'])).toBe('ask');
  expect(verdict('git -C sub log --oneline --stat -p --ext-diff', ['Bash(git:*)'])).toBe('allow');
});

test('a rule for the whole of an interpreter or runner is the word of the user', () => {
  expect(verdict('make SHELL=./x', ['Bash(make:*)'])).toBe('allow');
  expect(verdict('npm run anything --prefix x', ['Bash(npm:*)'])).toBe('allow');
  expect(verdict('node --require ./x y.js', ['Bash(node:*)'])).toBe('allow');
});
