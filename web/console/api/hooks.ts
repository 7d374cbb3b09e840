import { useCallback, useEffect, useMemo, useRef, useState } from 'react';
import { type AnyVariables, type TypedDocumentNode, useClient, useQuery } from 'urql';
import { connection } from './connection.js';
import { type Fault, faultOf } from './fault.js';
import { useStore } from './store.js';

export interface Read<T> {
  data: T | undefined;
  fault: Fault | undefined;
  /** True until the first answer. */
  loading: boolean;
  again(): void;
}

/** Reads an operation, again when the service has returned and, with `every`, all so many milliseconds. */
export function useRead<T, V extends AnyVariables>(
  query: TypedDocumentNode<T, V>,
  variables: V,
  { pause = false, every }: { pause?: boolean; every?: number } = {},
): Read<T> {
  const [{ data, error, fetching }, execute] = useQuery<T, V>({
    query,
    variables,
    pause,
    requestPolicy: 'cache-and-network',
  } as Parameters<typeof useQuery<T, V>>[0]);
  const again = useCallback(() => execute({ requestPolicy: 'network-only' }), [execute]);
  const { epoch } = useStore(connection);
  const seen = useRef(epoch);
  useEffect(() => {
    if (seen.current !== epoch && !pause) again();
    seen.current = epoch;
  }, [epoch, again, pause]);
  useEffect(() => {
    if (!every || pause) return;
    const timer = setInterval(() => !document.hidden && again(), every);
    return () => clearInterval(timer);
  }, [every, again, pause]);
  const fault = useMemo(() => (error ? faultOf(error) : undefined), [error]);
  return { data: data ?? undefined, fault, loading: fetching && !data, again };
}

export interface Act<T, V> {
  /** Resolves to undefined when it failed; `fault` says why. */
  run(variables: V): Promise<T | undefined>;
  busy: boolean;
  fault: Fault | undefined;
  clear(): void;
}

/** @param kinds of records whose lists are read again, besides those in the answer */
export function useAct<T, V extends AnyVariables>(
  mutation: TypedDocumentNode<T, V>,
  kinds: string[] = [],
): Act<T, V> {
  const client = useClient();
  const lists = kinds.join(' ');
  const [busy, setBusy] = useState(false);
  const [fault, setFault] = useState<Fault>();
  const run = useCallback(
    async (variables: V) => {
      setBusy(true);
      const context = { additionalTypenames: lists.split(' ') };
      const { data, error } = await client.mutation<T, V>(mutation, variables, context).toPromise();
      setBusy(false);
      setFault(error && faultOf(error));
      return error ? undefined : data;
    },
    [client, mutation, lists],
  );
  return { run, busy, fault, clear: useCallback(() => setFault(undefined), []) };
}

export interface Connected<N> {
  nodes: N[];
  pageInfo: { hasNextPage: boolean; endCursor?: string | null };
}

export interface List<N> {
  rows: N[];
  /** True until the first page has loaded. */
  loading: boolean;
  fault: Fault | undefined;
  hasMore: boolean;
  more(): void;
  /** Reads the first page again, and forgets the others. */
  reload(): void;
}

/**
 * Pages of a list, one after the other; from the start again when the variables change or the service has returned, and with
 * `every`, all so many milliseconds while only the first one is shown.
 */
export function useList<T, V extends AnyVariables, N>(
  query: TypedDocumentNode<T, V>,
  variables: V,
  pick: (data: T) => Connected<N>,
  { pause = false, every }: { pause?: boolean; every?: number } = {},
): List<N> {
  const client = useClient();
  const { epoch } = useStore(connection);
  const [state, setState] = useState<{ rows: N[]; fault?: Fault; cursor?: string; loading: boolean }>({
    rows: [],
    loading: true,
  });
  const turn = useRef(0);
  const hasFurther = useRef(false);
  const key = JSON.stringify(variables);
  const latest = useRef({ variables, pick });
  latest.current = { variables, pick };
  const load = useCallback(
    async (after: string | undefined) => {
      turn.current += 1;
      hasFurther.current = after !== undefined;
      const mine = turn.current;
      const { variables, pick } = latest.current;
      const { data, error } = await client
        .query<T, V>(query, { ...variables, after } as V, { requestPolicy: 'network-only' })
        .toPromise();
      if (mine !== turn.current) return;
      if (error || !data) {
        const fault = error && faultOf(error);
        return setState((last) => ({ ...last, fault, loading: false }));
      }
      const { nodes, pageInfo } = pick(data);
      const cursor = pageInfo.hasNextPage ? (pageInfo.endCursor ?? undefined) : undefined;
      setState((last) => ({ rows: after ? [...last.rows, ...nodes] : nodes, cursor, loading: false }));
    },
    [client, query],
  );
  useEffect(() => {
    if (!pause) void load(undefined);
  }, [load, key, epoch, pause]);
  useEffect(() => {
    if (!every || pause) return;
    // Further pages would be forgotten.
    const isDue = () => !document.hidden && !hasFurther.current;
    const timer = setInterval(() => isDue() && void load(undefined), every);
    return () => clearInterval(timer);
  }, [load, every, pause]);
  return {
    rows: state.rows,
    loading: state.loading && !pause,
    fault: state.fault,
    hasMore: state.cursor !== undefined,
    more: () => void load(state.cursor),
    reload: useCallback(() => void load(undefined), [load]),
  };
}
