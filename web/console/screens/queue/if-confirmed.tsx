import { useEffect, useState } from 'react';
import { useRead } from '../../api/hooks.js';
import { useMay } from '../../api/me.js';
import { graphql } from '../../generated/gql.js';
import { count } from '../../parts/format.js';
import { t } from '../../texts.js';

const EffectQuery = graphql(`
  query FlagEffect($id: ID!) {
    previewScoreFlagReview(input: { id: $id, status: CONFIRMED_CHEAT }) { before { rank } after { rank } othersMoved }
  }
`);

/** Nothing is requested for flags that are only passed on the way through the list. */
const REST_MS = 400;

/** The place after the flag is confirmed, and how many others move; read once the viewer rests on the flag. */
export function useIfConfirmed(id: string, pending: boolean): [string, string | undefined] {
  const [rests, setRests] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setRests(true), REST_MS);
    return () => clearTimeout(timer);
  }, []);
  const pause = !useMay()('MODERATE') || !rests || !pending;
  const { data } = useRead(EffectQuery, { id }, { pause });
  if (!data || !pending) return ['–', undefined];
  const { before, after, othersMoved } = data.previewScoreFlagReview;
  const moves = othersMoved > 0 || before?.rank !== after?.rank;
  return [
    after ? count(after.rank) : t.queue.noPlace,
    moves ? t.queue.othersMove(othersMoved, count(othersMoved)) : t.queue.stays,
  ];
}
