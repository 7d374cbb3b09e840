import Ajv, { type ErrorObject, type ValidateFunction } from 'ajv';
import { schemaText } from '../contract/package.js';
import { addressOf, isSecretAddress, variableOf } from './address.js';
import type { YamlFile } from './file.js';

/** Values of a record by the file's names. */
export type Values = Record<string, unknown>;

export function isObject(value: unknown): value is Values {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
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

/** Checks of webhooks that JSON Schema cannot say: addresses that are secrets are not in the file. */
function checkAddresses(file: YamlFile, webhooks: readonly Values[]): void {
  for (const [index, webhook] of webhooks.entries()) {
    const at = ['webhooks', index, 'url'];
    const variable = variableOf(webhook.url);
    if (variable === undefined && isSecretAddress(webhook)) {
      file.fault(at, `is a secret. Put it in an environment variable and name that here, like \${CHAT_URL}`);
    } else if (variable !== undefined && !/^(https?:|\$)/.test(String(addressOf(webhook.url)))) {
      file.fault(at, `the environment variable ${variable} is not an address`);
    }
  }
}

/** The service takes no larger one. */
const LARGEST_FILE = 256 * 1_024;

/**
 * The content of a file as the service takes it, with addresses from the environment.
 * @throws FileError when it is no file of the JSON Schema
 */
export function readContent(file: YamlFile): Values {
  const content = file.value();
  if (content === null) file.fault([], 'the file is empty. It must start with "games:"');
  else checkForm(file, content);
  file.refuseFaults();
  const { webhooks, ...others } = content as Values & { webhooks?: Values[] | null };
  checkAddresses(file, webhooks ?? []);
  const addressed = webhooks?.map((webhook) => ({ ...webhook, url: addressOf(webhook.url) }));
  const read = { ...others, ...(addressed && { webhooks: addressed }) };
  if (Buffer.byteLength(JSON.stringify(read)) > LARGEST_FILE)
    file.fault([], 'the file is larger than 256 KiB');
  file.refuseFaults();
  return read;
}
