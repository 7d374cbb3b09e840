import { insistOn, patientSignal } from '../../jobs/hands.js';
import type { JobCall } from '../../jobs/job.js';
import { type AttemptParts, attempt } from './attempt.js';
import { type ClaimedBatch, type ClaimedDelivery } from './claim.js';
import { SLOW_MS } from './schedule.js';
import { release, settle, type Tried } from './settle.js';

/** No request is begun later than this after the first; the lease covers the last one's time, too. */
const BATCH_MS = 10_000;
/** Outcomes are recorded together within this time. */
const NOTE_MS = 200;
/** Time that requests under way get when the process is to end. */
const STOP_MS = 3_000;

interface SentBatch {
  tried: Tried[];
  disable: string | null;
  again: Map<string, Date>;
}

/**
 * Sends deliveries of one endpoint, a few at a time. After a failure no further one is begun, because the endpoint may have to
 * rest, nor after a slow answer, which puts it into the other lane: what was not sent is given back.
 * @param keep is told how many requests it needs from now on, whenever outcomes were recorded
 */
export async function sendBatch(
  parts: AttemptParts,
  { endpoint, claimed, hands }: ClaimedBatch,
  { db, signal }: JobCall,
  keep: (hands: number) => void,
): Promise<SentBatch> {
  const { clock } = parts;
  const waiting = [...claimed];
  const sent: SentBatch = { tried: [], disable: null, again: new Map() };
  const due: Tried[] = [];
  const began = performance.now();
  let noting: Promise<void> = Promise.resolve();
  let isOver = false;
  let open = 0;
  const note = () => {
    const tried = due.splice(0);
    if (tried.length === 0) return noting;
    noting = noting.then(async () => {
      const { disable, again } = await insistOn(() => settle(db, endpoint, tried));
      sent.tried.push(...tried);
      sent.disable ??= disable;
      for (const [id, at] of again) sent.again.set(id, at);
      open -= tried.length;
      keep(isOver ? open : Math.min(hands, open + waiting.length));
    });
    // Awaited at the end.
    noting.catch(() => undefined);
    return noting;
  };
  const timer = setInterval(note, NOTE_MS);
  const { patient, end } = patientSignal(signal, STOP_MS);
  const take = (): ClaimedDelivery | undefined =>
    isOver || signal.aborted || performance.now() - began > BATCH_MS ? undefined : waiting.shift();
  const sendOn = async () => {
    for (let one = take(); one; one = take()) {
      open += 1;
      const outcome = await attempt(parts, endpoint, one, patient);
      // Cut off at the end of the process: the next one takes it when its lease has expired.
      if (patient.aborted) return;
      if (outcome.error !== null || (outcome.millis > SLOW_MS && !endpoint.isSlow)) isOver = true;
      due.push({ delivery: one.delivery, outcome, at: clock() });
    }
  };
  try {
    await Promise.all(Array.from({ length: hands }, sendOn));
  } finally {
    clearInterval(timer);
    end();
  }
  const left = waiting.map(({ delivery }) => delivery);
  await note();
  await release(db, left, new Date(clock()));
  return sent;
}
