#!/bin/sh
# Replaces the contents of the database of PGHOST, PGUSER, PGPASSWORD and PGDATABASE by those of a dump, in one
# transaction. Stop the service first. Usage: restore.sh <dump>
set -eu
dropdb --force --maintenance-db=postgres "$PGDATABASE"
createdb --maintenance-db=postgres "$PGDATABASE"
pg_restore --exit-on-error --single-transaction --dbname="$PGDATABASE" "$1"
