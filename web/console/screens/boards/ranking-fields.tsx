import { SelectField } from '../../parts/controls.js';
import type { NextClosing } from '../closings/rule-draft.js';
import { RuleFields } from '../closings/rule-fields.js';
import type { PlayedBoard } from '../prizes/prize-preview.js';
import { PrizeSection } from '../prizes/prize-section.js';
import { CalendarFields } from './calendar-fields.js';
import type { Rankings } from './rankings.js';
import { TagFields } from './tag-fields.js';
import { VIEW_TEXTS } from './texts.js';
import { ViewFields } from './view-fields.js';

interface RankingFieldsProps {
  value: Rankings;
  onChange(rankings: Rankings): void;
  errors: Record<string, string>;
  /** Names of tags of the sources of a ratio board, which has none of its own. */
  ofSources?: readonly string[] | undefined;
  /** Views keep the rule that they were built by. */
  fixed?: boolean;
  /** Has the scores that prizes are previewed with. */
  played?: PlayedBoard | undefined;
  /** When rankings of a stored board close. */
  next?: readonly NextClosing[] | undefined;
  hint?: string;
}

/** Everything a board ranks by in addition to its rules: views, tags, days and the order of equal values. */
export function RankingFields({
  value,
  onChange,
  errors,
  ofSources,
  fixed = false,
  played,
  next,
  hint = VIEW_TEXTS.hint,
}: RankingFieldsProps) {
  const rankings = [...(ofSources ? [] : ['']), ...endingViews(value)];
  const own = value.tags.map(({ name }) => name.trim()).filter(Boolean);
  return (
    <>
      <section className="section">
        <ViewFields
          views={value.views}
          tags={['country', 'platform', ...(ofSources ?? own)]}
          onChange={(views) => onChange({ ...value, views })}
          fixed={fixed}
          hint={ofSources ? VIEW_TEXTS.ratioHint : hint}
          errors={errors}
        />
        {value.views.length > 0 && (
          <SelectField
            label={VIEW_TEXTS.first}
            value={String(value.views.find(({ key }) => key === value.first)?.key ?? '')}
            options={[
              ['', VIEW_TEXTS.own],
              ...value.views.map(
                ({ key, name }) => [String(key), name.trim() || VIEW_TEXTS.unnamed] as const,
              ),
            ]}
            onPick={(key) => onChange({ ...value, first: key === '' ? null : Number(key) })}
            hint={VIEW_TEXTS.firstHint}
            error={errors.defaultView}
          />
        )}
        {!ofSources && (
          <TagFields tags={value.tags} onChange={(tags) => onChange({ ...value, tags })} errors={errors} />
        )}
        <RuleFields
          rules={value.closingRules}
          rankings={rankings}
          onChange={(closingRules) => onChange({ ...value, closingRules })}
          errors={errors}
          next={next}
        />
        <CalendarFields
          value={value}
          onChange={(changes) => onChange({ ...value, ...changes })}
          errors={errors}
        />
      </section>
      <PrizeSection
        rules={value.closingRules}
        rankings={rankings}
        onChange={(closingRules) => onChange({ ...value, closingRules })}
        errors={errors}
        played={played}
        next={next}
      />
    </>
  );
}

/** Names of the views that have periods. */
function endingViews({ views }: Rankings): string[] {
  return views.filter(({ kind }) => kind !== 'ALL').map(({ name }) => name.trim());
}
