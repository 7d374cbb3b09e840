import { useVirtualizer } from '@tanstack/react-virtual';
import { memo, useEffect, useRef } from 'react';
import type { FlagConfidence } from '../../generated/graphql.js';
import { Amount } from '../../parts/amount.js';
import { Chip, type Tone } from '../../parts/card.js';
import { Button } from '../../parts/controls.js';
import { count } from '../../parts/format.js';
import { Empty, Failed, Waiting } from '../../parts/states.js';
import { Ago } from '../../parts/time.js';
import { t } from '../../texts.js';
import { type Flag, isPending, type QueueView, type Row, type Verdict, waits } from './rows.js';

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
  /** @param range from the one that was picked last */
  onPick(at: number, range: boolean): void;
  onEnd(): void;
  onShowFresh(): void;
  again(): void;
}

/** The players whose flags wait as rows, of which only the visible ones are in the page. */
export function FlagList({ view, onOpen, onPick, onEnd, onShowFresh, again }: FlagListProps) {
  const { rows, fresh, at, picked, loading, hasMore, fault } = view;
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
    if (hasMore && last > rows.length - 20) onEnd();
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
                <PlayerRow
                  key={row.id}
                  row={row}
                  top={start}
                  index={index}
                  current={index === at}
                  picked={picked.has(row.id)}
                  onOpen={onOpen}
                  onPick={onPick}
                />
              )
            );
          })}
        </div>
      </div>
    </>
  );
}

/** The verdict of a player whose flags are all decided; of a colleague with the name. */
function RowVerdict({ flags }: Pick<Row, 'flags'>) {
  const [first] = flags;
  const { status } = first!;
  if (flags.some((flag) => flag.status !== status)) return <Chip>{t.queue.reviewed}</Chip>;
  return (
    <VerdictChip status={status as Verdict} by={flags.find((flag) => flag.colleague)?.colleague?.name} />
  );
}

/** What a flag is about, in a line: kind, value, board. */
export function About({ flag }: { flag: Flag }) {
  return (
    <>
      {isPending(flag) && flag.heldRank != null && (
        <Chip tone="warn">{t.queue.held(count(flag.heldRank))}</Chip>
      )}
      {isPending(flag) && flag.heldRank == null && flag.podium && <Chip tone="warn">{t.queue.podium}</Chip>}{' '}
      {t.queue.kinds[flag.flagType]} ·{' '}
      <Amount
        of={flag.board}
        value={flag.scoreEvent?.value ?? 0}
        display={flag.scoreEvent?.valueDisplay}
        both
      />{' '}
      · {flag.board?.name}
    </>
  );
}

interface RowProps {
  row: Row;
  top: number;
  index: number;
  current: boolean;
  picked: boolean;
  onOpen(at: number): void;
  onPick(at: number, range: boolean): void;
}

/** Drawn again only if it is another row or another place: a held key moves through hundreds. */
const PlayerRow = memo(function PlayerRow({ row, top, index, current, picked, onOpen, onPick }: RowProps) {
  const first = row.flags.find(isPending) ?? row.flags[0]!;
  const waiting = waits(row);
  const flags = row.flags.length;
  return (
    <div
      className={picked ? 'flag-item picked' : 'flag-item'}
      ref={(item) => item?.style.setProperty('transform', `translateY(${top}px)`)}
    >
      <button
        type="button"
        className={waiting ? 'flag-row' : 'flag-row decided'}
        aria-current={current || undefined}
        onClick={(event) => (event.shiftKey ? onPick(index, true) : onOpen(index))}
      >
        <Confidence value={first.confidence} />
        <b>{row.name}</b>
        {waiting ? <Ago className="age" at={first.createdAt} /> : <RowVerdict flags={row.flags} />}
        <span className="about">
          {flags > 1 && <Chip>{t.queue.flags(flags)}</Chip>} <About flag={first} />
        </span>
      </button>
      <label className="flag-pick">
        <input
          type="checkbox"
          aria-label={t.queue.select(row.name)}
          checked={picked}
          onChange={() => {}}
          onClick={(event) => onPick(index, event.shiftKey)}
        />
      </label>
    </div>
  );
});
