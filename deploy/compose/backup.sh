#!/bin/sh
# Dumps the database of PGHOST, PGUSER, PGPASSWORD and PGDATABASE into BACKUP_DIR, once a day, and deletes dumps older than
# BACKUP_DAYS. With the argument `once` it makes one dump and ends. A dump has its name only when it is complete.
set -eu

dump() {
  file="$BACKUP_DIR/leaderboard-$(date -u +%Y%m%dT%H%M%SZ).dump"
  pg_dump --format=custom --file="$file.part"
  # Reads the whole list of contents: a dump that broke off has none.
  pg_restore --list "$file.part" > /dev/null
  mv "$file.part" "$file"
  find "$BACKUP_DIR" -name 'leaderboard-*.dump*' -mtime "+${BACKUP_DAYS:-14}" -delete
  echo "$file"
}

if [ "${1:-}" = once ]; then
  dump
  exit
fi
trap 'exit 0' TERM INT
while :; do
  if dump; then pause=86400; else pause=3600; fi
  sleep "$pause" &
  wait $!
done
