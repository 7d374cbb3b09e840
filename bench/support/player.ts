/** A player: an identity of a board with its device, its session and its best run. Ids prefixed. */
export interface Player {
  identityId: string;
  deviceId: string;
  sessionId: string;
  /** Its entry. */
  scoreId: string;
  name: string;
  /** Increases with each run. */
  value: number;
}

/** The player's next best: 1 to 10 % more points, so that the entry passes a few others. */
export function improve(player: Player): number {
  player.value += 1 + Math.floor(player.value * 0.1 * Math.random());
  return player.value;
}
