import Ajv, { type ErrorObject, type ValidateFunction } from 'ajv';
import { readDateTime } from '../base/moments/date-time.js';
import { schemaText } from '../contract/package.js';
import type { Kind, Values } from './fields.js';
import type { ValuePath, YamlFile } from './file.js';

/** A record in the file. */
export interface DesiredRecord {
  kind: Kind;
  /** Its place in the file. */
  way: ValuePath;
  name: string;
  renamedFrom: string | undefined;
  /** The given fields by the file's names; moments are ISO 8601 texts in UTC. */
  values: Values;
}

/** A game of the file; a list that is absent says nothing about its records. */
export interface FileGame extends DesiredRecord {
  boards: DesiredRecord[] | undefined;
  templates: DesiredRecord[] | undefined;
}

/** What a file says. */
export interface FileContent {
  games: FileGame[];
  /** Absent: nothing about them. */
  webhooks: DesiredRecord[] | undefined;
}

/** Pattern of a day or a time in the JSON Schema. */
const MOMENT = '^(19[7-9]\\d|[2-9]\\d{3})-\\d\\d-\\d\\d([Tt ]\\d\\d:\\d\\d.*)?$';

const TYPES: Record<string, string> = {
  array: 'a list',
  boolean: 'true or false',
  integer: 'a whole number',
  null: 'null',
  number: 'a number',
  object: 'a group of fields',
  string: 'a text',
};

function typeFault(types: string[], data: unknown): string {
  const quotes = types.includes('string') && typeof data !== 'object' ? '. Put it in quotes' : '';
  const named = types.filter((type) => type !== 'null').map((type) => TYPES[type]);
  return `must be ${named.join(' or ')}${quotes}`;
}

/** A sentence for a fault that JSON Schema finds. */
function faultOf({ keyword, params, message = '', data, parentSchema }: ErrorObject): string {
  const { missingProperty, additionalProperty, allowedValue, allowedValues, pattern, type } = params;
  switch (keyword) {
    case 'additionalProperties':
      return `unknown field "${additionalProperty}"`;
    case 'required':
      return `${missingProperty} is missing`;
    case 'const':
      return `must be ${JSON.stringify(allowedValue)}`;
    case 'enum':
      return `must be one of ${(allowedValues as unknown[]).filter((value) => value !== null).join(', ')}`;
    case 'type':
      return typeFault([type].flat(), data);
    case 'pattern':
      if (pattern === MOMENT) return 'must be a date or a time, like 2030-01-31 or 2030-01-31T18:00:00Z';
      return parentSchema?.description
        ? `is not valid: ${parentSchema.description.replaceAll('`', '')}`
        : message;
    default:
      return message;
  }
}

/** Alternatives only say that none of them fits; each has its own faults. */
const SUMMARIES = ['anyOf', 'oneOf', 'if'];

function stepsOf(pointer: string): string[] {
  return pointer
    .split('/')
    .slice(1)
    .map((step) => step.replaceAll('~1', '/').replaceAll('~0', '~'));
}

let compiled: ValidateFunction | undefined;

/** Checks a content by the JSON Schema. */
function formCheck(): ValidateFunction {
  // Formats are the service's to judge; Ajv without them warns of each.
  const options = { allErrors: true, strict: false, verbose: true, validateFormats: false };
  compiled ??= new Ajv(options).compile(JSON.parse(schemaText('leaderboards.schema.json')));
  return compiled;
}

/** Notes everything in the content that the JSON Schema does not permit. */
function checkForm(file: YamlFile, content: unknown): void {
  const check = formCheck();
  if (check(content)) return;
  const errors = check.errors!.filter(
    ({ keyword, params }) => !SUMMARIES.includes(keyword) && !(keyword === 'type' && params.type === 'null'),
  );
  for (const error of errors) {
    const way = stepsOf(error.instancePath);
    const extra: string | undefined = error.params.additionalProperty;
    if (extra === undefined) file.fault(way, faultOf(error));
    else file.fault([...way, extra], faultOf(error), 'key');
  }
}

const DAY = /^\d{4}-\d\d-\d\d$/;

/** A moment as the service shows it; undefined: there is no such moment. */
function momentOf(text: string): string | undefined {
  return readDateTime(DAY.test(text) ? `${text}T00:00:00Z` : text)?.toISOString();
}

/** Fields of moments, whose texts can be spelled in several ways. */
const MOMENTS = ['starts_at', 'ends_at', 'next_run_at'];

function fileRecord(file: YamlFile, kind: Kind, way: ValuePath, item: Values): DesiredRecord {
  const { renamed_from: renamedFrom, ...values } = item;
  // Lists of records, not values.
  if (kind === 'game') for (const list of ['boards', 'templates']) delete values[list];
  for (const field of MOMENTS) {
    if (typeof values[field] !== 'string') continue;
    const moment = momentOf(values[field]);
    if (moment === undefined) file.fault([...way, field], 'is not a valid date or time');
    else values[field] = moment;
  }
  return {
    kind,
    way,
    name: String(item.name).trim(),
    renamedFrom: typeof renamedFrom === 'string' ? renamedFrom.trim() : undefined,
    values,
  };
}

/** The records of a file. @throws FileError when its form is not that of the JSON Schema */
export function readContent(file: YamlFile): FileContent {
  const content = file.value();
  if (content === null) file.fault([], 'the file is empty. It must start with "games:"');
  else checkForm(file, content);
  file.refuseFaults();
  const { games, webhooks } = content as { games: Values[]; webhooks?: Values[] | null };
  return {
    games: readGames(file, games),
    webhooks: webhooks?.map((item, place) => fileRecord(file, 'webhook', ['webhooks', place], item)),
  };
}

function readGames(file: YamlFile, games: Values[]): FileGame[] {
  return games.map((game, index) => {
    const way: ValuePath = ['games', index];
    const list = (kind: 'board' | 'template') => {
      const items = game[`${kind}s`] as Values[] | null | undefined;
      return items?.map((item, place) => fileRecord(file, kind, [...way, `${kind}s`, place], item));
    };
    return { ...fileRecord(file, 'game', way, game), boards: list('board'), templates: list('template') };
  });
}
