/** Returns `game_id` for `gameId`. The reverse is not needed: look-ups start from known names. */
export function snakeCase(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}
