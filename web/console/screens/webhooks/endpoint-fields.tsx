import { useState } from 'react';
import { EVENT_TYPES, type EventType } from '../../../../src/webhooks/events/event-types.js';
import type { Fault } from '../../api/fault.js';
import { useGames } from '../../api/games.js';
import { Button, Check, SelectField, TextField } from '../../parts/controls.js';
import { BoardList } from './board-list.js';
import type { WebhookRow } from './operations.js';
import { WEBHOOK_TEXTS } from './texts.js';

const text = WEBHOOK_TEXTS;
/** Events by what they are about. */
const GROUPS: [title: string, events: EventType[]][] = [
  [
    text.groups.boards,
    ['board.opened', 'board.closing', 'board.closed', 'ranking.settling', 'ranking.closed'],
  ],
  [text.groups.rewards, ['reward.granted', 'reward.claimed', 'reward.expired', 'reward.revoked']],
  [text.groups.leaders, ['board.leader_changed', 'player.overtaken']],
  [
    text.groups.moderation,
    [
      'score.flagged',
      'score.held',
      'score.reviewed',
      'run.verify',
      'runs.reviewed',
      'alert.raised',
      'device.banned',
    ],
  ],
  [text.groups.players, ['player.proven', 'player.merged', 'player.unmerged', 'player.erased']],
  [
    text.groups.account,
    [
      ...(['import.finished', 'template.failed', 'key.created', 'key.revoked', 'user.invited'] as const),
      'endpoint.disabled',
    ],
  ],
];
/** What most endpoints are for. */
const PRESETS: [name: string, written: Pick<Written, 'format' | 'events'>][] = [
  [
    text.presets.moderation,
    { format: 'DISCORD', events: ['score.flagged', 'score.held', 'alert.raised', 'device.banned'] },
  ],
  [
    text.presets.rewards,
    { format: 'JSON', events: ['reward.granted', 'reward.claimed', 'reward.expired', 'reward.revoked'] },
  ],
];
/** Its sentence, without the marks of names of fields. */
const sentenceOf = (event: EventType) => EVENT_TYPES[event].replaceAll('`', '');

type Written = Pick<
  WebhookRow,
  | 'name'
  | 'url'
  | 'format'
  | 'ordered'
  | 'events'
  | 'gameIds'
  | 'boardIds'
  | 'population'
  | 'closingMinutes'
  | 'leaderSeconds'
  | 'overtakenTop'
  | 'overtakenBy'
>;

const NEW: Written = {
  ...{
    name: '',
    url: '',
    format: 'JSON',
    ordered: false,
    events: ['board.closed'],
    gameIds: [],
    boardIds: [],
  },
  ...{
    population: 'PRODUCTION',
    closingMinutes: 60,
    leaderSeconds: 60,
    overtakenTop: 10,
    overtakenBy: 'ANYONE',
  },
};

const FORMATS = [
  ['JSON', 'JSON'],
  ['DISCORD', 'Discord'],
  ['SLACK', 'Slack'],
] as const;
const POPULATIONS = [
  ['PRODUCTION', text.population.PRODUCTION],
  ['TEST', text.population.TEST],
  ['ALL', text.population.ALL],
] as const;
const OVERTAKING = [
  ['ANYONE', text.overtaking.ANYONE],
  ['FRIENDS', text.overtaking.FRIENDS],
] as const;

/** What a person writes about an endpoint. @param of absent: a new one */
export function useEndpoint(of?: WebhookRow) {
  const [written, setWritten] = useState<Written>(() => {
    const given = of ?? NEW;
    const names = Object.keys(NEW) as (keyof Written)[];
    return Object.fromEntries(names.map((name) => [name, given[name]])) as Written;
  });
  const set = (part: Partial<Written>) => setWritten((before) => ({ ...before, ...part }));
  const { name, url, ordered, format, ...rest } = written;
  const input = {
    ...rest,
    format,
    name: name.trim(),
    url: url.trim(),
    ordered: ordered && format === 'JSON',
  };
  return { written, set, input };
}

interface EndpointFieldsProps extends Pick<ReturnType<typeof useEndpoint>, 'written' | 'set'> {
  errors: Fault['fields'];
}

const toggled = (list: readonly string[], item: string) => (picked: boolean) =>
  picked ? [...list, item] : list.filter((one) => one !== item);

export function EndpointFields({ written, set, errors }: EndpointFieldsProps) {
  const { games = [] } = useGames();
  const { events, gameIds, boardIds, format } = written;
  const number = (label: string, name: 'closingMinutes' | 'leaderSeconds' | 'overtakenTop') => (
    <TextField
      label={label}
      type="number"
      value={String(written[name])}
      onText={(value) => set({ [name]: Number(value) })}
      required
      error={errors[name]}
    />
  );
  return (
    <>
      <TextField
        label={text.name}
        value={written.name}
        onText={(name) => set({ name })}
        required
        maxLength={100}
        error={errors.name}
      />
      <TextField
        label={text.url}
        type="url"
        value={written.url}
        onText={(url) => set({ url })}
        required
        hint={text.urlHint}
        error={errors.url}
      />
      <SelectField
        label={text.format}
        value={format}
        options={FORMATS}
        onPick={(picked) => set({ format: picked })}
      />
      {format === 'JSON' && (
        <Check label={text.ordered} checked={written.ordered} onPick={(ordered) => set({ ordered })} />
      )}
      <div className="actions">
        {PRESETS.map(([name, preset]) => (
          <Button key={name} onClick={() => set(preset)}>
            {name}
          </Button>
        ))}
      </div>
      {GROUPS.map(([title, group]) => (
        <fieldset key={title}>
          <legend>{title}</legend>
          {group.map((event) => (
            <div key={event}>
              <Check
                label={event}
                checked={events.includes(event)}
                onPick={(picked) => set({ events: toggled(events, event)(picked) })}
              />
              <span className="hint block">{sentenceOf(event)}</span>
            </div>
          ))}
        </fieldset>
      ))}
      {errors.events && <p className="error">{errors.events}</p>}
      {events.includes('board.closing') && number(text.closing, 'closingMinutes')}
      {events.includes('board.leader_changed') && number(text.leader, 'leaderSeconds')}
      {events.includes('player.overtaken') && (
        <SelectField
          label={text.overtakenBy}
          value={written.overtakenBy}
          options={OVERTAKING}
          onPick={(overtakenBy) => set({ overtakenBy })}
        />
      )}
      {events.includes('player.overtaken') &&
        written.overtakenBy === 'ANYONE' &&
        number(text.overtakenTop, 'overtakenTop')}
      <SelectField
        label={text.scores}
        value={written.population}
        options={POPULATIONS}
        onPick={(population) => set({ population })}
      />
      {games.length > 1 && (
        <fieldset>
          <legend>{text.games}</legend>
          {games.map(({ id, name }) => (
            <Check
              key={id}
              label={name}
              checked={gameIds.includes(id)}
              onPick={(picked) => set({ gameIds: toggled(gameIds, id)(picked) })}
            />
          ))}
        </fieldset>
      )}
      <BoardList boardIds={boardIds} onPick={(picked) => set({ boardIds: picked })} />
    </>
  );
}
