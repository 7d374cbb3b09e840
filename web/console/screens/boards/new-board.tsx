import { Link, useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { type FormEvent, useState } from 'react';
import { type BoardDetails, BoardQuery } from '../../api/boards.js';
import { useAct, useRead } from '../../api/hooks.js';
import { graphql } from '../../generated/gql.js';
import type { CreateBoardInput, SortDirection } from '../../generated/graphql.js';
import { Head } from '../../parts/card.js';
import { ActionFault, Button, Choices, TextField } from '../../parts/controls.js';
import { fromLocalInput } from '../../parts/format.js';
import {
  FormatFields,
  formatDraft,
  formatInput,
  measuredDraft,
  NO_FORMAT,
} from '../../parts/format-fields.js';
import { Loaded } from '../../parts/states.js';
import { say } from '../../parts/toast.js';
import { Page } from '../../shell/page.js';
import { t } from '../../texts.js';
import { HoldFields, holdChanges, NO_HOLD, useHold } from '../fair-play/hold-fields.js';
import { ProofField } from '../fair-play/proof-field.js';
import { recordingChanges, useRecordings } from '../runs/recording-draft.js';
import { RecordingFields } from '../runs/recording-fields.js';
import { ticketChanges, useTickets } from '../runs/ticket-draft.js';
import { TicketFields } from '../runs/ticket-fields.js';
import { useVerdicts, verdictChanges, withRecordings } from '../runs/verdict-draft.js';
import { VerdictFields } from '../runs/verdict-fields.js';
import { Upcoming } from '../templates/windows.js';
import { COUNTS, type Counts, countsOf, DIRECTIONS, rulesOf } from './board-rules.js';
import { nameOfCopy, takenOver, timesOfCopy } from './copy.js';
import { Played } from './played.js';
import { RankingFields } from './ranking-fields.js';
import { NO_RANKINGS, rankingChanges, useRankings } from './rankings.js';
import { noRatio, type Ratio, RatioFields, ratioDraft, ratioInput } from './ratio-fields.js';
import { VIEW_TEXTS } from './texts.js';
import { alwaysOpen, WhenFields } from './when-fields.js';

const FormGameQuery = graphql(`
  query FormGame($slug: String!) {
    game(by: { slug: $slug }) { id accountId name slug }
    boards(filter: {gameSlug: $slug}, orderBy: {field: NAME}, first: 100) { nodes { id name boardType dimensions { name } } }
  }
`);

const CreateBoardMutation = graphql(`
  mutation CreateBoard($input: CreateBoardInput!) {
    createBoard(input: $input) { board { id name shortCode } }
  }
`);

const CreateTemplateMutation = graphql(`
  mutation CreateTemplate($input: CreateBoardTemplateInput!) {
    createBoardTemplate(input: $input) { boardTemplate { id name } }
  }
`);

const text = t.newBoard;

export function NewBoard() {
  const { slug } = useParams({ from: '/games/$slug/boards/new' });
  const { from: code = '' } = useSearch({ from: '/games/$slug/boards/new' });
  const { data, fault, again } = useRead(FormGameQuery, { slug });
  const source = useRead(BoardQuery, { code }, { pause: code === '' });
  const from = code === '' ? undefined : source.data?.board;
  const title = from ? text.copyTitle(from.name) : text.title;
  const ready = code === '' || from ? data : undefined;
  const retry = () => {
    again();
    if (code !== '') source.again();
  };
  return (
    <Page
      title={title}
      needs="CONFIGURE"
      crumbs={[
        [
          data?.game.name ?? slug,
          (name) => (
            <Link to="/games/$slug/boards" params={{ slug }}>
              {name}
            </Link>
          ),
        ],
        [title],
      ]}
    >
      <Head title={title} meta={from && text.copyHint} />
      <Loaded data={ready} fault={fault ?? source.fault} again={retry}>
        {({ game, boards }) => (
          <Form
            key={from?.id}
            game={game}
            counters={boards.nodes.filter((board) => board.boardType === 'COUNTER')}
            from={from}
          />
        )}
      </Loaded>
    </Page>
  );
}

interface FormProps {
  game: { id: string; accountId: string; slug: string };
  counters: { id: string; name: string; dimensions: { name: string }[] }[];
  /** The board that is duplicated. */
  from: BoardDetails | undefined;
}

function Form({ game, counters, from }: FormProps) {
  const navigate = useNavigate();
  const [name, setName] = useState(from ? nameOfCopy(from.name) : '');
  const [unit, setUnit] = useState(from?.unit ?? '');
  const [format, setFormat] = useState(() => (from ? formatDraft(from) : NO_FORMAT));
  const [counts, setCounts] = useState<Counts>(from ? countsOf(from.boardType, from.keepStrategy) : 'BEST');
  const [direction, setDirection] = useState<SortDirection>(from?.sortDirection ?? 'DESC');
  const [when, setWhen] = useState(() => (from ? timesOfCopy(from) : alwaysOpen()));
  const [seen, setSeen] = useState<'yes' | 'no'>(from && !from.isPublished ? 'no' : 'yes');
  const [ratio, setRatio] = useState<Ratio>(() =>
    from?.ratioConfig ? ratioDraft(from.ratioConfig) : noRatio,
  );
  const create = useAct(CreateBoardMutation);
  const createTemplate = useAct(CreateTemplateMutation);
  const again = when.kind === 'again' && counts !== 'RATIO';
  const act = again ? createTemplate : create;
  const errors = act.fault?.fields ?? {};
  const [rankings, setRankings] = useRankings(from ?? NO_RANKINGS, act.clear);
  const [hold, setHold] = useHold(from ?? NO_HOLD);
  const [proof, setProof] = useState(from?.proof ?? 'OFF');
  const [tickets, setTickets] = useTickets(from?.tickets);
  const [recordings, setRecordings] = useRecordings(from?.recordings);
  const [verdicts, setVerdicts] = useVerdicts(from?.verdicts);
  const isRun = counts !== 'SUM' && counts !== 'RATIO';
  const sources = counters.filter(({ id }) => id === ratio.numerator || id === ratio.denominator);
  const tagsOfSources = [...new Set(sources.flatMap(({ dimensions }) => dimensions.map(({ name }) => name)))];
  const repeated = {
    repeatInterval: when.interval,
    nextRunAt: fromLocalInput(when.next) ?? new Date().toISOString(),
    nameTemplate: when.pattern.replaceAll('{name}', name.trim()) || null,
  };

  const chooseWhen = (next: typeof when) => {
    // Boards that repeat have days and weeks: by default those of the person who plans them.
    const isPlanned = next.kind === 'again' && when.kind !== 'again';
    if (isPlanned && rankings.timeZone === NO_RANKINGS.timeZone) {
      setRankings({ ...rankings, timeZone: new Intl.DateTimeFormat().resolvedOptions().timeZone });
    }
    setWhen(next);
  };

  const save = async () => {
    const shared = {
      accountId: game.accountId,
      gameId: game.id,
      name: name.trim(),
      unit: unit.trim() || null,
      format: counts === 'RATIO' ? null : formatInput(format),
      ...rulesOf(counts),
      sortDirection: direction,
      isPublished: seen === 'yes',
      ...(isRun && holdChanges(hold, NO_HOLD)),
      ...(proof !== 'OFF' && { proof }),
      ...(counts !== 'RATIO' && ticketChanges(tickets, null)),
      ...(counts !== 'RATIO' && {
        ...recordingChanges(recordings, null),
        ...verdictChanges(withRecordings(verdicts, recordings.takes), null),
      }),
      ...rankingChanges(counts === 'RATIO' ? { ...rankings, tags: [] } : rankings, NO_RANKINGS),
    };
    if (again) {
      const input = { ...(from && takenOver(from).ofBoth), ...shared, ...repeated };
      const made = await createTemplate.run({ input });
      if (!made) return;
      say(text.madeTemplate(name.trim()));
      const { id } = made.createBoardTemplate.boardTemplate;
      return void navigate({ to: '/games/$slug/templates/$id', params: { slug: game.slug, id } });
    }
    const input: CreateBoardInput = {
      ...(from && takenOver(from).ofBoard),
      ...shared,
      ...(when.kind === 'once' && {
        startsAt: fromLocalInput(when.starts),
        endsAt: fromLocalInput(when.ends),
      }),
      ...(counts === 'RATIO' && { ratioConfig: ratioInput(ratio) }),
    };
    const made = await create.run({ input });
    if (!made) return;
    const { shortCode, name: called } = made.createBoard.board;
    say(text.made(called, shortCode));
    void navigate({
      to: '/games/$slug/boards/$code/$tab',
      params: { slug: game.slug, code: shortCode, tab: 'live' },
    });
  };
  const submit = (event: FormEvent) => {
    event.preventDefault();
    void save();
  };
  return (
    <form className="form-grid" onSubmit={submit}>
      <div className="card">
        <section className="section">
          <div className="pair-fields three">
            <TextField
              label={text.name}
              value={name}
              onText={setName}
              required
              maxLength={100}
              error={errors.name}
            />
            <TextField
              label={text.unit}
              value={unit}
              onText={setUnit}
              hint={text.unitHint}
              maxLength={32}
              error={errors.unit}
            />
            {counts !== 'RATIO' && (
              <FormatFields value={format} onChange={setFormat} unit={unit} errors={errors} />
            )}
          </div>
        </section>
        <section className="section">
          <header>
            <h2>{text.counts}</h2>
            <p className="soft">{text.countsHint}</p>
          </header>
          <Choices<Counts> legend={text.counts} columns value={counts} options={COUNTS} onPick={setCounts} />
          {counts === 'RATIO' && <RatioFields counters={counters} value={ratio} onChange={setRatio} />}
          <Choices<SortDirection>
            legend={text.direction}
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
          hint={VIEW_TEXTS.newHint}
          ofSources={counts === 'RATIO' ? tagsOfSources : undefined}
        />
        <section className="section">
          <div className="folds">
            {isRun && <HoldFields value={hold} onChange={setHold} errors={errors} />}
            <ProofField value={proof} onChange={setProof} />
            {counts !== 'RATIO' && (
              <TicketFields
                value={tickets}
                onChange={setTickets}
                errors={errors}
                rankings={rankings}
                keep={isRun ? counts : undefined}
              />
            )}
            {counts !== 'RATIO' && (
              <>
                <RecordingFields value={recordings} onChange={setRecordings} errors={errors} />
                {recordings.takes && (
                  <VerdictFields value={verdicts} onChange={setVerdicts} errors={errors} />
                )}
              </>
            )}
          </div>
        </section>
        <WhenFields value={when} onChange={chooseWhen} mayRepeat={counts !== 'RATIO'} errors={errors} />
        <section className="section">
          <header>
            <h2>{text.seen}</h2>
          </header>
          <Choices<'yes' | 'no'>
            legend={text.seen}
            columns
            value={seen}
            onPick={setSeen}
            options={[
              ['yes', ...text.published],
              ['no', ...text.hidden],
            ]}
          />
        </section>
        <section className="section">
          <ActionFault fault={act.fault} />
          <div className="actions">
            <Button look="primary" type="submit" busy={act.busy} wait={act.fault?.retryAfter}>
              {again ? text.createTemplate : text.create}
            </Button>
            <Link className="button quiet" to="/games/$slug/boards" params={{ slug: game.slug }}>
              {t.cancel}
            </Link>
          </div>
        </section>
      </div>
      <aside className="stack">
        <Played name={name} board={measuredDraft(unit, format)} counts={counts} direction={direction} />
        {again && <Upcoming draft={{ name: name.trim(), timeZone: rankings.timeZone.trim(), ...repeated }} />}
      </aside>
    </form>
  );
}
