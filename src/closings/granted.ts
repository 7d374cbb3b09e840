/** Topic of a game's rewards: marked after some were granted. */
export const rewardsOf = (gameId: string) => `rewards:${gameId}`;
