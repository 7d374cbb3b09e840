import type { Client } from 'urql';
import { ReviewStateQuery } from './operations.js';

const EVERY_MS = 300;

/** Waits until the boards of a review follow it, or its undoing; not beyond one that cannot, or an answer that fails. */
export async function settled(client: Client, id: string): Promise<void> {
  for (;;) {
    const { data } = await client
      .query(ReviewStateQuery, { id }, { requestPolicy: 'network-only' })
      .toPromise();
    const review = data?.identityReview;
    const isOver = review?.status === 'APPLIED' || review?.status === 'UNDONE';
    if (!review || isOver || review.boards.some(({ failure }) => failure)) return;
    await new Promise((done) => setTimeout(done, EVERY_MS));
  }
}
