import type { BoardDetails } from '../../api/boards.js';
import type { BoardViewInput } from '../../generated/graphql.js';
import { Check } from '../../parts/controls.js';
import { t } from '../../texts.js';

type View = BoardDetails['views'][number];

/** Views that the form declares; all others are kept as they are. */
const COMMON = {
  daily: { period: 'DAY' },
  weekly: { period: 'WEEK' },
  monthly: { period: 'MONTH' },
  country: { by: ['country'] },
  platform: { by: ['platform'] },
} as const satisfies Record<string, Partial<BoardViewInput>>;
export type CommonView = keyof typeof COMMON;
const NAMES = Object.keys(COMMON) as CommonView[];

/** The common view that a view is, whatever its name. */
function commonOf({ period, every, seasons, by }: View): CommonView | undefined {
  if (every || seasons) return undefined;
  return NAMES.find((name) => {
    const rule: { period?: string; by?: readonly string[] } = COMMON[name];
    return (rule.period ?? null) === (period ?? null) && (rule.by ?? []).join() === by.join();
  });
}

/** The common views that a board has. */
export function commonViews(views: readonly View[]): CommonView[] {
  return NAMES.filter((name) => views.some((view) => commonOf(view) === name));
}

/** A view as it was declared, without the names of types that the client's cache adds. */
function inputOf({
  name,
  period,
  by,
  keepPeriods,
  keepPodium,
  since,
  tiePolicy,
  ...more
}: View): BoardViewInput {
  const { every, seasons } = more;
  return {
    ...{ name, period, by, keepPeriods, keepPodium, since, tiePolicy },
    every: every && { every: every.every, unit: every.unit, from: every.from },
    seasons: seasons?.map(({ name, startsAt, endsAt }) => ({ name, startsAt, endsAt })) ?? null,
  };
}

/** The whole list of a board's views after the choice. */
export function viewsInput(views: readonly View[], chosen: readonly CommonView[]): BoardViewInput[] {
  const kept = views.filter((view) => {
    const common = commonOf(view);
    return common === undefined || chosen.includes(common);
  });
  const had = commonViews(views);
  const added = chosen.filter((name) => !had.includes(name));
  return [
    ...kept.map(inputOf),
    ...added.map((name) => ({ name, ...COMMON[name], ...('by' in COMMON[name] && { by: [name] }) })),
  ] as BoardViewInput[];
}

interface ViewFieldsProps {
  views: readonly View[];
  chosen: readonly CommonView[];
  onPick(chosen: CommonView[]): void;
  hint?: string;
}

/** Rankings by period and by tag, and the progress of those that are being built. */
export function ViewFields({ views, chosen, onPick, hint = t.views.hint }: ViewFieldsProps) {
  const others = views.filter((view) => commonOf(view) === undefined).map(({ name }) => name);
  const progress = (name: CommonView) => {
    const view = views.find((one) => commonOf(one) === name);
    return view?.status === 'BUILDING' ? t.views.building(view.progress ?? 0) : '';
  };
  return (
    <fieldset className="checks">
      <legend>{t.views.title}</legend>
      <p className="hint">{hint}</p>
      {NAMES.map((name) => (
        <Check
          key={name}
          label={t.views.names[name] + progress(name)}
          checked={chosen.includes(name)}
          onPick={(checked) =>
            onPick(NAMES.filter((other) => (other === name ? checked : chosen.includes(other))))
          }
        />
      ))}
      {others.length > 0 && <p className="hint">{t.views.others(others.join(', '))}</p>}
    </fieldset>
  );
}
