import { type FormEvent, useState } from 'react';
import { useAct, useRead } from '../../api/hooks.js';
import type { PlayerTagsQuery as Answer } from '../../generated/graphql.js';
import { ActionFault, Button, SelectField, TextField } from '../../parts/controls.js';
import { Loaded } from '../../parts/states.js';
import { say } from '../../parts/toast.js';
import { t } from '../../texts.js';
import { type PlayerDetails, PlayerTagsQuery, SetPlayerTagsMutation } from './operations.js';

const text = t.player.tags;

/** The tags that boards and templates of the game have players keep, with their present values. */
export function PlayerTags({ player }: { player: PlayerDetails }) {
  const { data, fault, again } = useRead(PlayerTagsQuery, { id: player.id, gameId: player.gameId });
  return (
    <Loaded data={data} fault={fault} again={again} rows={1}>
      {(data) => {
        const tags = tagsOf(data);
        if (tags.length === 0) return null;
        const present = Object.fromEntries(
          (data.identity.tags ?? []).map(({ name, value }) => [name, value]),
        );
        return <Form key={JSON.stringify(present)} player={player} tags={tags} present={present} />;
      }}
    </Loaded>
  );
}

interface Tag {
  name: string;
  /** Undefined: any. */
  values: string[] | undefined;
}

/** Every board takes the value, so those that declare values have to have it alike. */
function tagsOf({ boards, boardTemplates, identity }: Answer): Tag[] {
  const tags = new Map<string, string[] | undefined>(identity.tags?.map(({ name }) => [name, undefined]));
  for (const { dimensions } of [...boards.nodes, ...boardTemplates.nodes]) {
    for (const { name, source, values } of dimensions) {
      if (source !== 'PLAYER') continue;
      const before = tags.get(name);
      const both = values?.filter((value) => before?.includes(value) ?? true);
      tags.set(name, both ?? before);
    }
  }
  return [...tags].map(([name, values]) => ({ name, values }));
}

interface FormProps {
  player: PlayerDetails;
  tags: Tag[];
  present: Record<string, string>;
}

function Form({ player, tags, present }: FormProps) {
  const [values, setValues] = useState(present);
  const act = useAct(SetPlayerTagsMutation);
  const changed = tags
    .map(({ name }) => [name, values[name]?.trim() ?? ''] as const)
    .filter(([name, value]) => value !== (present[name] ?? ''));
  const save = async (event: FormEvent) => {
    event.preventDefault();
    const changes = changed.map(([name, value]) => ({ name, value: value || null }));
    if (!(await act.run({ input: { identityId: player.id, tags: changes } }))) return;
    say(text.saved(player.displayName));
  };
  return (
    <section className="card">
      <form className="section" onSubmit={(event) => void save(event)}>
        <header>
          <h2>{text.title}</h2>
          <p className="hint">{text.hint}</p>
        </header>
        {tags.map(({ name, values: allowed }) => {
          const field = {
            label: name,
            value: values[name] ?? '',
            error: changed.some(([one]) => one === name) ? act.fault?.fields.tags : undefined,
          };
          const set = (value: string) => setValues({ ...values, [name]: value });
          if (!allowed) return <TextField key={name} {...field} onText={set} maxLength={64} />;
          // A value from before the board declared others stays visible.
          const shown = field.value && !allowed.includes(field.value) ? [field.value, ...allowed] : allowed;
          return (
            <SelectField
              key={name}
              {...field}
              options={[['', text.none], ...shown.map((value) => [value, value] as const)]}
              onPick={set}
            />
          );
        })}
        {changed.length > 0 && (
          <Button look="primary" type="submit" busy={act.busy} wait={act.fault?.retryAfter}>
            {t.save}
          </Button>
        )}
        <ActionFault fault={act.fault} />
      </form>
    </section>
  );
}
