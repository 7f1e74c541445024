#!/bin/sh
# Three workers on this machine, as plain processes. The engine runs already:
#
#   CADRE_ENGINE=redis://localhost:6379 ANTHROPIC_API_KEY=… sh fleet.sh
#   CADRE_ENGINE=redis://localhost:6379 cadre --remote "…"        in another terminal
#
# Each worker has a home of its own below the directory that is given (~/.cadre-fleet otherwise). Ctrl-c gives their jobs back and ends them.
set -eu
: "${CADRE_ENGINE:?Set CADRE_ENGINE to the address of Redis, Valkey or PostgreSQL.}"
cadre=${CADRE:-cadre}
directory=${1:-"$HOME/.cadre-fleet"}
umask 077
mkdir -p "$directory"

"$cadre" worker prepare

# Workers accept your jobs, you accept their results, and each continues what another one has begun.
mine=$("$cadre" worker key)
for worker in 1 2 3; do
  key=$(CADRE_HOME="$directory/home-$worker" "$cadre" worker key)
  "$cadre" worker trust "$key" "fleet worker $worker"
  for other in 1 2 3; do
    CADRE_HOME="$directory/home-$other" "$cadre" worker trust "$key" "fleet worker $worker"
  done
  CADRE_HOME="$directory/home-$worker" "$cadre" worker trust "$mine" submitter
done

workers=
stop() {
  trap - INT TERM
  for worker in $workers; do kill -TERM "$worker" 2>/dev/null || true; done
  wait
}
trap stop INT TERM

for worker in 1 2 3; do
  CADRE_HOME="$directory/home-$worker" "$cadre" worker --name "fleet-$worker" --slots 2 \
    --directory "$directory/files-$worker" ${CADRE_WORKER_FLAGS:-} &
  workers="$workers $!"
done
wait
