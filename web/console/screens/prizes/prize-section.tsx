import { Button, SelectField } from '../../parts/controls.js';
import { newKey } from '../boards/view-draft.js';
import { ClosingWhen } from '../closings/closing-when.js';
import { type NextClosing, newRule, type RuleDraft } from '../closings/rule-draft.js';
import { RULE_TEXTS } from '../closings/texts.js';
import { newPrizes } from './prize-draft.js';
import { PrizeFields } from './prize-fields.js';
import type { PlayedBoard } from './prize-preview.js';
import { PRIZE_TEXTS as text } from './texts.js';

interface PrizeSectionProps {
  rules: readonly RuleDraft[];
  /** Names of rankings that can be closed; empty: the board's own. */
  rankings: readonly string[];
  onChange(rules: RuleDraft[]): void;
  errors: Record<string, string>;
  /** Has the scores that prizes are previewed with. */
  played: PlayedBoard | undefined;
  next: readonly NextClosing[] | undefined;
}

/** What the first places of each ranking are given. A ranking with prizes closes: the first prizes add its closing. */
export function PrizeSection({ rules, rankings, onChange, errors, played, next }: PrizeSectionProps) {
  const set = (key: number, changes: Partial<RuleDraft>) =>
    onChange(rules.map((rule) => (rule.key === key ? { ...rule, ...changes } : rule)));
  const has = (view: string) => rules.some((rule) => rule.view === view && rule.prizes);
  // A view of today is what prizes are mostly for: of several rankings, the first with periods.
  const free = rankings.filter((view) => !has(view)).toSorted((a, b) => Number(a === '') - Number(b === ''));
  const add = () => {
    const view = free[0]!;
    const rule = rules.find((one) => one.view === view);
    if (rule) set(rule.key, { prizes: newPrizes() });
    else onChange([...rules, { ...newRule(newKey(), view), prizes: newPrizes() }]);
  };
  const nameOf = (view: string) => view || RULE_TEXTS.own;
  return (
    <section className="section">
      <header>
        <h2>{text.title}</h2>
        <p className="soft">{text.hint}</p>
      </header>
      {rules.map(
        (rule, index) =>
          rule.prizes && (
            <fieldset className="row-of-fields prizes-of" key={rule.key}>
              <legend className="hidden-text">{text.of(nameOf(rule.view))}</legend>
              <SelectField<string>
                label={RULE_TEXTS.ranking}
                value={rule.view}
                options={[...new Set([...rankings, rule.view])]
                  .filter((view) => view === rule.view || !rules.some((one) => one.view === view))
                  .map((view) => [view, nameOf(view)] as const)}
                onPick={(view) => set(rule.key, { view })}
                hint={<ClosingWhen rule={rule} next={next} />}
                error={errors[`closingRules.${index}.view`]}
              />
              <PrizeFields
                prizes={rule.prizes}
                onChange={(prizes) => set(rule.key, { prizes })}
                view={rule.view}
                played={played}
                errors={errors}
                at={`closingRules.${index}.prizes`}
              />
            </fieldset>
          ),
      )}
      <div>
        {free.length > 0 ? (
          <Button onClick={add}>{text.add}</Button>
        ) : (
          rankings.length === 0 && <p className="hint">{RULE_TEXTS.noneEnds}</p>
        )}
      </div>
    </section>
  );
}
