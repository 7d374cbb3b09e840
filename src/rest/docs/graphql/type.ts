import {
  type GraphQLNamedType,
  isEnumType,
  isInputObjectType,
  isInterfaceType,
  isObjectType,
  isScalarType,
  isUnionType,
} from 'graphql';
import { type Html, html, prose } from '../../../base/html.js';
import { fieldList, inputFieldList, typeText, type View } from './members.js';

function kindOf(type: GraphQLNamedType): string {
  if (isEnumType(type)) return 'enum';
  if (isInputObjectType(type)) return type.isOneOf ? 'input, exactly one field' : 'input';
  if (isInterfaceType(type)) return 'interface';
  if (isScalarType(type)) return 'scalar';
  return isUnionType(type) ? 'union' : 'object';
}

function valueList(values: readonly { name: string; description?: string | null | undefined }[]): Html {
  const items = values.map(
    ({ name, description }) =>
      html`<li><code class="name">${name}</code>${description ? html`<p>${prose(description)}</p>` : ''}</li>`,
  );
  return html`<ul class="members">${items}</ul>`;
}

function typeList(view: View, title: string, types: readonly GraphQLNamedType[]): Html | false {
  const links = types.map((type, i) => html`${i > 0 && ', '}${typeText(view, type)}`);
  return types.length > 0 && html`<p class="facts">${title} ${links}</p>`;
}

/** Renders what a type is and consists of. */
export function typeDescription(view: View, type: GraphQLNamedType): Html {
  const { schema, order } = view.places;
  return html`<h3 class="named"><a href="#${type.name}">${type.name}</a> <span class="type">${kindOf(type)}</span></h3>
<p>${prose(type.description)}</p>
${isScalarType(type) && type.specifiedByURL && html`<p><a href="${type.specifiedByURL}">Specification</a></p>`}
${isEnumType(type) && valueList(type.getValues())}
${isUnionType(type) && typeList(view, 'One of', type.getTypes())}
${isObjectType(type) && typeList(view, 'Implements', type.getInterfaces())}
${isInterfaceType(type) && typeList(view, 'Implemented by', schema.getPossibleTypes(type))}
${isInputObjectType(type) && inputFieldList(view, Object.values(type.getFields()))}
${isInterfaceType(type) && fieldList(view, Object.values(type.getFields()))}
${isObjectType(type) && fieldList(view, order.fields(type))}`;
}

/** SchemaPlaces that are shown without unfolding them. */
const FEW_USES = 6;

function usesView({ places, up }: View, type: GraphQLNamedType): Html | false {
  const links = places
    .usesOf(type)
    .map(
      ({ text, page, anchor }, i) =>
        html`${i > 0 && ', '}<a href="${up}docs/graphql/${page}#${anchor}">${text}</a>`,
    );
  if (links.length === 0) return false;
  if (links.length <= FEW_USES) return html`<p class="facts uses">Used by ${links}</p>`;
  return html`<details class="uses"><summary>Used in ${links.length} places</summary><p class="facts">${links}</p></details>`;
}

/** Renders a type, with where it is used. */
export function typeView(view: View, type: GraphQLNamedType): Html {
  return html`<section class="operation" id="${type.name}">
<div class="description">
${typeDescription(view, type)}
</div>
<div class="samples">
${usesView(view, type)}
</div>
</section>
`;
}
