type CamelOf<Name extends string> = Name extends `${infer Head}_${infer Tail}`
  ? `${Head}${Capitalize<CamelOf<Tail>>}`
  : Name;

/** A record of REST with its members in camelCase; values are as they are. */
export type Camel<T> = { [Name in keyof T as Name extends string ? CamelOf<Name> : Name]: T[Name] };

/** Renames the members of a record, not those below them: metadata belongs to the game. */
export function camel<T extends object>(record: T): Camel<T> {
  const renamed = Object.entries(record).map(([name, value]) => {
    return [name.replace(/_(\w)/g, (_all, letter: string) => letter.toUpperCase()), value];
  });
  return Object.fromEntries(renamed) as Camel<T>;
}
