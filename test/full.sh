#!/usr/bin/env bash
# The full lane: the files of test/lanes.cjs that `npm test` leaves out, then what another Postgres could answer differently. The last
# line is the sum of both.
set -uo pipefail
cd "$(dirname "$0")/.."
export TEST_TOTALS="${TEST_TOTALS:-$(mktemp)}"

# Everything that the tests need beyond npm. Where Debian's packages cannot be installed, the tests that need them are skipped and say so.
node test/support/ensure-browser.cjs && node tools/postgres-14.mjs || exit 1
node test/operate/install.cjs
node clients/conformance/install.cjs

failed=0
LANE=full npx jest "$@" || failed=1

# SQL functions, builds, statements of submissions, pages, lists, sessions, boards, removals, states and live feeds, and whole processes with
# their jobs and locks (live-killed and its like). The functions' text is the same: fewer histories of the properties do.
echo 'On Postgres 14, the oldest supported version:'
TEST_POSTGRES=14 PROPERTY_RUNS=10 npx jest test/units/ranking-properties test/units/keyset \
  'test/units/(erasure-builds|page-follow|view-properties)' test/flows/upgrade-rankings \
  'test/flows/(submit|leaderboard|boards|sessions?|removal-work|states?)[.-]' test/flows/live "$@" || failed=1
exit "$failed"
