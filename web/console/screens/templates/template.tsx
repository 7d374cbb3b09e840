import { Link, useNavigate, useParams } from '@tanstack/react-router';
import { type FormEvent, useEffect, useState } from 'react';
import { withClosingRules } from '../../api/closing-rules.js';
import { useAct, useRead } from '../../api/hooks.js';
import { useRemoval } from '../../api/removal.js';
import { graphql } from '../../generated/gql.js';
import type { PublicField, TemplateQuery } from '../../generated/graphql.js';
import { Chip, Head } from '../../parts/card.js';
import { ActionFault, Button, Check, TextField } from '../../parts/controls.js';
import { fromLocalInput, toLocalInput } from '../../parts/format.js';
import { FormatFields, formatDraft, formatInput } from '../../parts/format-fields.js';
import { Editable } from '../../parts/may.js';
import { Loaded } from '../../parts/states.js';
import { When } from '../../parts/time.js';
import { say } from '../../parts/toast.js';
import { Page } from '../../shell/page.js';
import { t } from '../../texts.js';
import { SeriesOf } from '../board/series.js';
import { ruleLine } from '../boards/board-rules.js';
import { PublicFields } from '../boards/public-fields.js';
import { RankingFields } from '../boards/ranking-fields.js';
import { rankingChanges, useRankings } from '../boards/rankings.js';
import { VIEW_TEXTS } from '../boards/texts.js';
import { HoldFields, holdChanges, useHold } from '../fair-play/hold-fields.js';
import { ProofField } from '../fair-play/proof-field.js';
import { recordingChanges, useRecordings } from '../runs/recording-draft.js';
import { RecordingFields } from '../runs/recording-fields.js';
import { ticketChanges, useTickets } from '../runs/ticket-draft.js';
import { TicketFields } from '../runs/ticket-fields.js';
import { useVerdicts, verdictChanges, withRecordings } from '../runs/verdict-draft.js';
import { VerdictFields } from '../runs/verdict-fields.js';
import { StartNow } from './start-now.js';
import { START_TEXTS, TEMPLATE_TEXTS } from './texts.js';
import { type Draft, Windows } from './windows.js';

const TemplateText = withClosingRules(
  graphql(`
  query Template($id: ID!) {
    boardTemplate(id: $id) {
      id
      name
      nameTemplate
      repeatInterval
      nextRunAt
      isActive
      isPublished
      publicFields
      timeZone
      windowTimeZone
      windowStartsAt
      weekStart
      dayStart
      tiePolicy
      holdTop
      holdHours
      proof
      tickets { mode seed view attempts clock { minSeconds maxPerSecond slackSeconds pauses } advance hours content }
      recordings { keepTop keepBest demandTop demandFlagged maxBytes readers watchUrl }
      verdicts { mode verifyTop hours confirmed }
      dimensions { name source setBy values }
      views {
        name
        period
        every { every from }
        seasons { name startsAt endsAt }
        by
        keepPeriods
        keepPodium
        tiePolicy
        since
      }
      defaultView
      closingRules { ...ClosingRuleFields }
      boardType
      keepStrategy
      sortDirection
      unit
      format { kind decimals timeUnit }
      lastError
      retryAt
      game { name slug }
      boards(first: 1) { nodes { id name } }
    }
  }
`),
);

const UpdateTemplateMutation = graphql(`
  mutation UpdateTemplate($input: UpdateBoardTemplateInput!) {
    updateBoardTemplate(input: $input) { boardTemplate { id name } }
  }
`);

type Template = TemplateQuery['boardTemplate'];
const text = TEMPLATE_TEXTS;

export function TemplateScreen() {
  const { slug, id } = useParams({ from: '/games/$slug/templates/$id' });
  const { data, fault, again } = useRead(TemplateText, { id });
  const template = data?.boardTemplate;
  const [draft, setDraft] = useState<Draft>({});
  const [starting, setStarting] = useState(false);
  const name = template?.name ?? '…';
  return (
    <Page
      title={name}
      seen={template?.id}
      crumbs={[
        [template?.game?.name ?? slug],
        [
          t.nav.templates,
          (shown) => (
            <Link to="/games/$slug/templates" params={{ slug }}>
              {shown}
            </Link>
          ),
        ],
        [name],
      ]}
    >
      <Loaded data={template} fault={fault} again={again}>
        {(template) => (
          <>
            <Head
              title={template.name}
              actions={
                <Button needs="CONFIGURE" onClick={() => setStarting(true)}>
                  {START_TEXTS.open}
                </Button>
              }
              meta={
                <>
                  <Chip tone={template.isActive ? 'good' : 'plain'}>
                    {template.isActive ? text.active : text.paused}
                  </Chip>
                  <span>{text.everyInterval(template.repeatInterval)}</span>
                  <span>{ruleLine(template.boardType, template.keepStrategy, template.sortDirection)}</span>
                  {template.isActive && (
                    <span>
                      {text.next} <When at={template.nextRunAt} />
                    </span>
                  )}
                </>
              }
            />
            {starting && <StartNow template={template} again={again} onClose={() => setStarting(false)} />}
            {template.windowTimeZone !== template.timeZone && (
              <p className="note">{text.stillUtc(template.timeZone)}</p>
            )}
            {template.lastError && (
              <p className="note bad" role="alert">
                <span>
                  {text.failed(template.lastError)} {template.retryAt && <When at={template.retryAt} />}
                </span>
              </p>
            )}
            <div className="grid sided">
              <div className="stack">
                <Editable needs="CONFIGURE">
                  <Form key={template.id} template={template} slug={slug} again={again} onDraft={setDraft} />
                </Editable>
                <SeriesOf id={template.id} name={template.name} slug={slug} />
              </div>
              <Windows draft={{ id: template.id, ...draft }} />
            </div>
          </>
        )}
      </Loaded>
    </Page>
  );
}

interface FormProps {
  template: Template;
  slug: string;
  again(): void;
  /** Changes, before they are saved. */
  onDraft(draft: Draft): void;
}

function Form({ template, slug, again, onDraft }: FormProps) {
  const navigate = useNavigate();
  const [name, setName] = useState(template.name);
  const [pattern, setPattern] = useState(template.nameTemplate ?? '');
  const [interval, setInterval] = useState(template.repeatInterval);
  // The job moves the next run: only a time that was typed is sent.
  const [typedNext, setNext] = useState<string>();
  const next = typedNext ?? toLocalInput(template.nextRunAt);
  const [unit, setUnit] = useState(template.unit ?? '');
  const [format, setFormat] = useState(() => formatDraft(template));
  const [active, setActive] = useState(template.isActive);
  const [published, setPublished] = useState(template.isPublished);
  const [fields, setFields] = useState<readonly PublicField[]>(template.publicFields);
  const update = useAct(UpdateTemplateMutation);
  const [rankings, setRankings] = useRankings(template, update.clear);
  const [hold, setHold] = useHold(template);
  const [proof, setProof] = useState(template.proof);
  const [tickets, setTickets] = useTickets(template.tickets);
  const [recordings, setRecordings] = useRecordings(template.recordings);
  const [verdicts, setVerdicts] = useVerdicts(template.verdicts);
  const isRun = template.boardType !== 'COUNTER';
  const removal = useRemoval('BoardTemplate');
  const errors = update.fault?.fields ?? {};
  const newest = template.boards.nodes[0];
  useEffect(() => {
    const nextRunAt = fromLocalInput(next);
    const draft = {
      name: name.trim(),
      nameTemplate: pattern.trim() || null,
      repeatInterval: interval.trim(),
      timeZone: rankings.timeZone.trim(),
      ...(nextRunAt && next !== toLocalInput(template.nextRunAt) && { nextRunAt }),
    };
    const timer = setTimeout(() => onDraft(draft), 300);
    return () => clearTimeout(timer);
  }, [name, pattern, interval, next, rankings.timeZone, template.nextRunAt, onDraft]);
  const save = async (event: FormEvent) => {
    event.preventDefault();
    const nextRunAt = fromLocalInput(next);
    const input = {
      name: name.trim(),
      nameTemplate: pattern.trim() || null,
      repeatInterval: interval.trim(),
      unit: unit.trim() || null,
      format: formatInput(format),
      isActive: active,
      isPublished: published,
      publicFields: [...fields],
      ...rankingChanges(rankings, template),
      ...(isRun && holdChanges(hold, template)),
      ...(proof !== template.proof && { proof }),
      ...ticketChanges(tickets, template.tickets),
      ...recordingChanges(recordings, template.recordings),
      ...verdictChanges(withRecordings(verdicts, recordings.takes), template.verdicts),
      ...(nextRunAt && next !== toLocalInput(template.nextRunAt) && { nextRunAt }),
    };
    if (!(await update.run({ input: { id: template.id, ...input } }))) return;
    setNext(undefined);
    say(t.saved);
    again();
  };
  const remove = async () => {
    if (!(await removal.remove({ id: template.id }))) return;
    void navigate({ to: '/games/$slug/templates', params: { slug } });
    say(text.deleted(template.name), () => {
      void removal
        .restore({ id: template.id })
        .then(() => navigate({ to: '/games/$slug/templates/$id', params: { slug, id: template.id } }));
    });
  };
  return (
    <form className="card" onSubmit={(event) => void save(event)}>
      <section className="section">
        <div className="pair-fields">
          <TextField label={t.newBoard.name} value={name} onText={setName} required error={errors.name} />
          <TextField label={t.newBoard.unit} value={unit} onText={setUnit} error={errors.unit} />
          <FormatFields value={format} onChange={setFormat} unit={unit} errors={errors} />
          <TextField
            label={t.newBoard.pattern}
            value={pattern}
            onText={setPattern}
            hint={text.patternHint}
            error={errors.nameTemplate}
          />
          <TextField
            label={t.newBoard.interval}
            value={interval}
            onText={setInterval}
            hint={text.intervalHint}
            error={errors.repeatInterval}
          />
          <TextField
            label={text.nextOpens}
            type="datetime-local"
            value={next}
            onText={setNext}
            error={errors.nextRunAt}
          />
        </div>
        <Check label={text.isActive} checked={active} onPick={setActive} />
        <Check label={text.isPublished} checked={published} onPick={setPublished} />
        {published && <PublicFields shown={fields} onPick={setFields} />}
      </section>
      <RankingFields
        value={rankings}
        onChange={setRankings}
        errors={errors}
        hint={VIEW_TEXTS.templateHint}
        played={newest && { ...newest, unit: template.unit, format: template.format }}
      />
      <section className="section">
        <div className="folds">
          {isRun && <HoldFields value={hold} onChange={setHold} errors={errors} />}
          <ProofField value={proof} onChange={setProof} />
          <TicketFields
            value={tickets}
            onChange={setTickets}
            errors={errors}
            rankings={rankings}
            keep={isRun ? template.keepStrategy : undefined}
          />
          <RecordingFields value={recordings} onChange={setRecordings} errors={errors} />
          {recordings.takes && <VerdictFields value={verdicts} onChange={setVerdicts} errors={errors} />}
        </div>
      </section>
      <section className="section">
        <p className="hint">{text.future}</p>
        <ActionFault fault={update.fault ?? removal.fault} />
        <div className="actions">
          <Button look="primary" type="submit" busy={update.busy}>
            {t.save}
          </Button>
          <Button look="danger" disabled={update.busy} onClick={() => void remove()}>
            {t.delete}
          </Button>
        </div>
      </section>
    </form>
  );
}
