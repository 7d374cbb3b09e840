/** `1 run`, `2 runs`, `1,204 entries`. @param count a number, or one that is formatted already */
export function counted(count: number | string, one: string, many = `${one}s`): string {
  return `${count} ${String(count) === '1' ? one : many}`;
}
