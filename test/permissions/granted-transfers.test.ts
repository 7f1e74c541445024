import { expect, test } from 'bun:test';
import type { Case } from './cases.ts';
import { filesGround } from './files-ground.ts';

const ground = () =>
  filesGround(['a.txt', 'lib/a.ts', '.env'], (command) => [`Bash(${command.split(' ')[0]}:*)`]);

function expectAll(commands: readonly string[], behaviour: string, more: Partial<Case> = {}): void {
  const on = ground();
  for (const command of commands) expect([command, on(command, more)]).toEqual([command, behaviour]);
}

test('curl -O is asked about where the address does not plainly say the name that is written', () => {
  expectAll(
    [
      ...["curl -O 'http://h.example/{.envrc}'", "curl -O 'http://h.example/.env[r-r]c'"],
      ...["curl -O 'http://h.example/{a.txt,.envrc}'", "curl -gO 'http://h.example/{.envrc}'"],
      ...["curl -O 'http://h.example/a\\.envrc'", 'curl -O http://h.example/.envrc/'],
      ...["curl -O 'http://h.example/a;/.envrc'", "curl -O 'http://h.example/a?b=/.envrc'"],
      ...["curl -O 'http://h.example/a#/.envrc'", 'curl -O http://h.example/%2eenvrc', 'curl -O h.example'],
      ...['curl -O http://h.example/a/.', 'curl -O http://h.example/a/..', 'curl -O http://h.example/.envrc'],
      ...['curl --remote-name http://h.example/.envrc', 'curl --remote-name-all http://h.example/%2eenvrc'],
      ...['curl -O --url http://h.example/.envrc', "curl -O --url 'http://h.example/{.envrc}'"],
      ...['curl --output-dir .vscode -O http://h.example/tasks.json', 'curl -OJ http://h.example/a.txt'],
      ...['curl -OL --remote-header-name http://h.example/a.txt', 'curl -O http://h.example/$x'],
    ],
    'ask',
  );
  expectAll(
    ['curl -fsSLO https://h.example/a/v1.2/tool-1.2_linux.tar.gz', 'curl -O h.example/a.txt'],
    'allow',
  );
  expectAll(['curl --output-dir lib -O http://h.example/a.ts'], 'deny', { deny: ['Edit(lib/**)'] });
});

test('wget is asked about where the address does not plainly say the name that is written', () => {
  expectAll(
    [
      ...['wget h.example:.envrc', 'wget h.example:a/.envrc', "wget 'ftp://h.example/.env*'"],
      ...["wget 'ftp://h.example/.env[r]c'", "wget 'ftp://h.example/.envr?'"],
      ...["wget 'ftp://h.example/.envrc;type=a'", 'wget http://h.example/%2eenvrc'],
      ...["wget 'http://h.example/a?b=c'", 'wget -r http://h.example/', 'wget -i list.txt'],
      ...['wget --content-disposition http://h.example/a', 'wget --trust-server-names http://h.example/a'],
      ...['wget http://h.example/.envrc', 'wget h.example/.envrc', "wget 'http://h.example/a\\.envrc'"],
    ],
    'ask',
  );
  expectAll(
    [
      ...[
        'wget -q https://h.example/a/tool-1.2.tar.gz',
        'wget https://h.example',
        'wget https://h.example/a/',
      ],
      ...['wget h.example/a.tgz', 'wget h.example:8080/a.tgz', "wget -O x.json 'https://h.example/a?b=c'"],
      "wget -qO- 'https://h.example/a?b={c}'",
    ],
    'allow',
  );
  expectAll(['wget -P lib http://h.example/a.ts'], 'deny', { deny: ['Edit(lib/**)'] });
});

test('rsync from another machine, which chooses the names, is asked about', () => {
  expectAll(
    [
      ...['rsync h:.envrc .', "rsync 'h:.env*' .", 'rsync -a h:x/ .', 'rsync -a rsync://h/m/ .'],
      ...['rsync -a u@h:x/ out', 'rsync -a h::m/ out', 'rsync -a a.txt h:x out', 'rsync -a [::1]:x out'],
    ],
    'ask',
  );
  expectAll(['rsync -a lib/ out/', 'rsync -a ./a:b out/', 'rsync -a lib/ h:x/'], 'allow');
});

test('files in which curl keeps what it learnt are read and written', () => {
  expectAll(['curl --hsts .env http://h.example', 'curl --alt-svc .env http://h.example'], 'deny', {
    deny: ['Read(.env)'],
  });
  expectAll(['curl --hsts .env http://h.example', 'curl --alt-svc .env http://h.example'], 'deny', {
    deny: ['Edit(.env)'],
  });
  expectAll(['curl --hsts hsts.txt http://h.example'], 'allow');
});

test('addresses that curl takes out of a file are not known', () => {
  expectAll(['curl --url @list.txt', 'curl --url=@list.txt -O', 'curl --url @-'], 'ask');
});
