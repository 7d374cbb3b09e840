import {
  astFromValue,
  type GraphQLArgument,
  type GraphQLField,
  type GraphQLInputField,
  type GraphQLType,
  getNamedType,
  isInputObjectType,
  isListType,
  isNonNullType,
  isRequiredArgument,
  isRequiredInputField,
  print,
} from 'graphql';
import { type Html, html, type Piece, prose } from '../../../base/html.js';
import { shownGrants } from '../../../graphql/rights.js';
import { hintsOf } from '../../openapi/schema.js';
import { rangeOf } from '../range.js';
import { callersText } from './callers.js';
import type { SchemaPlaces } from './places.js';

/** What a page of the reference of GraphQL is rendered with. */
export interface View {
  places: SchemaPlaces;
  /** Relative path from the page to the service's root. */
  up: string;
  /** The address of the operation of a route in the reference of REST, below the service's root. */
  operationHref(method: string, path: string): string | undefined;
}

/** A type as the schema writes it; its name leads to its description. */
export function typeText(view: View, type: GraphQLType): Html {
  if (isNonNullType(type)) return html`${typeText(view, type.ofType)}!`;
  if (isListType(type)) return html`[${typeText(view, type.ofType)}]`;
  const href = view.places.hrefOf(type);
  return href === undefined ? html`${type.name}` : html`<a href="${view.up}${href}">${type.name}</a>`;
}

type Input = GraphQLArgument | GraphQLInputField;

function defaultText({ defaultValue, type }: Input): string | undefined {
  if (defaultValue === undefined) return undefined;
  const node = astFromValue(defaultValue, type);
  return node ? print(node) : undefined;
}

function factsLine(facts: Piece[]): Html | false {
  const shown = facts.filter(Boolean);
  return shown.length > 0 && html`<p class="facts">${shown.map((fact) => html`<span>${fact}</span>`)}</p>`;
}

function deprecated({ deprecationReason }: { deprecationReason?: string | null | undefined }): Piece {
  return deprecationReason && html`Deprecated: ${prose(deprecationReason)}`;
}

/** Renders arguments, or the fields of an input. */
function inputList(view: View, inputs: readonly Input[], isRequired: (input: never) => boolean): Html {
  const items = inputs.map((input) => {
    const initial = defaultText(input);
    const said = input.description ?? '';
    const facts = factsLine([
      rangeOf(said, hintsOf(input)),
      initial !== undefined && !said.includes('Default: ') && html`Default <code>${initial}</code>`,
      deprecated(input),
    ]);
    return html`<li><div class="member"><code class="name">${input.name}</code> <span class="type">${typeText(view, input.type)}</span>${
      isRequired(input as never) && html` <span class="required">required</span>`
    }</div>${said !== '' && html`<p>${prose(said)}</p>`}${facts}${partOf(view, input.type)}</li>`;
  });
  return html`<ul class="members">${items}</ul>`;
}

/** Renders the fields of an input that is described where it is taken. */
function partOf(view: View, type: GraphQLType): Html | false {
  const named = getNamedType(type);
  if (!isInputObjectType(named) || !view.places.isPartOfField(named)) return false;
  return html`<div id="${named.name}">${inputFieldList(view, Object.values(named.getFields()))}</div>`;
}

export function argumentList(view: View, args: readonly GraphQLArgument[]): Html {
  return inputList(view, args, isRequiredArgument);
}

export function inputFieldList(view: View, fields: readonly GraphQLInputField[]): Html {
  return inputList(view, fields, isRequiredInputField);
}

/** What a field costs on top of its selection, in words; undefined: nothing. */
function extraCost({ extensions }: Pick<GraphQLField<unknown, unknown>, 'extensions'>): string | undefined {
  const weight = extensions.complexity as number | undefined;
  return weight ? `${weight.toLocaleString('en')} on top` : undefined;
}

/** Renders the fields of an object or an interface. */
export function fieldList(view: View, fields: readonly GraphQLField<unknown, unknown>[]): Html {
  const items = fields.map((field) => {
    const { name, description, type, args, extensions } = field;
    const grants = shownGrants(extensions);
    const cost = extraCost(field);
    const facts = factsLine([
      grants && html`For ${callersText(view.up, grants)}; null for others`,
      cost !== undefined && `Cost: ${cost}`,
      extensions.once === true && 'Once per operation',
      deprecated(field),
    ]);
    const taken =
      args.length > 0 &&
      html`<details><summary>${args.length === 1 ? '1 argument' : `${args.length} arguments`}</summary>${argumentList(view, args)}</details>`;
    return html`<li><div class="member"><code class="name">${name}</code> <span class="type">${typeText(view, type)}</span></div>${
      description ? html`<p>${prose(description)}</p>` : ''
    }${facts}${taken}</li>`;
  });
  return html`<ul class="members">${items}</ul>`;
}
