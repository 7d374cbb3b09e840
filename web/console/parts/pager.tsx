import { t } from '../texts.js';
import { Button } from './controls.js';

/** The button for the next page of a list, where there is one. */
export function Pager({ list }: { list: { hasMore: boolean; more(): void } }) {
  if (!list.hasMore) return null;
  return (
    <div className="pager">
      <Button onClick={list.more}>{t.more}</Button>
    </div>
  );
}
