import {
  defaultFieldResolver,
  type FieldNode,
  type GraphQLField,
  type GraphQLNamedType,
  getArgumentValues,
  getNamedType,
  getVariableValues,
  isInterfaceType,
  isObjectType,
  Kind,
  type SelectionSetNode,
} from 'graphql';
import type { Context } from '../context.js';
import { type Fragments, fragmentsOf } from '../engine/check.js';
import type { Prepared, Variables } from '../engine/execute.js';
import type { Watched } from './watched.js';

/** Returns the feed to watch; checks credential, role and arguments. */
type Open = (args: Record<string, unknown>, context: Context) => Promise<Watched>;

/** The `extensions` of a live field; set where the schema is built. */
export interface LiveExtensions {
  open?: Open;
}

type AnyField = GraphQLField<unknown, unknown>;

export interface LiveField {
  field: AnyField;
  args: Record<string, unknown>;
  open: Open;
}

/** Returns the live field that an operation subscribes to; undefined: it is none, or one with its own event source. */
export function liveFieldOf(
  { schema, document, operation, isSubscription }: Prepared,
  variables: Variables,
): LiveField | undefined {
  if (!operation || !isSubscription) return undefined;
  const node = firstField(operation.selectionSet, fragmentsOf(document));
  const field = node && schema.getSubscriptionType()?.getFields()[node.name.value];
  const { open } = (field?.extensions ?? {}) as LiveExtensions;
  if (!node || !field || !open) return undefined;
  const { coerced = {} } = getVariableValues(schema, operation.variableDefinitions ?? [], variables);
  return { field, open, args: getArgumentValues(field, node, coerced) };
}

/** The rules of validation allow a subscription one root field only. */
function firstField(set: SelectionSetNode, fragments: Fragments): FieldNode | undefined {
  const [selection] = set.selections;
  if (selection?.kind === Kind.FIELD) return selection;
  if (selection?.kind === Kind.INLINE_FRAGMENT) return firstField(selection.selectionSet, fragments);
  const spread = selection && fragments.get(selection.name.value);
  return spread && firstField(spread.selectionSet, fragments);
}

function asks({ resolve }: AnyField): boolean {
  return resolve !== undefined && resolve !== defaultFieldResolver;
}

/**
 * True if every field below the root field is a property of the state: the result is then the same for all callers with
 * the same rights. A field with a resolver of its own may depend on the caller.
 */
export function isPlainOperation({ schema, document, operation }: Prepared, root: AnyField): boolean {
  const fragments = fragmentsOf(document);
  const seen = new Set<string>();
  const plain = (parent: GraphQLNamedType | undefined, set: SelectionSetNode): boolean =>
    set.selections.every((selection) => {
      if (selection.kind === Kind.FIELD) {
        const name = selection.name.value;
        if (name.startsWith('__')) return true;
        const composite = isObjectType(parent) || isInterfaceType(parent);
        const field = composite ? parent.getFields()[name] : undefined;
        if (!field || (asks(field) && field !== root)) return false;
        return !selection.selectionSet || plain(getNamedType(field.type), selection.selectionSet);
      }
      if (selection.kind === Kind.INLINE_FRAGMENT) {
        const on = selection.typeCondition?.name.value;
        return plain(on ? schema.getType(on) : parent, selection.selectionSet);
      }
      // Each fragment once: following every spread could take exponential time.
      const fragment = fragments.get(selection.name.value);
      if (!fragment || seen.has(selection.name.value)) return true;
      seen.add(selection.name.value);
      return plain(schema.getType(fragment.typeCondition.name.value), fragment.selectionSet);
    });
  return plain(schema.getSubscriptionType() ?? undefined, operation!.selectionSet);
}
