import { useVirtualizer } from '@tanstack/react-virtual';
import { memo, useEffect, useRef } from 'react';
import type { FlagConfidence, FlagType } from '../../generated/graphql.js';
import { Amount } from '../../parts/amount.js';
import { Chip, type Tone } from '../../parts/card.js';
import { Button } from '../../parts/controls.js';
import { count } from '../../parts/format.js';
import { Empty, Failed, Waiting } from '../../parts/states.js';
import { Ago } from '../../parts/time.js';
import { t } from '../../texts.js';
import type { QueueView, Row, Verdict } from './queue-state.js';

const ROW_HEIGHT = 57;

const VERDICT_TONES: Record<Verdict, Tone> = {
  CONFIRMED_CHEAT: 'bad',
  FALSE_POSITIVE: 'good',
  DISMISSED: 'plain',
};

export function Confidence({ value }: { value: FlagConfidence }) {
  return (
    <span className={`confidence ${value.toLowerCase()}`} role="img" aria-label={t.queue.confidence[value]}>
      <i />
      <i />
      <i />
    </span>
  );
}

/** The verdict of a flag as a chip; of a colleague with the name. */
export function VerdictChip({ status, by }: { status: Verdict; by?: string | undefined }) {
  const word = t.queue.verdictWords[status];
  return <Chip tone={VERDICT_TONES[status]}>{by ? `${word} · ${by}` : word}</Chip>;
}

interface FlagListProps {
  view: QueueView;
  onOpen(at: number): void;
  onEnd(): void;
  onShowFresh(): void;
  again(): void;
}

/** The flags that wait as rows, of which only the visible ones are in the page. */
export function FlagList({ view, onOpen, onEnd, onShowFresh, again }: FlagListProps) {
  const { rows, fresh, at, loading, hasMore, fault } = view;
  const scroller = useRef<HTMLDivElement>(null);
  const virtual = useVirtualizer({
    count: rows.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => ROW_HEIGHT,
    overscan: 6,
  });
  useEffect(() => {
    if (rows.length > 0) virtual.scrollToIndex(at, { align: 'auto' });
  }, [virtual, at, rows.length > 0]);
  const items = virtual.getVirtualItems();
  const last = items.at(-1)?.index ?? 0;
  useEffect(() => {
    if (hasMore && last > rows.length - 30) onEnd();
  }, [hasMore, last, rows.length, onEnd]);
  return (
    <>
      {fresh.length > 0 && (
        <div className="pager">
          <Button look="quiet" onClick={onShowFresh}>
            {t.queue.fresh(fresh.length)}
          </Button>
        </div>
      )}
      <div className="flags-rows" ref={scroller} tabIndex={rows.length ? undefined : 0}>
        {loading && <Waiting rows={8} height={ROW_HEIGHT} />}
        {fault && <Failed fault={fault} again={again} />}
        {!loading && !fault && rows.length === 0 && <Empty>{t.queue.empty}</Empty>}
        <div ref={(list) => list?.style.setProperty('height', `${virtual.getTotalSize()}px`)}>
          {items.map(({ index, start }) => {
            const row = rows[index];
            return (
              row && (
                <FlagRow
                  key={row.id}
                  row={row}
                  top={start}
                  index={index}
                  current={index === at}
                  onOpen={onOpen}
                />
              )
            );
          })}
        </div>
      </div>
    </>
  );
}

interface RowProps {
  row: Row;
  top: number;
  index: number;
  current: boolean;
  onOpen(at: number): void;
}

/** Drawn again only if it is another row or another place: a held key moves through hundreds. */
const FlagRow = memo(function FlagRow({ row, top, index, current, onOpen }: RowProps) {
  const decided = row.status !== 'PENDING';
  return (
    <button
      type="button"
      className={decided ? 'flag-row decided' : 'flag-row'}
      aria-current={current || undefined}
      ref={(button) => button?.style.setProperty('transform', `translateY(${top}px)`)}
      onClick={() => onOpen(index)}
    >
      <Confidence value={row.confidence} />
      <b>{row.identity?.displayName}</b>
      {row.status === 'PENDING' ? (
        <Ago className="age" at={row.createdAt} />
      ) : (
        <VerdictChip status={row.status} by={row.colleague?.name} />
      )}
      <span className="about">
        {row.status === 'PENDING' && row.heldRank != null && (
          <Chip tone="warn">{t.queue.held(count(row.heldRank))}</Chip>
        )}{' '}
        {t.queue.kinds[row.flagType as FlagType]} ·{' '}
        <Amount
          of={row.board}
          value={row.scoreEvent?.value ?? 0}
          display={row.scoreEvent?.valueDisplay}
          both
        />{' '}
        · {row.board?.name}
      </span>
    </button>
  );
});
