import { useState } from 'react';
import { useAct, useList } from '../../api/hooks.js';
import { useMe } from '../../api/me.js';
import { Card } from '../../parts/card.js';
import { ActionFault, Button, Check, Field } from '../../parts/controls.js';
import { Icon } from '../../parts/icon.js';
import { May } from '../../parts/may.js';
import { Waiting } from '../../parts/states.js';
import { When } from '../../parts/time.js';
import { say } from '../../parts/toast.js';
import { t } from '../../texts.js';
import { CommentMutation, CommentsQuery, DeleteCommentMutation } from './operations.js';

/** So soon what a colleague writes appears. */
const EVERY_MS = 10_000;
const text = t.queue.comments;

/** What moderators wrote about a player and its flags. @param flagId new ones can be about this flag */
export function Comments({ identityId, flagId }: { identityId: string; flagId?: string }) {
  const { user } = useMe();
  const list = useList(CommentsQuery, { id: identityId }, ({ identity }) => identity.comments!, {
    every: EVERY_MS,
  });
  const add = useAct(CommentMutation);
  const remove = useAct(DeleteCommentMutation);
  const [written, setWritten] = useState('');
  const [onFlag, setOnFlag] = useState(false);
  const send = async () => {
    const target = onFlag && flagId ? { scoreFlagId: flagId } : { identityId };
    if (!(await add.run({ input: { target, text: written } }))) return;
    // Not what was typed in the meantime.
    setWritten((now) => (now === written ? '' : now));
    list.reload();
  };
  const drop = async (id: string) => {
    if (!(await remove.run({ id }))) return;
    list.reload();
    say(text.deleted);
  };
  return (
    <Card title={text.title} className="comments" padded>
      {list.loading && <Waiting rows={1} height={20} />}
      {list.rows.length === 0 && !list.loading && <p className="soft small">{text.none}</p>}
      {list.rows.length > 0 && (
        <ul>
          {list.rows.map(({ id, text: said, createdAt, authorId, authorName, scoreFlag }) => (
            <li key={id}>
              <div className="meta">
                <span className="name strong">{authorName ?? t.audit.someone}</span>
                <When at={createdAt} />
                {scoreFlag && (
                  <span>{text.about(t.queue.kinds[scoreFlag.flagType], scoreFlag.board?.name ?? '')}</span>
                )}
                {authorId === user?.id && (
                  <Button
                    look="quiet"
                    needs="MODERATE"
                    className="icon-only"
                    aria-label={text.delete}
                    onClick={() => void drop(id)}
                  >
                    <Icon name="bin" />
                  </Button>
                )}
              </div>
              <p>{said}</p>
            </li>
          ))}
        </ul>
      )}
      {list.hasMore && <Button onClick={list.more}>{t.more}</Button>}
      <May needs="MODERATE">
        <form
          onSubmit={(event) => {
            event.preventDefault();
            void send();
          }}
        >
          <Field label={text.label} bare>
            {(ids) => (
              <textarea
                {...ids}
                className="input"
                rows={2}
                maxLength={2_000}
                required
                value={written}
                onChange={(event) => setWritten(event.target.value)}
              />
            )}
          </Field>
          <div className="actions">
            <Button type="submit" busy={add.busy} wait={add.fault?.retryAfter}>
              {text.add}
            </Button>
            {flagId && <Check label={text.onFlag} checked={onFlag} onPick={setOnFlag} />}
          </div>
        </form>
      </May>
      <ActionFault fault={add.fault ?? remove.fault} />
    </Card>
  );
}
