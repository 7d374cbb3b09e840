import { Link, useNavigate, useParams } from '@tanstack/react-router';
import { useState } from 'react';
import { useClient } from 'urql';
import { readAgain } from '../../api/connection.js';
import { useAct, useRead } from '../../api/hooks.js';
import { useRemoval } from '../../api/removal.js';
import { AllAtOnce } from '../../parts/all-at-once.js';
import { Chip, Head } from '../../parts/card.js';
import { ActionFault, Button } from '../../parts/controls.js';
import { Editable } from '../../parts/may.js';
import { Menu } from '../../parts/menu.js';
import { Failed, Loaded } from '../../parts/states.js';
import { When } from '../../parts/time.js';
import { say } from '../../parts/toast.js';
import { Page } from '../../shell/page.js';
import { t } from '../../texts.js';
import { FlagCard } from '../board/board-flags.js';
import { PlayerRewards } from '../prizes/player-rewards.js';
import { BulkDialog } from '../queue/bulk.js';
import { Comments } from '../queue/comments.js';
import { UndoRunsMutation } from '../queue/operations.js';
import { settled } from '../queue/settled.js';
import { Devices } from './devices.js';
import { MergedAway } from './merged-away.js';
import { Merges } from './merges.js';
import { type PlayerDetails, PlayerQuery, UpdateDeviceMutation } from './operations.js';
import { PlayerForm } from './player-form.js';
import { PlayerRuns } from './player-runs.js';
import { PlayerTags } from './player-tags.js';
import { PlayerTrail } from './player-trail.js';
import { Proofs } from './proofs.js';
import { Standings } from './standings.js';
import { RUN_TEXTS } from './texts.js';

const text = t.player;

export function PlayerScreen() {
  const { slug, id } = useParams({ from: '/games/$slug/players/$id' });
  const { data, fault, again } = useRead(PlayerQuery, { id });
  const player = data?.identity;
  const name = player?.displayName ?? '…';
  return (
    <Page
      title={name}
      seen={player?.id}
      crumbs={[
        [player?.game?.name ?? slug],
        [
          t.nav.players,
          (shown) => (
            <Link to="/games/$slug/players" params={{ slug }}>
              {shown}
            </Link>
          ),
        ],
        [name],
      ]}
    >
      {fault?.code === 'NOT_FOUND' ? (
        <MergedAway id={id} slug={slug}>
          <Failed fault={fault} again={again} />
        </MergedAway>
      ) : (
        <Loaded data={player} fault={fault} again={again}>
          {(player) => <Player key={player.id} player={player} slug={slug} again={again} />}
        </Loaded>
      )}
    </Page>
  );
}

function Player({ player, slug, again }: { player: PlayerDetails; slug: string; again(): void }) {
  const navigate = useNavigate();
  const client = useClient();
  const [bulk, setBulk] = useState(false);
  const removal = useRemoval('Identity');
  const device = useAct(UpdateDeviceMutation);
  const undoRuns = useAct(UndoRunsMutation);
  const acting = (player.devices ?? []).flatMap(({ device, isLinked }) =>
    device ? [{ ...device, isLinked }] : [],
  );
  // A device that belongs to another player is that one's to ban.
  const devices = acting.filter(({ identityId }) => identityId === player.id);
  const banned = devices.length > 0 && devices.every(({ status }) => status === 'BANNED');
  const setDevices = async (ids: string[], status: 'ACTIVE' | 'BANNED') => {
    for (const id of ids) if (!(await device.run({ input: { id, status } }))) return;
    again();
    if (status === 'ACTIVE') say(text.allowed(player.displayName));
    else say(text.banned(ids.length, player.displayName), () => void setDevices(ids, 'ACTIVE'));
  };
  const takeBack = async (id: string) => {
    if (!(await undoRuns.run({ id }))) return;
    await settled(client, id);
    say(t.queue.runsTakenBack(player.displayName));
    readAgain();
  };
  const those = (banned: boolean) =>
    devices.filter(({ status }) => (status === 'BANNED') === banned).map(({ id }) => id);
  const remove = async () => {
    if (!(await removal.remove({ id: player.id }))) return;
    void navigate({ to: '/games/$slug/players', params: { slug } });
    say(text.deleted(player.displayName), () => {
      void removal
        .restore({ id: player.id })
        .then(() => navigate({ to: '/games/$slug/players/$id', params: { slug, id: player.id } }));
    });
  };
  return (
    <>
      <Head
        title={
          <>
            {player.displayName} {banned && <Chip tone="bad">{RUN_TEXTS.banned}</Chip>}
          </>
        }
        meta={
          <>
            <span>{t.players.kinds[player.kind]}</span>
            <span>
              {t.queue.firstSeen} <When at={player.createdAt} />
            </span>
            {player.externalKey && <span>{text.externalKey(player.externalKey)}</span>}
            <span className="mono">{player.id}</span>
          </>
        }
        actions={
          <>
            <Button needs="MODERATE" onClick={() => setBulk(true)}>
              {t.queue.decideAll}
            </Button>
            {devices.length > 0 &&
              (banned ? (
                <Button
                  needs="MODERATE"
                  busy={device.busy}
                  onClick={() => void setDevices(those(true), 'ACTIVE')}
                >
                  {text.allow}
                </Button>
              ) : (
                <Button
                  look="danger"
                  needs="MODERATE"
                  busy={device.busy}
                  onClick={() => void setDevices(those(false), 'BANNED')}
                >
                  {text.ban(devices.length)}
                </Button>
              ))}
            <Menu
              label={t.board.moreActions}
              items={[{ text: t.delete, danger: true, needs: 'MODERATE', onPick: () => void remove() }]}
            />
          </>
        }
      />
      <ActionFault fault={device.fault ?? removal.fault ?? undoRuns.fault} />
      <AllAtOnce>
        <div className="grid sided">
          <div className="stack">
            <PlayerRuns identityId={player.id} slug={slug} />
            <Standings player={player} slug={slug} />
            <FlagCard identityId={player.id} />
            <PlayerRewards identityId={player.id} slug={slug} />
            <Comments identityId={player.id} />
          </div>
          <div className="stack">
            <Editable needs="MODERATE">
              <PlayerForm player={player} again={again} />
              <PlayerTags player={player} />
            </Editable>
            <Proofs player={player} proofs={player.proofs ?? []} again={again} />
            <Devices devices={acting} player={player} slug={slug} again={again} />
            <Merges player={player} slug={slug} />
            <PlayerTrail id={player.id} />
          </div>
        </div>
      </AllAtOnce>
      {bulk && (
        <BulkDialog
          identityId={player.id}
          player={player.displayName}
          onClose={() => setBulk(false)}
          onApplied={(id, sentence) => {
            setBulk(false);
            readAgain();
            say(sentence, () => void takeBack(id));
          }}
        />
      )}
    </>
  );
}
