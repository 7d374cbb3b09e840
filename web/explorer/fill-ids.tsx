import { useGraphiQL } from '@graphiql/react';
import { useEffect } from 'react';
import { type AccountIds, withIds } from './account-ids.js';

/**
 * Puts ids into the variables of the tab that is shown, wherever a placeholder of an example is left. It writes to the
 * editor alone: GraphiQL's own list of tabs may have changed since this was rendered.
 */
export function FillIds({ ids }: { ids: AccountIds }) {
  const { variableEditor, tab } = useGraphiQL((state) => ({
    variableEditor: state.variableEditor,
    tab: state.tabs[state.activeTabIndex]?.id,
  }));

  useEffect(() => {
    // The editor of a GraphiQL that has just left the page cannot be written to.
    if (!variableEditor || (variableEditor.getModel()?.isDisposed() ?? true)) return;
    const text = variableEditor.getValue();
    const filled = withIds(text, ids);
    // An editor whose text stays keeps its cursor.
    if (filled !== text) variableEditor.setValue(filled);
  }, [ids, tab, variableEditor]);
  return null;
}
