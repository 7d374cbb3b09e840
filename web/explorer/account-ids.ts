const NIL = '00000000-0000-0000-0000-000000000000';

/** Ids of the account of the key by their placeholder in examples, e.g. `gam_00000000-…`. */
export type AccountIds = Readonly<Record<string, string>>;

/** Its operation. */
export const NEWEST = `query ExplorerIds {
  me { account { id } }
  games(first: 1) { nodes { id accountId } }
  boards(first: 1) { nodes { id gameId accountId } }
  boardTemplates(first: 1) { nodes { id } }
  scoreFlags(first: 1) { nodes { id } }
  scoreEvents(first: 1) { nodes { id identityId } }
}`;

interface Newest {
  me?: { account: { id: string } | null } | null;
  games?: Nodes<{ id: string; accountId: string }>;
  boards?: Nodes<{ id: string; gameId: string; accountId: string }>;
  boardTemplates?: Nodes<{ id: string }>;
  scoreFlags?: Nodes<{ id: string }>;
  scoreEvents?: Nodes<{ id: string; identityId: string }>;
}

type Nodes<T> = { nodes: T[] } | null;

/**
 * Reads the ids of the newest board, of its game, and of other records of the key's account.
 * @returns no ids when the service does not answer or refuses the key: examples then keep their placeholders
 */
export async function readAccountIds(url: string, headers: Record<string, string>): Promise<AccountIds> {
  try {
    const response = await fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: JSON.stringify({ query: NEWEST }),
    });
    const { data } = (await response.json()) as { data?: Newest | null };
    return data ? idsOf(data) : {};
  } catch {
    return {};
  }
}

function idsOf({ me, games, boards, boardTemplates, scoreFlags, scoreEvents }: Newest): AccountIds {
  const [board, game] = [boards?.nodes[0], games?.nodes[0]];
  const event = scoreEvents?.nodes[0];
  const ids = {
    // A superadmin sees the boards of all accounts: the ids are to belong together.
    acc: board?.accountId ?? game?.accountId ?? me?.account?.id,
    gam: board?.gameId ?? game?.id,
    brd: board?.id,
    tpl: boardTemplates?.nodes[0]?.id,
    flg: scoreFlags?.nodes[0]?.id,
    sev: event?.id,
    ide: event?.identityId,
  };
  const known = Object.entries(ids).filter((entry): entry is [string, string] => entry[1] !== undefined);
  return Object.fromEntries(known.map(([prefix, id]) => [`${prefix}_${NIL}`, id]));
}

/** The text with the ids that are known in place of their placeholders. */
export function withIds(text: string, ids: AccountIds): string {
  return text.replace(
    /\b[a-z]{3}_0{8}-0{4}-0{4}-0{4}-0{12}\b/g,
    (placeholder) => ids[placeholder] ?? placeholder,
  );
}
