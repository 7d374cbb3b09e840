import { Link } from '@tanstack/react-router';
import { type FormEvent, type ReactNode, useState } from 'react';
import { useGames } from '../../api/games.js';
import { useAct } from '../../api/hooks.js';
import { useAccountId } from '../../api/me.js';
import { SERVICE_PATH } from '../../api/place.js';
import { type Fault, type Played, playRun } from '../../api/play.js';
import { lastGame } from '../../api/session.js';
import { graphql } from '../../generated/gql.js';
import { Chip, Head } from '../../parts/card.js';
import { ActionFault, Button, SelectField, TextField } from '../../parts/controls.js';
import { Page } from '../../shell/page.js';
import { t } from '../../texts.js';
import { CreateGameMutation } from '../games/operations.js';
import { Samples } from './samples.js';
import { FIRST_RUN_TEXTS } from './texts.js';

const FirstBoardMutation = graphql(`
  mutation FirstBoard($input: CreateBoardInput!) {
    createBoard(input: $input) { board { id name shortCode } }
  }
`);

interface Made {
  id: string;
  name: string;
}

const text = FIRST_RUN_TEXTS;

/** From an empty account to a public page in four steps. */
export function FirstRun() {
  const { games } = useGames();
  const [game, setGame] = useState<Made & { slug: string }>();
  const [board, setBoard] = useState<Made & { shortCode: string }>();
  const [played, setPlayed] = useState<Played & { player: string }>();
  return (
    <Page title={text.title} crumbs={[[text.title]]} needs="CONFIGURE_ACCOUNT">
      <Head title={text.heading} meta={text.hint} />
      <div className="form-grid">
        <div className="card">
          <Step number={1} title={text.game} done={game?.name}>
            <GameStep
              others={games ?? []}
              onMade={(made) => {
                lastGame.set(made.slug);
                setGame(made);
              }}
            />
          </Step>
          <Step number={2} title={text.board} waits={!game} done={board && text.boardDone(board.name)}>
            {game && <BoardStep game={game} onMade={setBoard} />}
          </Step>
          <Step
            number={3}
            title={text.submit}
            waits={!board}
            done={played && text.played(played.player, played.rank)}
          >
            {game && board && <SubmitStep gameId={game.id} boardId={board.id} onPlayed={setPlayed} />}
          </Step>
          <Step number={4} title={text.page} waits={!played} waitText={text.pageWaits}>
            {played && board && game && (
              <>
                <p className="soft">{text.pageHint}</p>
                <div className="actions">
                  <a
                    className="button primary"
                    href={`${SERVICE_PATH}/b/${board.shortCode}`}
                    target="_blank"
                    rel="noreferrer"
                  >
                    {text.open}
                  </a>
                  <Link
                    className="button plain"
                    to="/games/$slug/boards/$code/$tab"
                    params={{ slug: game.slug, code: board.shortCode, tab: 'live' }}
                  >
                    {text.watch}
                  </Link>
                </div>
              </>
            )}
          </Step>
        </div>
        <Samples gameId={game?.id} boardId={board?.id} />
      </div>
    </Page>
  );
}

interface StepProps {
  number: number;
  title: string;
  /** The record that was made; the step is then closed. */
  done?: string | undefined;
  waits?: boolean;
  waitText?: string;
  children: ReactNode;
}

function Step({ number, title, done, waits, waitText, children }: StepProps) {
  return (
    <section className="section">
      <div className="head-line">
        <div>
          <h2 className={waits ? 'faint-text' : undefined}>{text.step(number, title)}</h2>
          {done && <p className="soft name">{done}</p>}
          {waits && waitText && <p className="faint-text">{waitText}</p>}
        </div>
        {done && (
          <Chip tone="good" dot>
            {text.done}
          </Chip>
        )}
      </div>
      {!done && !waits && children}
    </section>
  );
}

type Game = Made & { slug: string };

function GameStep({ others, onMade }: { others: Game[]; onMade(game: Game): void }) {
  const accountId = useAccountId();
  const [name, setName] = useState('');
  const create = useAct(CreateGameMutation);
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    const made = await create.run({ input: { accountId, name: name.trim() } });
    if (made) onMade(made.createGame.game);
  };
  return (
    <form className="stack" onSubmit={(event) => void submit(event)}>
      <TextField
        label={t.games.name}
        value={name}
        onText={setName}
        required
        maxLength={100}
        error={create.fault?.fields.name}
      />
      <ActionFault fault={create.fault} />
      <div className="actions">
        <Button look="primary" type="submit" busy={create.busy}>
          {text.createGame}
        </Button>
      </div>
      {others.length > 0 && (
        <SelectField
          label={text.orGame}
          value=""
          options={[['', text.chooseGame], ...others.map(({ id, name }) => [id, name] as const)]}
          onPick={(id) => {
            const game = others.find((other) => other.id === id);
            if (game) onMade(game);
          }}
        />
      )}
    </form>
  );
}

function BoardStep({ game, onMade }: { game: Game; onMade(board: Made & { shortCode: string }): void }) {
  const accountId = useAccountId();
  const [name, setName] = useState(text.boardName);
  const create = useAct(FirstBoardMutation);
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    const input = {
      accountId,
      gameId: game.id,
      name: name.trim(),
      keepStrategy: 'BEST' as const,
      isPublished: true,
    };
    const made = await create.run({ input });
    if (made) onMade(made.createBoard.board);
  };
  return (
    <form className="stack" onSubmit={(event) => void submit(event)}>
      <p className="soft">{text.boardRules}</p>
      <TextField
        label={t.newBoard.name}
        value={name}
        onText={setName}
        required
        maxLength={100}
        error={create.fault?.fields.name}
      />
      <ActionFault fault={create.fault} />
      <div className="actions">
        <Button look="primary" type="submit" busy={create.busy}>
          {t.newBoard.create}
        </Button>
        <Link className="button quiet" to="/games/$slug/boards/new" params={{ slug: game.slug }}>
          {text.allChoices}
        </Link>
      </div>
    </form>
  );
}

interface SubmitProps {
  gameId: string;
  boardId: string;
  onPlayed(played: Played & { player: string }): void;
}

function SubmitStep({ gameId, boardId, onPlayed }: SubmitProps) {
  const [player, setPlayer] = useState('Ann');
  const [value, setValue] = useState('1200');
  const [busy, setBusy] = useState(false);
  const [fault, setFault] = useState<Fault>();
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    setBusy(true);
    try {
      const run = { gameId, boardId, playerName: player, value: Number(value), testMode: false };
      onPlayed({ ...(await playRun(run)), player });
    } catch (error) {
      setFault(error as Fault);
      setBusy(false);
    }
  };
  return (
    <form className="stack" onSubmit={(event) => void submit(event)}>
      <p className="soft">{text.submitHint}</p>
      <div className="pair-fields">
        <TextField label={t.testRun.player} value={player} onText={setPlayer} required maxLength={256} />
        <TextField label={t.queue.value} value={value} onText={setValue} type="number" step="any" required />
      </div>
      <ActionFault fault={fault} />
      <div className="actions">
        <Button look="primary" type="submit" busy={busy} wait={fault?.retryAfter}>
          {text.submitRun}
        </Button>
      </div>
    </form>
  );
}
