/**
 * Tests the sandbox from inside, with `sh`. Prints a line for each failed test, and "done" at the end. Nothing is written:
 * files are opened for appending, and closed again.
 */
export const selfTestScript: string = String.raw`own=$1 outside=$2 sockets=$3
shift 3
opens() { [ -e "$1" ] && (: >> "$1") 2>/dev/null; }
reads() { (: < "$1") 2>/dev/null; }
for file in /proc/sys/kernel/core_pattern /proc/sys/kernel/modprobe /proc/sys/kernel/hostname /proc/sysrq-trigger \
  /proc/irq/default_smp_affinity /proc/mtrr /proc/self/oom_score_adj /proc/1/mem /sys/kernel/uevent_helper /sys/kernel/profiling \
  /sys/kernel/rcu_normal /sys/power/state /etc/passwd /etc/hosts; do
  if opens "$file"; then echo "$file can be written"; fi
done
if [ -e "$own" ]; then echo "the harness's own directory can be seen ($own)"; fi
if [ ! -e "$outside" ]; then echo "a file outside the workspace is missing ($outside)"; fi
if opens "$outside"; then echo "a file outside the workspace can be written"; fi
for entry in "$@"; do
  if [ -d "$entry" ]; then
    for inner in "$entry"/* "$entry"/.[!.]*; do
      if [ -e "$inner" ]; then echo "a hidden entry can be seen ($entry)"; break; fi
    done
  elif reads "$entry"; then echo "a hidden entry can be read ($entry)"; fi
done
for entry in /run/* /run/user/*/*; do
  if [ -S "$entry" ] || [ -p "$entry" ]; then echo "a socket or pipe of a service can be reached ($entry)"; fi
done
caps= permitted= privileges= filter=
while read -r name value rest; do
  case $name in
  CapEff:) caps=$value ;; CapPrm:) permitted=$value ;; NoNewPrivs:) privileges=$value ;; Seccomp:) filter=$value ;;
  esac
done < /proc/self/status
case $caps$permitted in *[!0]* | '') echo "root privileges remain ($caps $permitted)" ;; esac
if [ "$privileges" != 1 ]; then echo "programs can gain privileges (no_new_privs is not set)"; fi
if [ "$filter" != 2 ]; then echo "there is no filter for system calls"; fi
while read -r name rest; do
  case $name in lo:*) ;; *:*) echo "a network can be seen ($name)" ;; esac
done < /proc/net/dev
if [ "$$" -gt 100 ]; then echo "processes of the machine can be seen"; fi
if [ -e /proc/1/stat ]; then echo "the first process inside can be seen (/proc/1)"; fi
case $(uname -m) in x86_64) trace=101 ;; aarch64) trace=117 ;; *) trace= ;; esac
# Detach again: a stopped first process would never end.
attach='my ($trace, $request) = map { $_ + 0 } @ARGV;
exit 1 if syscall($trace, $request, 1, 0, 0) == -1;
syscall($trace, 0x4207, 1, 0, 0) if $request != 16;
waitpid(1, 0x40000000);
syscall($trace, 17, 1, 0, 0);'
for request in 16 16902; do
  if [ "$trace" ] && [ -x /usr/bin/perl ] &&
    /usr/bin/perl -e "$attach" "$trace" "$request" 2>/dev/null; then
    echo "the first process inside can be taken over (ptrace $request)"
  fi
done
if [ -x /usr/bin/unshare ] && /usr/bin/unshare -U /bin/true 2>/dev/null; then echo "user namespaces can be created"; fi
if [ "$sockets" = closed ] && [ -x /usr/bin/perl ] && /usr/bin/perl -e 'exit !socket(S, 1, 1, 0)' 2>/dev/null; then
  echo "Unix sockets can be created"
fi
echo "done"
`;
