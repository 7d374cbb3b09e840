import { useCallback, useEffect, useState } from 'react';
import type { Leaderboard, LeaderboardError, Score, Submission, SubmitResult } from './client.js';
import { type LiveBoard, type WatchOptions, watch } from './live.js';

/** The newest state of a window, live. `board` is undefined until the first one came; `error`: the watch has ended. */
export function useLiveBoard(
  leaderboard: Leaderboard,
  boardId: string,
  { limit, around, isTest }: Omit<WatchOptions, 'signal'> = {},
): { board: LiveBoard | undefined; error: LeaderboardError | undefined } {
  const [shown, setShown] = useState<{ board?: LiveBoard; error?: LeaderboardError }>({});
  useEffect(() => {
    const ending = new AbortController();
    const follow = async () => {
      setShown({});
      const options = {
        ...(limit !== undefined && { limit }),
        ...(around !== undefined && { around }),
        ...(isTest !== undefined && { isTest }),
      };
      for await (const board of watch(leaderboard, boardId, { ...options, signal: ending.signal }))
        setShown({ board });
    };
    follow().catch((error: LeaderboardError) => {
      if (!ending.signal.aborted) setShown((last) => ({ ...last, error }));
    });
    return () => ending.abort();
  }, [leaderboard, boardId, limit, around, isTest]);
  return { board: shown.board, error: shown.error };
}

/** The player's own score; read again when `after` changes, e.g. the last result of a submission. */
export function useMyScore(
  leaderboard: Leaderboard,
  boardId: string,
  after?: unknown,
): { score: Score | null | undefined; error: LeaderboardError | undefined } {
  const [read, setRead] = useState<{ score?: Score | null; error?: LeaderboardError }>({});
  useEffect(() => {
    const ending = new AbortController();
    leaderboard
      .mine(boardId, { signal: ending.signal })
      .then((score) => setRead({ score }))
      .catch((error: LeaderboardError) => {
        if (!ending.signal.aborted) setRead((last) => ({ ...last, error }));
      });
    return () => ending.abort();
  }, [leaderboard, boardId, after]);
  return { score: read.score, error: read.error };
}

/** Submits runs; `result` is the last one's, undefined while it is under way. */
export function useSubmit(leaderboard: Leaderboard): {
  submit: (submission: Submission) => Promise<SubmitResult>;
  result: SubmitResult | undefined;
  isPending: boolean;
} {
  const [state, setState] = useState<{ result?: SubmitResult; pending: number }>({ pending: 0 });
  const submit = useCallback(
    async (submission: Submission) => {
      setState(({ pending }) => ({ pending: pending + 1 }));
      const result = await leaderboard.submit(submission);
      setState(({ pending }) => ({ result, pending: pending - 1 }));
      return result;
    },
    [leaderboard],
  );
  return { submit, result: state.result, isPending: state.pending > 0 };
}
