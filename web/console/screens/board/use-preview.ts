import { useCallback, useState } from 'react';
import { type AnyVariables, type TypedDocumentNode, useClient } from 'urql';
import { type Fault, faultOf } from '../../api/fault.js';

/** The effect of a change that is not made: requested by `look`, dropped when the change becomes another. */
export function usePreview<T, V extends AnyVariables>(query: TypedDocumentNode<T, V>, variables: V) {
  const client = useClient();
  const key = JSON.stringify(variables);
  const [state, setState] = useState<{ key: string; data?: T | undefined; fault?: Fault | undefined }>();
  const [busy, setBusy] = useState(false);
  const look = useCallback(async () => {
    setBusy(true);
    const variables = JSON.parse(key) as V;
    const { data, error } = await client
      .query<T, V>(query, variables, { requestPolicy: 'network-only' })
      .toPromise();
    setBusy(false);
    setState({ key, data, fault: error && faultOf(error) });
  }, [client, query, key]);
  const current = state?.key === key ? state : undefined;
  return { data: current?.data, fault: current?.fault, busy, look };
}
