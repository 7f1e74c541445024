/** With `npm test`, `git --version` and `docker` excluded: a line for each, which leaves the sandbox. */
export const leavingLines: readonly string[] = `docker ps
docker run -v $PWD:/x y
npm test
npm test -- --watch=false
! npm test
npm test | tail -5
npm test 2>&1 | grep -v ok | head -3
npm test > /dev/null 2>&1
npm test; git --version
npm test && echo done || echo failed
CI=1 npm test
timeout 5 docker ps
env CI=1 npm test
cd sub && npm test
(npm test)
time npm test
docker ps -q | xargs docker rm
docker images | sort | uniq -c
npm test src/*.ts
docker inspect x | jq '.[0].Id'
docker ps | awk '{print $1}'
docker logs "$(docker ps -q)"
docker exec c sh -c "cat /etc/passwd; ls"
for n in a b; do docker rm "$n"; done
if docker ps; then npm test; fi`.split('\n');

/** Each of these does something else as well, or may: all of it stays inside. */
export const stayingLines: readonly string[] = [
  ...`cat ~/.ssh/id_rsa; git --version
npm test; touch /outside/P1
npm test $(touch /outside/P2)
npm test > /outside/P3
touch /outside/P4 && npm test
PATH=.:$PATH npm test
npm test > out.log
npm test < ~/.ssh/id_rsa
npm test &> x
{ npm test; } > x
npm test >&x
LD_PRELOAD=./x.so npm test
env PATH=. npm test
env -i npm test
PATH=.; npm test
export PATH=.; npm test
npm() { touch x; }; npm test
alias npm=touch; npm test
./npm test
/repo/npm test
./git --version
NPM test
exec npm test
eval npm test
sh -c "npm test"
bash -c "npm test; touch x"
sudo npm test
find . -exec docker rm {} +
npm test | tee x
npm test | tail -f ~/.ssh/id_rsa
command cd sub && npm test
builtin cd sub && npm test
pushd sub && npm test
env -C sub npm test
env --chdir=sub npm test
unset -f cd; cd sub && npm test
cat x | npm test
npm test | sort -o x
npm test | sh
npm test | xargs touch
npm test & touch x
npm test <(touch x)
npm test "\`touch x\`"
npm test "\${a[\`touch x\`]}"
npm test $((a[0]))
coproc npm test
cd /outside && npm test
cd .. && npm test
cd "$d" && npm test
cd sub; cd ../..; npm test
cd -; npm test
cd; npm test
npm test ~/.ssh/*
npm test {/etc,/outside}/*
echo ~/.ssh/*; npm test
for f in ~/.ssh/*; do echo "$f"; done; npm test
for f in ~/.ssh/*; do npm test "$f"; done
for d in .; do cd "$d/.."; npm test; done
ps aux; npm test
echo "$SECRET"; npm test
git -c alias.x=!sh x; npm test
git -C /outside --version
echo docker; make
dockerize x
hash -p ./x npm; npm test
npm "test
[ -f ~/.ssh/id_rsa ] && npm test
[[ -f ~/.ssh/id_rsa ]] && npm test
[[ -n $(touch x) ]] && npm test
npm test | while read x; do touch $x; done
trap "touch x" EXIT; npm test
npm test "$(< ~/.ssh/id_rsa)"
npm test \${x:-$(touch y)}
npm test \${PATH@P}
npm test \${!x}
printf -v PATH .; npm test
printf -vPATH .; npm test
for PATH in .; do npm test; done
for LD_PRELOAD in ./x.so; do npm test; done
select PATH in .; do npm test; done
case x in x) PATH=.;; esac; npm test
: \${PATH:=.}; npm test
echo \${BASH_ENV:=./x}; npm test
echo $((PATH=1)); npm test
((PATH=1)); npm test
wait -p PATH; npm test
npm test {PATH}>/dev/null; npm test
read PATH < x; npm test
getopts a PATH; npm test
mapfile PATH; npm test
sed 1e; npm test
npm test | sed "s/a/touch x/e"
npm test | sed "w x"
npm test | awk '{system("x")}'
npm test | awk '{print > "x"}'
npm test | grep -rf x .
npm test | jq -n env
npm test | xargs -I npm npm test
npm test | /repo/tail
npm test | ./tail -5`.split('\n'),
  'npm test\ntouch x',
  'npm test <<E\n$(touch x)\nE',
];
