/** The start of {@link rewardsOf}. */
export const TOPIC = 'rewards:';

/** Topic of a game's rewards: marked after some were granted. */
export const rewardsOf = (gameId: string) => `${TOPIC}${gameId}`;
