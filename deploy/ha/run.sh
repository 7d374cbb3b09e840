#!/bin/sh
# Runs one part of the cluster in the foreground, for trying it out on one machine, as root: run.sh etcd, run.sh node1,
# run.sh node2, run.sh node3, run.sh haproxy. /etc/hosts: 127.0.0.1 etcd1, 127.0.0.11 node1, 127.0.0.12 node2, 127.0.0.13 node3.
# Data: HA_DIR.
set -eu
cd "$(dirname "$0")"
dir=${HA_DIR:-/var/lib/postgresql/leaderboard}


load() {
  set -a
  eval "$(sed "$2" "$1")"
  set +a
}

case ${1:-} in
  etcd)
    load etcd.env "s#/var/lib/etcd/leaderboard#$dir/etcd#"
    exec etcd
    ;;
  haproxy) exec haproxy -db -f haproxy.cfg ;;
  node[1-9])
    mkdir -p "$dir/$1"
    chown postgres:postgres "$dir" "$dir/$1"
    chmod 700 "$dir/$1"
    load secrets.env ''
    load node1.env "s#/var/lib/postgresql/leaderboard#$dir#; s/node1/$1/"
    exec setpriv --reuid=postgres --regid=postgres --init-groups /opt/patroni/bin/patroni patroni.yml
    ;;
  *)
    echo "usage: $0 etcd|node1|node2|node3|haproxy" >&2
    exit 2
    ;;
esac
