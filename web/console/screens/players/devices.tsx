import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { useAct } from '../../api/hooks.js';
import { useRemoval } from '../../api/removal.js';
import type { DeviceStatus } from '../../generated/graphql.js';
import { Card, Chip } from '../../parts/card.js';
import { ActionFault, Button } from '../../parts/controls.js';
import { Menu } from '../../parts/menu.js';
import { When } from '../../parts/time.js';
import { say } from '../../parts/toast.js';
import { onPlatform, t } from '../../texts.js';
import {
  type PlayerDetails,
  UnlinkDeviceMutation,
  UpdateDeviceMutation,
  UpdateSessionMutation,
} from './operations.js';
import { ResetDevice } from './reset-device.js';
import { LINK_TEXTS } from './texts.js';

type Acting = NonNullable<PlayerDetails['devices']>[number];
type Device = NonNullable<Acting['device']> & Pick<Acting, 'isLinked'>;
const text = t.devices;

interface DevicesProps {
  devices: Device[];
  player: { id: string };
  slug: string;
  again(): void;
}

/** The devices that act for a player: its own, linked ones, and those where it has proven who it is. */
export function Devices({ devices, player, slug, again }: DevicesProps) {
  const update = useAct(UpdateDeviceMutation);
  const [resetting, setResetting] = useState<Device>();
  const set = async (device: Device, status: DeviceStatus) => {
    if (!(await update.run({ input: { id: device.id, status } }))) return;
    again();
    say(text.changed[status](device.platform), () => void set(device, device.status));
  };
  const unlinking = useAct(UnlinkDeviceMutation);
  const unlink = async ({ id }: Device) => {
    if (!(await unlinking.run({ input: { id } }))) return;
    again();
    say(LINK_TEXTS.unlinked);
  };
  const removal = useRemoval('Device');
  const remove = async (device: Device) => {
    if (!(await removal.remove({ id: device.id }))) return;
    again();
    say(text.deleted(device.platform), () => void removal.restore({ id: device.id }).then(again));
  };
  return (
    <>
      <Card title={text.title}>
        {devices.length === 0 ? (
          <p className="empty">{text.none}</p>
        ) : (
          <ul className="rows">
            {devices.map((device) => (
              <li key={device.id}>
                <span>
                  {onPlatform(device.platform)}{' '}
                  {device.status !== 'ACTIVE' && <Chip tone="bad">{text.status[device.status]}</Chip>}
                  <Ties device={device} player={player} slug={slug} />
                  <span className="block small faint-text">
                    {text.lastSeen} <When at={device.lastSeenAt} />
                  </span>
                </span>
                <span className="right">
                  <Button
                    needs="MODERATE"
                    busy={update.busy}
                    onClick={() => void set(device, device.status === 'ACTIVE' ? 'BANNED' : 'ACTIVE')}
                  >
                    {device.status === 'ACTIVE' ? text.ban : text.allow}
                  </Button>
                  <Menu
                    label={text.actionsOf(device.platform)}
                    items={[
                      (device.isLinked || device.linkedIdentityId !== null) && {
                        text: LINK_TEXTS.unlink,
                        needs: 'MODERATE',
                        onPick: () => void unlink(device),
                      },
                      { text: text.reset, needs: 'MODERATE', onPick: () => setResetting(device) },
                      { text: t.delete, danger: true, needs: 'MODERATE', onPick: () => void remove(device) },
                    ]}
                  />
                </span>
              </li>
            ))}
          </ul>
        )}
        <ActionFault fault={update.fault ?? unlinking.fault ?? removal.fault} />
      </Card>
      {resetting && <ResetDevice device={resetting} again={again} onClose={() => setResetting(undefined)} />}
      {devices.length > 0 && (
        <Card title={text.sessions}>
          <ul className="rows">
            {devices.map((device) => (
              <Sessions key={device.id} device={device} again={again} />
            ))}
          </ul>
        </Card>
      )}
    </>
  );
}

/** Whose device it is otherwise, or whom it plays as. */
function Ties({ device, player, slug }: Pick<DevicesProps, 'player' | 'slug'> & { device: Device }) {
  const { identity, linkedIdentity, isLinked } = device;
  const other = isLinked ? identity : linkedIdentity;
  if (!other || other.id === player.id) return null;
  return (
    <span className="block small">
      {isLinked ? <Chip>{LINK_TEXTS.linked}</Chip> : LINK_TEXTS.playsAs}{' '}
      <Link to="/games/$slug/players/$id" params={{ slug, id: other.id }}>
        {isLinked ? LINK_TEXTS.deviceOf(other.displayName) : other.displayName || LINK_TEXTS.nameless}
      </Link>
    </span>
  );
}

function Sessions({ device, again }: { device: Device; again(): void }) {
  const update = useAct(UpdateSessionMutation);
  const end = async (id: string) => {
    if (!(await update.run({ input: { id, status: 'REVOKED' } }))) return;
    again();
    say(text.sessionEnded);
  };
  return device.sessions?.nodes.map((session) => (
    <li key={session.id}>
      <span>
        {session.ipAddress ?? onPlatform(device.platform)}{' '}
        {session.status !== 'ACTIVE' && <Chip>{text.sessionStatus[session.status]}</Chip>}
        <span className="block small faint-text">
          {text.started} <When at={session.createdAt} />
        </span>
      </span>
      {session.status === 'ACTIVE' && (
        <span className="right">
          <Button needs="MODERATE" busy={update.busy} onClick={() => void end(session.id)}>
            {text.end}
          </Button>
        </span>
      )}
    </li>
  ));
}
