-- Registration: codes sent by mail, jam codes, and the mails themselves.

create table verification_codes (
  id                uuid primary key,
  email             text collate "C" not null constraint verification_codes_email_length check (char_length(email) between 3 and 254),
  type              text not null constraint verification_codes_type check (type in ('registration', 'invite')),
  -- Who was invited.
  user_id           uuid references users (id),
  -- A keyed hash: a stolen table alone confirms no guess.
  code_hash         bytea not null constraint verification_codes_hash_length check (octet_length(code_hash) = 32),
  attempts          integer not null constraint verification_codes_attempts check (attempts between 0 and 5),
  status            text not null constraint verification_codes_status check (status in ('pending', 'used', 'expired')),
  -- Asked for beyond what may be sent: never sent and never valid, kept so that asking is the same work.
  withheld          boolean not null,
  expires_at        timestamptz(3) not null,
  used_at           timestamptz(3),
  -- Of the token that the right code was exchanged for, once.
  token_hash        bytea constraint verification_codes_token_hash_length check (octet_length(token_hash) = 32),
  token_expires_at  timestamptz(3),
  completed_at      timestamptz(3),
  created_at        timestamptz(3) not null,
  updated_at        timestamptz(3) not null,
  constraint verification_codes_user check ((type = 'invite') = (user_id is not null)),
  constraint verification_codes_used check ((status = 'used') = (used_at is not null) and (status = 'used') = (token_hash is not null)
    and (status = 'used') = (token_expires_at is not null) and (completed_at is null or status = 'used')),
  constraint verification_codes_withheld check (not withheld or status = 'expired')
);
-- One live code for each address.
create unique index verification_codes_live_key on verification_codes (email) where status = 'pending';
create unique index verification_codes_token_key on verification_codes (token_hash) where token_hash is not null;
create index verification_codes_recent on verification_codes (email, created_at) where not withheld;
create index verification_codes_created on verification_codes (created_at);

create table jam_codes (
  id                uuid primary key,
  code              text collate "C" not null constraint jam_codes_form check (code ~ '^[A-Z0-9]{3,50}$') constraint jam_codes_code_key unique,
  description       text not null constraint jam_codes_description_length check (char_length(description) <= 2000),
  active            boolean not null,
  expires_at        timestamptz(3),
  -- May be lowered below what was used: then nobody else can use it.
  max_uses          integer constraint jam_codes_max_uses check (max_uses > 0),
  current_uses      integer not null constraint jam_codes_current_uses check (current_uses >= 0),
  last_redeemed_at  timestamptz(3),
  features          jsonb not null constraint jam_codes_features_object check (jsonb_typeof(features) = 'object'),
  created_at        timestamptz(3) not null,
  updated_at        timestamptz(3) not null
);
create index jam_codes_created on jam_codes (created_at desc, id);
create index jam_codes_updated on jam_codes (updated_at desc, id);
create index jam_codes_uses on jam_codes (current_uses, id);
create index jam_codes_most_uses on jam_codes (current_uses desc, id);

create table jam_code_redemptions (
  id           uuid primary key,
  jam_code_id  uuid not null references jam_codes (id),
  account_id   uuid not null references accounts (id),
  -- The code's features as they were.
  meta         jsonb not null constraint jam_code_redemptions_meta_object check (jsonb_typeof(meta) = 'object'),
  redeemed_at  timestamptz(3) not null,
  constraint jam_code_redemptions_once unique (jam_code_id, account_id)
);
create index jam_code_redemptions_redeemed on jam_code_redemptions (jam_code_id, redeemed_at desc, id);

-- Mails that were written in the transaction of the request they belong to. What is due is told here alone.
create table mails (
  id          uuid primary key,
  kind        text not null,
  recipient   text not null,
  -- The record it is about: mails about what is no longer valid are not sent.
  about       uuid,
  -- Subject and text, encrypted (they hold codes); gone as soon as the mail is.
  content     bytea,
  status      text not null constraint mails_status check (status in ('queued', 'sending', 'sent', 'failed', 'dropped')),
  attempts    integer not null constraint mails_attempts check (attempts >= 0),
  -- Queued: when it is tried next. Sending: until when whoever sends it is left alone with it.
  due_at      timestamptz(3) not null,
  -- Of no use to its reader from then on.
  expires_at  timestamptz(3) not null,
  last_error  text,
  sent_at     timestamptz(3),
  created_at  timestamptz(3) not null,
  updated_at  timestamptz(3) not null,
  constraint mails_content check ((status in ('queued', 'sending')) = (content is not null)),
  constraint mails_sent check ((status = 'sent') = (sent_at is not null))
);
create index mails_due on mails (due_at) where status in ('queued', 'sending');
create index mails_about on mails (about) where status = 'queued';
create index mails_created on mails (created_at);
