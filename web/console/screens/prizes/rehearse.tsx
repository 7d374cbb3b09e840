import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import type { BoardDetails } from '../../api/boards.js';
import { useAct } from '../../api/hooks.js';
import { graphql } from '../../generated/gql.js';
import type { RehearseBoardMutation as Answer } from '../../generated/graphql.js';
import { Button, SelectField } from '../../parts/controls.js';
import { Dialog } from '../../parts/dialog.js';
import { FormDialog } from '../../parts/form-dialog.js';
import { count } from '../../parts/format.js';
import { RULE_TEXTS } from '../closings/texts.js';
import { PRIZE_TEXTS, REHEARSAL_TEXTS as text } from './texts.js';

const RehearseBoard = graphql(`
  mutation RehearseBoard($input: RehearseBoardInput!) {
    rehearseBoard(input: $input) {
      board { id shortCode }
      closings { id grantedCount }
      webhooks { type endpoints }
    }
  }
`);

interface RehearseProps {
  board: BoardDetails;
  slug: string;
  onClose(): void;
}

/** Asks which ranking ends, and shows what came of it. */
export function Rehearse({ board, slug, onClose }: RehearseProps) {
  const [view, setView] = useState(board.closingRules[0]?.view ?? '');
  const [made, setMade] = useState<Answer['rehearseBoard']>();
  const act = useAct(RehearseBoard);
  const rehearse = async () => {
    const done = await act.run({ input: { id: board.id, view: view || null } });
    if (done) setMade(done.rehearseBoard);
  };
  if (made) return <Ended made={made} slug={slug} onClose={onClose} />;
  return (
    <FormDialog
      title={text.title}
      action={text.title}
      act={act}
      onClose={onClose}
      onSubmit={() => void rehearse()}
    >
      <p>{text.hint}</p>
      <p className="hint">{text.empty}</p>
      <SelectField<string>
        label={text.ranking}
        value={view}
        options={board.closingRules.map(({ view: name }) => [name ?? '', name ?? RULE_TEXTS.own] as const)}
        onPick={setView}
      />
    </FormDialog>
  );
}

function Ended({ made, slug, onClose }: { made: Answer['rehearseBoard']; slug: string; onClose(): void }) {
  const { board, closings, webhooks } = made;
  const granted = closings.reduce((sum, { grantedCount }) => sum + grantedCount, 0);
  return (
    <Dialog
      title={text.done}
      onClose={onClose}
      footer={
        <>
          <Button look="quiet" onClick={onClose}>
            {text.close}
          </Button>
          <Link
            className="button primary"
            to="/games/$slug/boards/$code/$tab"
            params={{ slug, code: board.shortCode, tab: 'closings' }}
            onClick={onClose}
          >
            {text.open}
          </Link>
        </>
      }
    >
      <p className="strong">
        {closings.length === 0 ? text.none : text.result(count(granted), text.closings(closings.length))}
      </p>
      {webhooks && <p>{webhooks.length === 0 ? text.noWebhooks : text.webhooks}</p>}
      <ul>
        {webhooks?.map(({ type, endpoints }) => (
          <li key={type}>{PRIZE_TEXTS.preview.webhook(type, endpoints.join(', '))}</li>
        ))}
      </ul>
      <p className="hint">{text.kept}</p>
    </Dialog>
  );
}
