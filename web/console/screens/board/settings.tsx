import { type FormEvent, useState } from 'react';
import { type BoardDetails, UpdateBoardMutation } from '../../api/boards.js';
import { useAct } from '../../api/hooks.js';
import { usePreview } from '../../api/use-preview.js';
import { graphql } from '../../generated/gql.js';
import type { KeepStrategy, PreviewRulesQuery, PublicField, SortDirection } from '../../generated/graphql.js';
import { Card } from '../../parts/card.js';
import { ActionFault, Button, Check, Choices, Field, TextField } from '../../parts/controls.js';
import { amount, count, fromLocalInput, toLocalInput } from '../../parts/format.js';
import { FormatFields, formatDraft, formatInput, isSameFormat } from '../../parts/format-fields.js';
import { say } from '../../parts/toast.js';
import { t } from '../../texts.js';
import { COUNTS, countsOf, DIRECTIONS } from '../boards/board-rules.js';
import { PublicFields, sameFields } from '../boards/public-fields.js';
import { RankingFields } from '../boards/ranking-fields.js';
import { rankingChanges, useRankings } from '../boards/rankings.js';
import { HoldFields, holdChanges, useHold } from '../fair-play/hold-fields.js';
import { ProofField } from '../fair-play/proof-field.js';
import { recordingChanges, useRecordings } from '../runs/recording-draft.js';
import { RecordingFields } from '../runs/recording-fields.js';
import { Reverify } from '../runs/reverify.js';
import { ticketChanges, useTickets } from '../runs/ticket-draft.js';
import { TicketFields } from '../runs/ticket-fields.js';
import { TicketFigures } from '../runs/ticket-figures.js';
import { useVerdicts, verdictChanges, withRecordings } from '../runs/verdict-draft.js';
import { VerdictFields } from '../runs/verdict-fields.js';
import { VerdictFigures } from '../runs/verdict-figures.js';

const PreviewRules = graphql(`
  query PreviewRules($input: PreviewBoardChangeInput!) {
    previewBoardChange(input: $input) {
      entriesNow
      entriesAfter
      moved
      podium {
        rank
        moves
        before { playerName value valueDisplay }
        after { playerName value valueDisplay }
      }
    }
  }
`);

const text = t.settings;

/** The board's form. A change of rules shows its effect before it can be saved. */
export function BoardSettings({ board, again }: { board: BoardDetails; again(): void }) {
  const [name, setName] = useState(board.name);
  const [unit, setUnit] = useState(board.unit ?? '');
  const [format, setFormat] = useState(() => formatDraft(board));
  const [code, setCode] = useState(board.shortCode);
  const [description, setDescription] = useState(board.description ?? '');
  const [tags, setTags] = useState(board.tags.join(', '));
  const [starts, setStarts] = useState(toLocalInput(board.startsAt));
  const [ends, setEnds] = useState(toLocalInput(board.endsAt));
  const [published, setPublished] = useState(board.isPublished);
  const [fields, setFields] = useState<readonly PublicField[]>(board.publicFields);
  const [direction, setDirection] = useState<SortDirection>(board.sortDirection);
  const [keep, setKeep] = useState<KeepStrategy>(board.keepStrategy);
  const update = useAct(UpdateBoardMutation);
  const [rankings, setRankings] = useRankings(board, update.clear);
  const [hold, setHold] = useHold(board);
  const [proof, setProof] = useState(board.proof);
  const [tickets, setTickets] = useTickets(board.tickets);
  const [recordings, setRecordings] = useRecordings(board.recordings);
  const [verdicts, setVerdicts] = useVerdicts(board.verdicts);
  const isRun = board.boardType === 'RUN_IDENTITY' || board.boardType === 'RUN_RUNS';
  const rules = {
    ...(direction !== board.sortDirection && { sortDirection: direction }),
    ...(keep !== board.keepStrategy && { keepStrategy: keep }),
  };
  const changesRules = Object.keys(rules).length > 0;
  const preview = usePreview(PreviewRules, { input: { id: board.id, ...rules } });
  const errors = update.fault?.fields ?? {};
  const save = async (event: FormEvent) => {
    event.preventDefault();
    if (changesRules && !preview.data) return void preview.look();
    const times = {
      ...(starts !== toLocalInput(board.startsAt) && { startsAt: fromLocalInput(starts) }),
      ...(ends !== toLocalInput(board.endsAt) && { endsAt: fromLocalInput(ends) }),
    };
    const input = {
      ...(name !== board.name && { name: name.trim() }),
      ...(unit !== (board.unit ?? '') && { unit: unit.trim() || null }),
      ...(!isSameFormat(format, formatDraft(board)) && { format: formatInput(format) }),
      ...(code.toUpperCase() !== board.shortCode && { shortCode: code }),
      ...(description !== (board.description ?? '') && { description: description || null }),
      ...(tags !== board.tags.join(', ') && {
        tags: tags
          .split(',')
          .map((tag) => tag.trim())
          .filter(Boolean),
      }),
      ...(published !== board.isPublished && { isPublished: published }),
      ...(!sameFields(fields, board.publicFields) && { publicFields: [...fields] }),
      ...rankingChanges(rankings, board),
      ...(isRun && holdChanges(hold, board)),
      ...(proof !== board.proof && { proof }),
      ...ticketChanges(tickets, board.tickets),
      ...recordingChanges(recordings, board.recordings),
      ...verdictChanges(withRecordings(verdicts, recordings.takes), board.verdicts),
      ...times,
      ...rules,
    };
    if (!(await update.run({ input: { id: board.id, ...input } }))) return;
    say(t.saved);
    again();
  };
  return (
    <>
      <form className="form-grid" onSubmit={(event) => void save(event)}>
        <div className="card">
          <section className="section">
            <div className="pair-fields">
              <TextField label={t.newBoard.name} value={name} onText={setName} required error={errors.name} />
              <TextField label={t.newBoard.unit} value={unit} onText={setUnit} error={errors.unit} />
              {board.boardType !== 'RATIO' && (
                <FormatFields value={format} onChange={setFormat} unit={unit} errors={errors} />
              )}
              <TextField
                label={text.code}
                value={code}
                onText={setCode}
                className="mono"
                hint={text.codeHint}
                error={errors.shortCode}
              />
              <TextField
                label={text.tags}
                value={tags}
                onText={setTags}
                hint={text.tagsHint}
                error={errors.tags}
              />
            </div>
            <Field label={text.description} error={errors.description}>
              {(ids) => (
                <textarea
                  {...ids}
                  className="input"
                  rows={3}
                  value={description}
                  onChange={(event) => setDescription(event.target.value)}
                />
              )}
            </Field>
            <Check label={text.published} checked={published} onPick={setPublished} />
            {published && <PublicFields shown={fields} onPick={setFields} />}
          </section>
          <section className="section">
            <header>
              <h2>{t.newBoard.when}</h2>
            </header>
            <div className="pair-fields">
              <TextField
                label={t.newBoard.starts}
                type="datetime-local"
                value={starts}
                onText={setStarts}
                error={errors.startsAt}
              />
              <TextField
                label={t.newBoard.ends}
                type="datetime-local"
                value={ends}
                onText={setEnds}
                error={errors.endsAt}
              />
            </div>
          </section>
          <section className="section">
            <header>
              <h2>{t.newBoard.counts}</h2>
              <p className="soft">
                {isRun ? text.rulesHint : t.rules.counts[countsOf(board.boardType, board.keepStrategy)][0]}
              </p>
            </header>
            {isRun && (
              <Choices<KeepStrategy>
                legend={t.newBoard.counts}
                columns
                value={keep}
                onPick={setKeep}
                options={
                  COUNTS.filter(([key]) => key !== 'SUM' && key !== 'RATIO') as [
                    KeepStrategy,
                    string,
                    string,
                  ][]
                }
              />
            )}
            <Choices<SortDirection>
              legend={t.newBoard.direction}
              columns
              value={direction}
              options={DIRECTIONS}
              onPick={setDirection}
            />
          </section>
          <RankingFields
            value={rankings}
            onChange={setRankings}
            errors={errors}
            fixed
            played={board}
            next={board.nextClosings ?? undefined}
            ofSources={tagsOfSources(board)}
          />
          <section className="section">
            <div className="folds">
              {isRun && <HoldFields value={hold} onChange={setHold} errors={errors} />}
              <ProofField value={proof} onChange={setProof} />
              {board.boardType !== 'RATIO' && (
                <TicketFields
                  value={tickets}
                  onChange={setTickets}
                  errors={errors}
                  rankings={rankings}
                  keep={keep}
                >
                  {board.tickets && <TicketFigures code={board.shortCode} />}
                </TicketFields>
              )}
              {board.boardType !== 'RATIO' && (
                <>
                  <RecordingFields value={recordings} onChange={setRecordings} errors={errors} />
                  {recordings.takes && (
                    <VerdictFields value={verdicts} onChange={setVerdicts} errors={errors}>
                      {board.verdicts && <VerdictFigures code={board.shortCode} />}
                    </VerdictFields>
                  )}
                </>
              )}
            </div>
          </section>
          <section className="section">
            <ActionFault fault={update.fault ?? preview.fault} />
            <div className="actions">
              <Button
                look="primary"
                type="submit"
                busy={update.busy || preview.busy}
                wait={update.fault?.retryAfter}
              >
                {changesRules
                  ? preview.data
                    ? text.apply(preview.data.previewBoardChange.moved)
                    : t.queue.bulk.look
                  : t.save}
              </Button>
            </div>
          </section>
        </div>
        {changesRules && preview.data && <Effect preview={preview.data.previewBoardChange} board={board} />}
      </form>
      {board.verdicts && <Reverify code={board.shortCode} />}
    </>
  );
}

/** Names of the tags that the sources of a ratio board have; undefined on other boards. */
function tagsOfSources({ ratioConfig }: BoardDetails): string[] | undefined {
  if (!ratioConfig) return undefined;
  const { numeratorBoard, denominatorBoard } = ratioConfig;
  const tags = [numeratorBoard, denominatorBoard].flatMap((source) => source?.dimensions ?? []);
  return [...new Set(tags.map(({ name }) => name))];
}

type Preview = PreviewRulesQuery['previewBoardChange'];

function Effect({ preview, board }: { preview: Preview; board: BoardDetails }) {
  const { moved, entriesNow, entriesAfter, podium } = preview;
  const shown = (entry: Preview['podium'][number]['before']) =>
    entry ? `${entry.playerName}, ${amount(board, entry.value, entry.valueDisplay)}` : text.empty;
  return (
    <aside>
      <div role="status">
        <Card title={text.effect}>
          <p className="empty">
            {text.moved(count(moved))} {text.entries(count(entriesNow), count(entriesAfter))}
          </p>
          <ul className="rows">
            {podium.map(({ rank, moves, before, after }) => (
              <li key={rank}>
                <span>
                  {rank}. <span className="name">{shown(after)}</span>
                  {moves && <span className="block small soft">{text.before(shown(before))}</span>}
                </span>
              </li>
            ))}
          </ul>
        </Card>
      </div>
    </aside>
  );
}
