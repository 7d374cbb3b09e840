import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { useRead } from '../../api/hooks.js';
import { Card } from '../../parts/card.js';
import { PlayerMergesQuery } from './merge-operations.js';
import { LINK_TEXTS } from './texts.js';

const text = LINK_TEXTS;

interface MergedAwayProps {
  id: string;
  slug: string;
  /** If it was never merged. */
  children: ReactNode;
}

/** Says whom the runs of a merged player count for, and leads there. */
export function MergedAway({ id, slug, children }: MergedAwayProps) {
  const { data, fault } = useRead(PlayerMergesQuery, { id });
  const merge = data?.playerMerges.nodes.find(
    ({ sourceId, status }) => sourceId === id && status !== 'UNDONE',
  );
  if (!merge?.target) return data || fault ? children : null;
  const { target } = merge;
  return (
    <Card padded>
      <p>{text.wasMerged}</p>
      <Link className="button primary" to="/games/$slug/players/$id" params={{ slug, id: target.id }}>
        {text.toTarget(target.displayName || text.nameless)}
      </Link>
    </Card>
  );
}
