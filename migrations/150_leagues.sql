-- Leagues (docs/decisions/leagues.md): a view whose groups are cohorts of players, which the service forms, and whose periods end with
-- players moving up and down a tier. No board has one before the settings of boards have leagues.

-- As they are followed; the view has the period and the calendar.
create table leagues (
  board_id       uuid not null,
  view_no        integer not null,
  -- Lowest first: [{name, size, promote, demote}].
  tiers          jsonb not null constraint leagues_tiers
                 check (jsonb_typeof(tiers) = 'array' and jsonb_array_length(tiers) between 1 and 20),
  -- How long reviews may still change a period that has ended.
  settle_seconds integer not null constraint leagues_settle check (settle_seconds between 0 and 2592000),
  -- Of a period: who joins in this last part of it is not demoted.
  late_share     double precision not null constraint leagues_late check (late_share between 0 and 0.9),
  -- Periods in a row without a score that cost no tier.
  idle_periods   integer not null constraint leagues_idle check (idle_periods between 0 and 100),
  -- At the line between two zones: the order of the ranking, or the better zone for all of equal value.
  equal_values   text not null constraint leagues_equal check (equal_values in ('order', 'together')),
  primary key (board_id, view_no),
  foreign key (board_id, view_no) references board_views (board_id, view_no) on delete cascade
);

-- Periods in which somebody has a seat.
create table league_periods (
  board_id       uuid not null,
  view_no        integer not null,
  period_number  integer not null,
  -- The league as it was with the first seat: changes apply from the next period.
  tiers          jsonb not null,
  settle_seconds integer not null,
  late_share     double precision not null,
  idle_periods   integer not null,
  equal_values   text not null,
  -- No seat and no run comes any more.
  ended_at       timestamptz(3),
  -- Every cohort has its outcomes.
  closed_at      timestamptz(3),
  primary key (board_id, view_no, period_number)
);
create index league_periods_open on league_periods (board_id, view_no, period_number) where closed_at is null;

create table league_cohorts (
  board_id       uuid not null,
  view_no        integer not null,
  period_number  integer not null,
  is_test        boolean not null,
  -- From 1, the lowest.
  tier           smallint not null,
  cohort         integer not null,
  is_late        boolean not null,
  seats          smallint not null,
  -- It has room.
  is_open        boolean not null,
  closed_at      timestamptz(3),
  -- The board's number when it was closed.
  closed_seq     bigint,
  primary key (board_id, view_no, period_number, is_test, tier, cohort)
) with (fillfactor = 80);
create index league_cohorts_open on league_cohorts (board_id, view_no, period_number, is_test, tier, is_late) where is_open;

create table league_seats (
  board_id       uuid not null,
  view_no        integer not null,
  period_number  integer not null,
  is_test        boolean not null,
  identity_id    uuid not null,
  tier           smallint not null,
  cohort         integer not null,
  -- Periods in a row before this one without a score, absent ones included.
  idle           smallint not null,
  seated_at      timestamptz(3) not null,
  primary key (board_id, view_no, is_test, identity_id, period_number)
);
create index league_seats_cohort on league_seats (board_id, view_no, period_number, is_test, tier, cohort);

-- Written once, by the close of the cohort. In the order of its primary key, so that a million rows cost little.
create table league_outcomes (
  board_id       uuid not null,
  view_no        integer not null,
  period_number  integer not null,
  is_test        boolean not null,
  tier           smallint not null,
  cohort         integer not null,
  -- In the order by which zones are given: who scored, then who did not.
  place          smallint not null,
  identity_id    uuid not null,
  -- Null: no run counts.
  value          double precision,
  next_tier      smallint not null,
  -- Periods in a row without a score, this one included.
  idle           smallint not null,
  -- Corrected by a person after later decisions; null: as it was closed.
  reissued_at    timestamptz(3),
  primary key (board_id, view_no, period_number, is_test, tier, cohort, place)
);
