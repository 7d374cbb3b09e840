import { useState } from 'react';
import { Button, Check, Field, SelectField, TextField } from '../../parts/controls.js';
import { MissingProvider } from '../providers/missing-provider.js';
import {
  grantFault,
  isItem,
  itemOf,
  type LineDraft,
  type LineKind,
  lineRule,
  withItem,
} from './prize-draft.js';
import { PRIZE_TEXTS as text } from './texts.js';

interface PrizeLineProps {
  line: LineDraft;
  /** Its name for programs, where it has none of its own. */
  madeName: string;
  onChange(line: LineDraft): void;
  onRemove(): void;
  errors: Record<string, string>;
  /** Where the service names its fields: `closingRules.0.prizes.lines.0`. */
  at: string;
}

const KINDS = Object.entries(text.kinds) as [LineKind, string][];
/** Fields that are out of sight until they are wanted, or have a fault. */
const FURTHER = ['name', 'minimumRuns', 'minimumAgeHours', 'pictureUrl', 'grant'];

/** One line of a prize table in a row: who gets it, its title and the item; the rest is below it on demand. */
export function PrizeLine({ line, madeName, onChange, onRemove, errors, at }: PrizeLineProps) {
  const { title, kind } = line;
  const [opened, setOpened] = useState(false);
  const set = (changes: Partial<LineDraft>) => onChange({ ...line, ...changes });
  const error = (field: string) => errors[`${at}.${field}`];
  const isOpen = opened || FURTHER.some((field) => error(field)) || grantFault(line.grant) !== '';
  const shown = title || text.newLine;
  const rank = { bare: true, type: 'number', min: 1, max: 1_000_000 } as const;
  return (
    <li aria-label={`${shown}, ${lineRule(line)}`}>
      <div className="prize-row">
        <div className="prize-who">
          <SelectField<LineKind>
            bare
            label={text.kind}
            value={kind}
            options={KINDS}
            onPick={(kind) => set({ kind })}
          />
          {kind === 'RANK' && (
            <>
              <TextField
                {...rank}
                label={text.first}
                required
                value={line.firstRank}
                onText={(firstRank) => set({ firstRank })}
                error={error('firstRank')}
              />
              <TextField
                {...rank}
                label={text.last}
                min={line.firstRank || 1}
                placeholder={line.firstRank}
                value={line.lastRank}
                onText={(lastRank) => set({ lastRank })}
                error={error('lastRank')}
              />
            </>
          )}
          {kind === 'SHARE' && (
            <TextField
              bare
              label={text.percent}
              type="number"
              min={0.001}
              max={100}
              step="any"
              required
              value={line.percent}
              onText={(percent) => set({ percent })}
              error={error('percent')}
            />
          )}
          {kind === 'VALUE' && (
            <TextField
              bare
              label={text.reached}
              type="number"
              step="any"
              required
              value={line.reached}
              onText={(reached) => set({ reached })}
              error={error('reached')}
            />
          )}
        </div>
        <TextField
          bare
          label={text.lineTitle}
          placeholder={text.titleExample}
          value={title}
          onText={(title) => set({ title })}
          required
          maxLength={100}
          error={error('title')}
        />
        <TextField
          bare
          label={text.item}
          placeholder={isItem(line.grant) ? text.itemExample : text.ownGrant}
          value={itemOf(line.grant)}
          onText={(item) => set({ grant: withItem(item) })}
          disabled={!isItem(line.grant)}
          maxLength={200}
        />
        <span className="prize-actions">
          <Button look="quiet" aria-expanded={isOpen} onClick={() => setOpened(!isOpen)}>
            {text.more}
          </Button>
          <Button look="quiet" aria-label={text.removeLine(shown)} onClick={onRemove}>
            ✕
          </Button>
        </span>
      </div>
      {isOpen && (
        <div className="prize-more">
          <div className="pair-fields">
            <TextField
              label={text.name}
              value={line.name}
              placeholder={madeName}
              onText={(name) => set({ name })}
              maxLength={64}
              hint={text.nameHint}
              error={error('name')}
            />
            <TextField
              label={text.picture}
              type="url"
              pattern="https://.*"
              maxLength={2_000}
              value={line.pictureUrl}
              onText={(pictureUrl) => set({ pictureUrl })}
              hint={text.pictureHint}
              error={error('pictureUrl')}
            />
            <TextField
              label={text.runs}
              type="number"
              min={1}
              max={1_000}
              value={line.minimumRuns}
              onText={(minimumRuns) => set({ minimumRuns })}
              hint={text.anyHint}
              error={error('minimumRuns')}
            />
            <TextField
              label={text.age}
              type="number"
              min={1}
              max={8_760}
              value={line.minimumAgeHours}
              onText={(minimumAgeHours) => set({ minimumAgeHours })}
              hint={text.ageHint}
              error={error('minimumAgeHours')}
            />
          </div>
          <div>
            <Check
              label={text.proven}
              checked={line.provenOnly}
              onPick={(provenOnly) => set({ provenOnly })}
            />
            <p className="hint">{text.provenHint}</p>
          </div>
          {line.provenOnly && <MissingProvider />}
          <Grant json={line.grant} onChange={(grant) => set({ grant })} error={error('grant')} />
        </div>
      )}
    </li>
  );
}

interface GrantProps {
  json: string;
  onChange(json: string): void;
  error: string | undefined;
}

function Grant({ json, onChange, error }: GrantProps) {
  const fault = grantFault(json);
  return (
    <Field label={text.grant} hint={text.grantHint} error={fault || error}>
      {(ids) => (
        <textarea
          {...ids}
          // The browser does not send the form while it is wrong.
          ref={(area) => area?.setCustomValidity(fault)}
          className="input mono"
          rows={Math.min(12, Math.max(2, json.split('\n').length))}
          spellCheck={false}
          value={json}
          onChange={(event) => onChange(event.target.value)}
        />
      )}
    </Field>
  );
}
