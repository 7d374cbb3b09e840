import { useRef, useState } from 'react';
import { useRead } from '../../api/hooks.js';
import { useRested } from '../../api/use-rested.js';
import { graphql } from '../../generated/gql.js';
import type { PreviewPrizesQuery } from '../../generated/graphql.js';
import { Amount } from '../../parts/amount.js';
import { SelectField } from '../../parts/controls.js';
import { count, type Measured } from '../../parts/format.js';
import { isComplete, type PrizeDraft, prizeInput } from './prize-draft.js';
import { PRIZE_TEXTS } from './texts.js';

const PreviewPrizes = graphql(`
  query PreviewPrizes($input: PreviewClosingInput!) {
    previewClosing(input: $input) {
      playerCount
      winnerCount
      rewardCount
      limits
      prizesApply
      prizes { minimumEntries }
      lines {
        line
        title
        rewardCount
        leftOut
        tooFewRuns
        tooNew
        winners { displayRank identityId playerName value valueDisplay sharedBy }
      }
      undecided { scoreEventId }
      webhooks { type endpoints }
    }
  }
`);

const ViewGroups = graphql(`
  query ViewGroups($id: ID!) {
    board(by: { id: $id }) {
      id
      views { name by groups(first: 50) { nodes { key } } }
    }
  }
`);

/** A board with scores. */
export type PlayedBoard = { id: string; name: string } & NonNullable<Measured>;

type Preview = PreviewPrizesQuery['previewClosing'];

/** Of each line. */
const SHOWN = 3;
const text = PRIZE_TEXTS.preview;

interface PrizePreviewProps {
  prizes: PrizeDraft;
  view: string;
  played: PlayedBoard;
}

/** Who would get what if the ranking closed now, with the prizes of the form. */
export function PrizePreview({ prizes, view, played }: PrizePreviewProps) {
  return (
    <section className="prize-preview" aria-label={text.title}>
      <h3>{text.title}</h3>
      {!isComplete(prizes) && <p className="hint">{text.incomplete}</p>}
      {isComplete(prizes) && <Given key={view} prizes={prizes} view={view} played={played} />}
    </section>
  );
}

function Given({ prizes, view, played }: PrizePreviewProps) {
  const views = useRead(ViewGroups, { id: played.id }, { pause: view === '' });
  const of = views.data?.board.views.find(({ name }) => name === view);
  const groups = of?.by.length ? (of.groups?.nodes.map(({ key }) => key) ?? []) : undefined;
  const [picked, setGroup] = useState<string>();
  const group = picked ?? groups?.[0];
  const input = useRested({ boardId: played.id, view: view || null, group, prizes: prizeInput(prizes) });
  const isReady = view === '' || (of !== undefined && (!groups || group !== undefined));
  const { data, fault } = useRead(PreviewPrizes, { input }, { pause: !isReady });
  // What was shown stays until the next answer.
  const last = useRef<Preview>(undefined);
  if (data) last.current = data.previewClosing;
  const shown = fault ? undefined : last.current;
  const isUnknown = view !== '' && views.data !== undefined && !of;
  return (
    <>
      <p className="hint">{isUnknown ? text.later : text.of(played.name)}</p>
      {groups && groups.length > 0 && (
        <SelectField<string>
          label={text.group}
          value={group ?? ''}
          options={groups.map((key) => [key, key] as const)}
          onPick={setGroup}
        />
      )}
      <div role="status">
        {fault && <p className="note bad">{fault.message}</p>}
        {shown && <Effect preview={shown} played={played} />}
      </div>
    </>
  );
}

function Effect({ preview, played }: { preview: Preview; played: PlayedBoard }) {
  const { limits, lines, undecided, webhooks, prizesApply: apply } = preview;
  const notes = [
    apply !== 'NOW' && text.apply[apply],
    ...limits.map((limit) => text.limits[limit]),
    undecided.length > 0 && text.undecided(undecided.length),
  ].filter((note) => note !== false);
  return (
    <>
      <p className="strong">
        {text.sum(count(preview.rewardCount), count(preview.winnerCount), count(preview.playerCount))}
      </p>
      {notes.map((note) => (
        <p className="note warn" key={note}>
          {note}
        </p>
      ))}
      {lines.map(({ line, title, rewardCount, winners, leftOut, tooFewRuns, tooNew }) => (
        <div key={line}>
          <b className="name">{title}</b>{' '}
          <span className="small soft">{text.rewards(count(rewardCount))}</span>
          <ul className="winners small">
            {winners.slice(0, SHOWN).map(({ identityId, displayRank, playerName, sharedBy, ...run }) => (
              <li key={identityId}>
                {count(displayRank)}. <span className="name">{playerName}</span>{' '}
                <Amount of={played} value={run.value} display={run.valueDisplay} />{' '}
                {sharedBy != null && text.shared(sharedBy)}
              </li>
            ))}
            {rewardCount > SHOWN && <li className="soft">{text.further(count(rewardCount - SHOWN))}</li>}
            {rewardCount === 0 && <li className="soft">{text.nobody}</li>}
          </ul>
          {leftOut > 0 && (
            <p className="small soft">{text.leftOut(count(leftOut), count(tooFewRuns), count(tooNew))}</p>
          )}
        </div>
      ))}
      {webhooks?.map(({ type, endpoints }) => (
        <p className="small soft" key={type}>
          {text.webhook(type, endpoints.join(', '))}
        </p>
      ))}
    </>
  );
}
