import { Button, Check } from '../../parts/controls.js';
import { VIEW_TEXTS } from './texts.js';
import {
  COMMON_VIEWS,
  type CommonView,
  commonView,
  isCommon,
  newView,
  type ViewDraft,
} from './view-draft.js';
import { ViewRow } from './view-row.js';

interface ViewFieldsProps {
  views: readonly ViewDraft[];
  /** Names of tags that a view can be by. */
  tags: readonly string[];
  onChange(views: ViewDraft[]): void;
  /** Views of a board keep the rule that they were built by; a template's are for boards to come. */
  fixed: boolean;
  hint: string;
  errors: Record<string, string>;
}

/** Rankings by period and by tag: the common ones by a click, each with all that it can be. */
export function ViewFields({ views, tags, onChange, fixed, hint, errors }: ViewFieldsProps) {
  const pick = (common: CommonView, checked: boolean) =>
    onChange(checked ? [...views, commonView(common)] : views.filter((view) => !isCommon(view, common)));
  return (
    <>
      <fieldset className="checks">
        <legend>{VIEW_TEXTS.title}</legend>
        <p className="hint">{hint}</p>
        {COMMON_VIEWS.map((common) => (
          <Check
            key={common}
            label={VIEW_TEXTS.names[common]}
            checked={views.some((view) => isCommon(view, common))}
            onPick={(checked) => pick(common, checked)}
          />
        ))}
      </fieldset>
      {views.length > 0 && (
        <div className="folds">
          {views.map((view, index) => (
            <ViewRow
              key={view.key}
              view={view}
              tags={tags}
              isFixed={fixed && view.stored !== undefined}
              errors={errors}
              at={`views.${index}`}
              onChange={(changed) => onChange(views.map((one) => (one.key === view.key ? changed : one)))}
              onRemove={() => onChange(views.filter((one) => one.key !== view.key))}
            />
          ))}
        </div>
      )}
      <div>
        <Button onClick={() => onChange([...views, newView()])}>{VIEW_TEXTS.add}</Button>
      </div>
      {errors.views && <p className="error">{errors.views}</p>}
    </>
  );
}
