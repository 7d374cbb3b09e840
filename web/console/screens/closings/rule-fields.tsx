import { Button, SelectField, TextField } from '../../parts/controls.js';
import { Fold } from '../../parts/fold.js';
import { newKey } from '../boards/view-draft.js';
import { ClosingWhen } from './closing-when.js';
import { type NextClosing, newRule, type RuleDraft } from './rule-draft.js';
import { RULE_TEXTS as text } from './texts.js';

interface RuleFieldsProps {
  rules: readonly RuleDraft[];
  /** Names of rankings that can be closed; empty: the board's own. */
  rankings: readonly string[];
  onChange(rules: RuleDraft[]): void;
  errors: Record<string, string>;
  next: readonly NextClosing[] | undefined;
}

/** Which rankings are closed when they end, and what that waits for. */
export function RuleFields({ rules, rankings, onChange, errors, next }: RuleFieldsProps) {
  const set = (key: number, changes: Partial<RuleDraft>) =>
    onChange(rules.map((rule) => (rule.key === key ? { ...rule, ...changes } : rule)));
  const nameOf = (view: string) => view || text.own;
  const free = rankings.find((view) => rules.every((rule) => rule.view !== view));
  return (
    <Fold
      title={text.title}
      side={rules.map(({ view }) => nameOf(view)).join(', ') || text.none}
      faulty={Object.keys(errors).some((field) =>
        /^closingRules\.\d+\.(?!prizes)|^closingRules$/.test(field),
      )}
    >
      <p className="hint">{text.hint}</p>
      <div className="rows-of-fields">
        {rules.map((rule, index) => {
          const { key, view, settleMinutes, reviewTop, reviewHours, places } = rule;
          const at = `closingRules.${index}`;
          return (
            <fieldset className="row-of-fields" key={key}>
              <legend className="hidden-text">{text.of(nameOf(view))}</legend>
              <SelectField<string>
                label={text.ranking}
                value={view}
                options={[...new Set([...rankings, view])].map((name) => [name, nameOf(name)] as const)}
                onPick={(view) => set(key, { view })}
                error={errors[`${at}.view`]}
              />
              <TextField
                label={text.settle}
                type="number"
                min={0}
                max={43200}
                required
                value={settleMinutes}
                onText={(settleMinutes) => set(key, { settleMinutes })}
                hint={text.settleHint}
                error={errors[`${at}.settleMinutes`]}
              />
              <TextField
                label={text.top}
                type="number"
                min={1}
                max={100}
                value={reviewTop}
                onText={(reviewTop) => set(key, { reviewTop })}
                hint={text.topHint}
                error={errors[`${at}.reviewTop`]}
              />
              {reviewTop && (
                <TextField
                  label={text.hours}
                  type="number"
                  min={0}
                  max={720}
                  required
                  value={reviewHours}
                  onText={(reviewHours) => set(key, { reviewHours })}
                  hint={text.hoursHint}
                  error={errors[`${at}.reviewHours`]}
                />
              )}
              <TextField
                label={text.places}
                type="number"
                min={1}
                max={100}
                required
                value={places}
                onText={(places) => set(key, { places })}
                error={errors[`${at}.places`]}
              />
              <p className="hint whole-row">
                <ClosingWhen rule={rule} next={next} />
                {rule.prizes && ` ${text.hasPrizes}`}
              </p>
              <Button onClick={() => onChange(rules.filter((one) => one.key !== key))}>{text.remove}</Button>
            </fieldset>
          );
        })}
        <div>
          {free === undefined ? (
            <p className="hint">{rankings.length === 0 ? text.noneEnds : text.all}</p>
          ) : (
            <Button onClick={() => onChange([...rules, newRule(newKey(), free)])}>{text.add}</Button>
          )}
        </div>
      </div>
    </Fold>
  );
}
