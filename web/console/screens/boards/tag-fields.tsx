import type { TagSetter, TagSource } from '../../generated/graphql.js';
import { Button, SelectField, TextField } from '../../parts/controls.js';
import { Fold } from '../../parts/fold.js';
import { t } from '../../texts.js';
import { newTag, type TagDraft } from './rankings.js';
import { VIEW_TEXTS } from './texts.js';

const text = t.tags;

interface TagFieldsProps {
  tags: readonly TagDraft[];
  onChange(tags: TagDraft[]): void;
  errors: Record<string, string>;
}

/** Tags of runs or players other than country and platform. */
export function TagFields({ tags, onChange, errors }: TagFieldsProps) {
  const set = (key: number, changes: Partial<TagDraft>) =>
    onChange(tags.map((tag) => (tag.key === key ? { ...tag, ...changes } : tag)));
  return (
    <Fold
      title={text.title}
      side={tags.map(({ name }) => name).join(', ') || text.none}
      faulty={Object.keys(errors).some((field) => field.startsWith('dimensions'))}
    >
      <p className="hint">{text.hint}</p>
      <div className="rows-of-fields">
        {tags.map((tag, index) => {
          const { key, name, source, setBy, values } = tag;
          const at = `dimensions.${index}`;
          return (
            <fieldset className="row-of-fields" key={key}>
              <legend className="hidden-text">{text.of(name, index + 1)}</legend>
              <TextField
                label={text.name}
                value={name}
                onText={(name) => set(key, { name })}
                required
                hint={VIEW_TEXTS.nameHint}
                error={errors[`${at}.name`]}
              />
              <SelectField<TagSource>
                label={text.source}
                value={source}
                options={text.sources}
                onPick={(source) => set(key, { source })}
                error={errors[`${at}.source`]}
              />
              <SelectField<TagSetter>
                label={text.setBy}
                value={setBy}
                options={text.setters}
                onPick={(setBy) => set(key, { setBy })}
                error={errors[`${at}.setBy`]}
              />
              <TextField
                label={text.values}
                value={values}
                onText={(values) => set(key, { values })}
                hint={text.valuesHint}
                error={errors[`${at}.values`]}
              />
              <Button onClick={() => onChange(tags.filter((one) => one.key !== key))}>
                {text.remove(name, index + 1)}
              </Button>
            </fieldset>
          );
        })}
        <div>
          <Button onClick={() => onChange([...tags, newTag()])}>{text.add}</Button>
        </div>
      </div>
    </Fold>
  );
}
