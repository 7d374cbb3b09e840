import { registerEnumType } from 'type-graphql';

/** An enum of the schema: names in capitals, values as they are stored. */
export function enumOf<const V extends Record<string, string>>(name: string, description: string, values: V) {
  const all = Object.entries(values).map(([value, about]) => [value.toUpperCase(), value, about] as const);
  const made = Object.fromEntries(all.map(([key, value]) => [key, value]));
  const valuesConfig = Object.fromEntries(all.map(([key, , about]) => [key, { description: about }]));
  registerEnumType(made, { name, description, valuesConfig });
  return made as { readonly [K in keyof V & string as Uppercase<K>]: K };
}
