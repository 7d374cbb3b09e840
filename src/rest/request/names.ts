/** `gameId` → `game_id`. The other way is never needed: what is looked for is always known. */
export function snakeCase(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}
