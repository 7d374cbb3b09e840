/** The board of the demo that the game plays for, as the demo's program names it. */
export interface Setup {
  gameId: string;
  boardId: string;
  shortCode: string;
  headerPrefix: string;
}

/** The service is one folder above the game, below any path of a proxy. */
export const service = new URL('..', location.href).href;

export async function readSetup(): Promise<Setup> {
  const response = await fetch('config.json');
  if (!response.ok) throw new Error(`The demo answers ${response.status}.`);
  return (await response.json()) as Setup;
}
