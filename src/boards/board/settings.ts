import { normalizedTags } from '../../games/save.js';
import { type ClosingRuleInput, checkedClosingRules } from '../closing-rules/closing-rule.js';
import type { DimensionInput } from '../views/inputs.js';
import { checkedDimensions } from '../views/rules.js';
import { type Board, publicFieldsOf } from './board.js';
import { checkedFormat, type ValueFormatInput } from './value-format.js';

const DEFAULT_ICON = 'fa-crown';

/** Fields that a board and a template of boards have alike, beside the rules. */
export type BoardSettings = Pick<
  Board,
  | 'isActive'
  | 'isPublished'
  | 'publicFields'
  | 'friendsFrom'
  | 'icon'
  | 'unit'
  | 'format'
  | 'holdTop'
  | 'holdHours'
  | 'startsAt'
  | 'endsAt'
  | 'tags'
  | 'timeZone'
  | 'weekStart'
  | 'dayStart'
  | 'dimensions'
  | 'closingRules'
>;

type Given = {
  [K in Exclude<keyof BoardSettings, 'dimensions' | 'format' | 'closingRules'>]?: BoardSettings[K] | null;
} & {
  dimensions?: DimensionInput[] | null;
  closingRules?: ClosingRuleInput[] | null;
  format?: ValueFormatInput | null;
};

interface Setting<T, G> {
  /** Of a new record that is given none. */
  initial: T;
  /** True: null is a value, unlike an absent one. */
  nullable?: true;
  /** What is stored of a given value, where it is not the value itself. @throws DomainError VALIDATION_FAILED, INVALID_VIEW */
  stored?(given: NonNullable<G>): T;
}

const SETTINGS: { [K in keyof BoardSettings]: Setting<BoardSettings[K], Given[K]> } = {
  isActive: { initial: true },
  isPublished: { initial: true },
  publicFields: { initial: [], stored: publicFieldsOf },
  friendsFrom: { initial: 'client' },
  icon: { initial: DEFAULT_ICON, stored: (icon) => icon.trim() },
  unit: { initial: null, stored: (unit) => unit.trim() },
  format: { initial: null, stored: checkedFormat },
  holdTop: { initial: 0 },
  holdHours: { initial: 48, nullable: true },
  startsAt: { initial: null },
  endsAt: { initial: null },
  tags: { initial: [], stored: normalizedTags },
  timeZone: { initial: 'UTC' },
  weekStart: { initial: 'monday' },
  dayStart: { initial: '00:00' },
  dimensions: { initial: [], stored: checkedDimensions },
  closingRules: { initial: [], stored: checkedClosingRules },
};

/** The default of a field of an input. */
export function initially(name: keyof BoardSettings): { defaultValue: unknown } {
  return { defaultValue: SETTINGS[name].initial };
}

const ALL = Object.entries(SETTINGS) as [keyof BoardSettings, Setting<unknown, unknown>][];

function made<T>(of: (name: keyof BoardSettings, setting: Setting<unknown, unknown>) => unknown): T {
  return Object.fromEntries(ALL.map(([name, setting]) => [name, of(name, setting)])) as T;
}

/** The settings of a new record. @throws DomainError VALIDATION_FAILED, INVALID_VIEW */
export function newSettings(input: Given): BoardSettings {
  return made((name, { initial, nullable, stored }) => {
    const given = input[name];
    if (given == null) return given === null && nullable ? null : initial;
    return stored ? stored(given) : given;
  });
}

/** The settings that an update changes; undefined: it does not. @throws DomainError VALIDATION_FAILED, INVALID_VIEW */
export function changedSettings(input: Given): { [K in keyof BoardSettings]: BoardSettings[K] | undefined } {
  return made((name, { stored }) => {
    const given = input[name];
    return given != null && stored ? stored(given) : given;
  });
}

/** The settings among the members of a record. */
export function settingsIn(record: BoardSettings): BoardSettings {
  return made((name) => record[name]);
}
