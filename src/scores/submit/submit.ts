import { createHash } from 'node:crypto';
import { DomainError, invalidField } from '../../base/errors.js';
import { NOWHERE } from '../../base/geo.js';
import { idOf, uuid7 } from '../../base/ids.js';
import { adminOf, clientOf } from '../../graphql/access.js';
import type { Context } from '../../graphql/context.js';
import type { NonceFault, Nonces } from '../../players/sessions/nonce.js';
import { type CreateScoreEventInput, IDEMPOTENCY_KEY, type SubmitScoreInput } from '../schema/inputs.js';
import { Rejection } from './outcome.js';
import { type Asking, askedSubmit } from './request.js';
import type { Idempotency, Outcome, Submission } from './submission.js';

/** What submissions need of the process. */
export interface Submitting extends Asking {
  nonces: Nonces;
  /** Header that tells a replayed answer, e.g. `service-replayed`. */
  replayedHeader: string;
  /** Header that carries the nonce, e.g. `service-client-nonce`. */
  nonceHeader: string;
}

/** A game client's submission. @throws DomainError as decisions.md sections 2, 3 and 6 order them */
export async function submitScore(
  submitting: Submitting,
  context: Context,
  input: SubmitScoreInput,
  wantPreviousRank: boolean,
): Promise<Outcome> {
  const caller = clientOf(context);
  const { deviceId, gameId, sessionId, version, identityId, testMode } = caller;
  const given = input.nonce ?? context.nonce;
  const reading = submitting.nonces.read(given, deviceId, gameId, context.clock());
  const nonce = 'fault' in reading ? { fault: nonceRefusal(reading.fault, submitting.nonceHeader) } : reading;
  const asked = {
    boardId: input.boardId,
    identityId,
    isTest: testMode,
    amount: input.value + 0,
    playerName: input.playerName.trim(),
    valueDisplay: input.valueDisplay ?? null,
    metadata: input.metadata ?? null,
    // Another network is no other submission: a phone that retries may have changed it.
    place: NOWHERE,
  };
  const outcome = askedSubmit(submitting, context, {
    ...asked,
    place: context.place(),
    eventId: idOf('scoreEvent', uuid7()),
    origin: { kind: 'client', gameId, deviceId, sessionId, version, nonce },
    wantPreviousRank,
    idempotency: idempotency(identityId, input.idempotencyKey ?? context.idempotencyKey, asked),
  });
  const { replayed } = await outcome.catch(() => ({ replayed: false }));
  // Nothing is written then, so nothing looked at the session.
  if (replayed) await context.requireStanding();
  return told(submitting, context, outcome);
}

function nonceRefusal(fault: NonceFault, header: string): DomainError {
  const sentences = {
    NONCE_REQUIRED: `A fresh nonce is needed: get one from the nonce endpoint and send it in the header ${header}`,
    NONCE_INVALID: "The nonce is not one of this device's",
    NONCE_EXPIRED: 'The nonce has expired: get a fresh one',
  };
  return new DomainError(fault, sentences[fault]);
}

/** An administrator's or game server's submission for an identity. @throws DomainError as above */
export async function createScoreEvent(
  submitting: Submitting,
  context: Context,
  input: CreateScoreEventInput,
  wantPreviousRank: boolean,
): Promise<Outcome> {
  const { accountId, superAdmin, within } = adminOf(context);
  const asked = {
    boardId: input.boardId,
    identityId: input.identityId,
    isTest: input.isTest ?? false,
    amount: input.value + 0,
    playerName: input.playerName?.trim(),
    valueDisplay: input.valueDisplay ?? null,
    metadata: input.metadata ?? null,
    place: {
      city: input.city ?? null,
      country: input.country?.toUpperCase() ?? null,
      timezone: input.timezone ?? null,
    },
  };
  const outcome = submitting.batcher.submit({
    ...asked,
    eventId: idOf('scoreEvent', uuid7()),
    origin: { kind: 'admin', accountId: within ?? accountId, superAdmin: superAdmin && !within },
    wantPreviousRank,
    idempotency: idempotency(accountId, input.idempotencyKey ?? context.idempotencyKey, asked),
  });
  return told(submitting, context, outcome);
}

/** The outcome, or the rejection; if it is the first answer again, a header says so. */
async function told(
  { replayedHeader }: Submitting,
  context: Context,
  submitted: Promise<Outcome>,
): Promise<Outcome> {
  const tell = ({ replayed }: { replayed: boolean }) => {
    if (replayed) context.responseHeaders[replayedHeader] = 'true';
  };
  try {
    const outcome = await submitted;
    tell(outcome);
    return outcome;
  } catch (error) {
    if (error instanceof Rejection) tell(error);
    throw error;
  }
}

type Asked = Omit<Submission, 'eventId' | 'origin' | 'wantPreviousRank' | 'idempotency'>;

function idempotency(scope: string, key: string | undefined | null, asked: Asked): Idempotency | undefined {
  if (key == null) return undefined;
  if (!IDEMPOTENCY_KEY.test(key)) {
    throw invalidField(
      ['header', 'idempotency-key'],
      'must be 1 to 128 printable ASCII characters',
      'length',
    );
  }
  return {
    scope,
    key,
    bodyHash: createHash('sha256')
      .update(JSON.stringify(sorted(asked)))
      .digest(),
  };
}

/** The same value with members in one order: a client that builds its maps anew asks for the same thing. */
function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return entries.map(([key, member]) => [key, sorted(member)]);
}
