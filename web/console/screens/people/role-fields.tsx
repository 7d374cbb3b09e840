import { useGames } from '../../api/games.js';
import { useMe } from '../../api/me.js';
import type { UserRole } from '../../generated/graphql.js';
import { Check, SelectField } from '../../parts/controls.js';
import { t } from '../../texts.js';

const ROLES = Object.keys(t.roles.names) as UserRole[];
const text = t.roles;

/** What a person may do, and in which games; undefined games: all. */
export interface Access {
  role: UserRole;
  gameIds: readonly string[] | null;
}

interface RoleFieldsProps {
  value: Access;
  onChange(value: Access): void;
  error?: string | undefined;
}

/** At most the role and the games of whoever gives them. */
export function RoleFields({ value: { role, gameIds }, onChange, error }: RoleFieldsProps) {
  const me = useMe();
  const { games = [] } = useGames();
  const most = me.superAdmin ? 'ADMIN' : (me.role ?? 'VIEWER');
  const roles = ROLES.slice(0, ROLES.indexOf(most) + 1);
  const limits = me.gameIds
    ? ([['some', text.someGames]] as const)
    : ([['', text.allGames] as const, ['some', text.someGames] as const] as const);
  const chosen = gameIds ?? [];
  const pick = (id: string, on: boolean) =>
    onChange({ role, gameIds: on ? [...chosen, id] : chosen.filter((one) => one !== id) });
  return (
    <>
      <SelectField<UserRole>
        label={text.role}
        value={role}
        options={roles.map((name) => [name, text.names[name]] as const)}
        onPick={(next) => onChange({ role: next, gameIds })}
        hint={text.hints[role]}
      />
      <SelectField<'' | 'some'>
        label={text.games}
        value={gameIds ? 'some' : ''}
        options={limits}
        onPick={(limit) => onChange({ role, gameIds: limit ? [] : null })}
        error={error}
      />
      {gameIds && (
        <div className="games-of">
          {games.map(({ id, name }) => (
            <Check key={id} label={name} checked={gameIds.includes(id)} onPick={(on) => pick(id, on)} />
          ))}
        </div>
      )}
    </>
  );
}

/** The role and games as a line of a list. */
export function AccessLine({ role, gameIds }: Access) {
  const { games = [] } = useGames();
  const names = gameIds?.map((id) => games.find((game) => game.id === id)?.name ?? '…');
  return (
    <>
      {text.names[role]}
      {names && <div className="small faint-text">{names.join(', ')}</div>}
    </>
  );
}
