import {
  type GraphQLField,
  getNamedType,
  getNullableType,
  isLeafType,
  isListType,
  isObjectType,
  Kind,
  type OperationDefinitionNode,
  parse,
} from 'graphql';
import { type Html, html, prose } from '../../../base/html.js';
import { DEFAULT_PAGE } from '../../../db/keyset.js';
import { LIMITS, Scales, WEIGHS } from '../../../graphql/engine/cost.js';
import { grantsOf } from '../../../graphql/rights.js';
import { sampleView } from '../sample.js';
import { callersText } from './callers.js';
import { type Example, exampleOfField } from './example.js';
import type { RootField } from './groups.js';
import { argumentList, fieldList, typeText, type View } from './members.js';

type Field = GraphQLField<unknown, unknown>;

/** The rule by which the engine weighs a field, in words. */
function costRule({ type, args, extensions }: Field): string {
  const weight = extensions.complexity as number | undefined;
  const isPaged = args.some(({ name }) => name === 'first' || name === 'ids');
  const named = getNamedType(type);
  const rules = [
    weight !== undefined && `${weight.toLocaleString('en')} on top of its selection.`,
    extensions.perItem === true && 'Its selection counts once per item.',
    named.name.endsWith('Connection') &&
      `What is selected of a record counts once per record requested (${DEFAULT_PAGE} by default).`,
    isPaged &&
      isListType(getNullableType(type)) &&
      `Its selection counts once per record requested${args.some(({ name }) => name === 'ids') ? '' : ` (${DEFAULT_PAGE} by default)`}.`,
    ...args
      .filter((argument) => argument.extensions[WEIGHS])
      .map(({ name }) => `\`${name}\` adds what its value is worth.`),
    extensions.once === true && 'Once per operation.',
  ].filter((rule) => rule !== false);
  if (rules.length > 0) return rules.join(' ');
  return isLeafType(named) ? 'None.' : '1 and its selection.';
}

/** Returns the cost of an example as the engine weighs it. */
function costOf({ schema }: View['places'], { document, variables }: Example): number {
  const definition = parse(document).definitions.find(({ kind }) => kind === Kind.OPERATION_DEFINITION);
  return new Scales(schema, new Map(), variables).weigh(definition as OperationDefinitionNode).cost;
}

/** The codes of errors that are a field's own, beside those that every one can have. */
function errorsView(view: View, { routes }: RootField): Html | false {
  const codes = [...new Set(routes.flatMap(({ route }) => route.also ?? []))];
  if (codes.length === 0) return false;
  const href = view.places.hrefOf(view.places.schema.getType('ErrorCode')!)!;
  return html`<h3>Errors</h3><p class="codes"><a href="${view.up}${href}">Its own</a>: ${codes.map((code) => html`<code>${code}</code> `)}</p>`;
}

function restLinks(view: View, { routes }: RootField): Html | false {
  const links = routes.map(({ route: { method, path } }) => {
    const href = view.operationHref(method, path);
    return html`<span><a href="${view.up}${href}"><code>${method} ${path}</code></a></span> `;
  });
  return links.length > 0 && html`<h3>In REST</h3><p class="facts">${links}</p>`;
}

/** Renders what a field returns, if no other one does. */
function answerView(view: View, { type }: Field): Html | false {
  const named = getNamedType(type);
  if (!isObjectType(named) || !view.places.isPartOfField(named)) return false;
  return html`<h3 id="${named.name}">Returns <code>${named.name}</code></h3>${fieldList(view, view.places.order.fields(named))}`;
}

/** Renders what a root field does, takes and returns, who may use it and what it costs. */
export function fieldDescription(view: View, root: RootField): Html {
  const { field, kind } = root;
  const { name, description, args, type, extensions, deprecationReason } = field;
  return html`<h2><a href="#${name}">${name}</a></h2>
<p class="address"><span class="method ${kind}">${kind}</span> <span class="type"><code>${typeText(view, type)}</code></span></p>
<p>${prose(description)}</p>
${deprecationReason && html`<p>Deprecated: ${prose(deprecationReason)}</p>`}
<h3>Who</h3><p>For ${callersText(view.up, grantsOf(extensions) ?? [])}.</p>
${args.length > 0 && html`<h3>Arguments</h3>${argumentList(view, args)}`}
${answerView(view, field)}
<h3>Cost</h3><p>${prose(costRule(field))}</p>
${errorsView(view, root)}
${restLinks(view, root)}`;
}

/** Renders a root field with an example. */
export function fieldView(view: View, root: RootField): Html {
  const example = exampleOfField(view.places.schema, root);
  const hasVariables = Object.keys(example.variables).length > 0;
  return html`<section class="operation" id="${root.field.name}">
<div class="description">
${fieldDescription(view, root)}
</div>
<div class="samples">
${sampleView('Operation', example.document)}
${hasVariables && sampleView('Variables', JSON.stringify(example.variables, null, 2))}
<p class="facts">Cost of the example: ${costOf(view.places, example)} of ${LIMITS.cost.toLocaleString('en')}</p>
</div>
</section>
`;
}
