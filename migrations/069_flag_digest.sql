-- Mails about waiting flags, as each person chooses.
alter table users
  add column flag_digest text not null default 'none' constraint users_flag_digest check (flag_digest in ('none', 'hourly', 'daily')),
  -- When the next mail may be sent. Null: none is wanted.
  add column digest_due_at timestamptz(3),
  -- Flags raised up to this moment were in a mail.
  add column digest_seen_at timestamptz(3);
create index users_digest_due on users (digest_due_at) where digest_due_at is not null;

-- Boards without runs have no past to count.
update counted_boards c set filling = false
where c.filling and not exists (select from board_rankings r where r.board_id = c.board_id and r.seq > c.seq);
