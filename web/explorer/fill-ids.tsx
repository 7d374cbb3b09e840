import { useGraphiQL, useGraphiQLActions } from '@graphiql/react';
import { useEffect } from 'react';
import { type AccountIds, withIds } from './account-ids.js';

/** Puts ids into the variables of all open tabs, wherever a placeholder of an example is left. */
export function FillIds({ ids }: { ids: AccountIds }) {
  const { moveTab } = useGraphiQLActions();
  const { tabs, activeTabIndex, queryEditor, variableEditor, headerEditor, responseEditor } = useGraphiQL(
    (state) => ({
      tabs: state.tabs,
      activeTabIndex: state.activeTabIndex,
      queryEditor: state.queryEditor,
      variableEditor: state.variableEditor,
      headerEditor: state.headerEditor,
      responseEditor: state.responseEditor,
    }),
  );

  // Once for new ids, not for each change of a tab.
  useEffect(() => {
    // An editor that is being replaced cannot be written to; its successor runs this again.
    if ([queryEditor, variableEditor, headerEditor, responseEditor].some(isGone)) return;
    const filled = tabs.map((tab, i) => {
      const variables = withIds(tab.variables ?? '', ids);
      return i === activeTabIndex || variables === tab.variables ? tab : { ...tab, variables };
    });
    const wanted = withIds(variableEditor?.getValue() ?? '', ids);
    if (filled.some((tab, i) => tab.variables !== tabs[i]?.variables)) {
      const editors = [queryEditor, headerEditor, responseEditor];
      const texts = editors.map((editor) => editor?.getValue() ?? '');
      // The only action that replaces tabs; it wants the active one unchanged, and shows what it last knew of it.
      moveTab(filled);
      for (const [i, editor] of editors.entries()) showText(editor, texts[i]!);
    }
    showText(variableEditor, wanted);
  }, [ids, variableEditor]);
  return null;
}

interface Editor {
  getModel(): { isDisposed(): boolean } | null;
  getValue(): string;
  setValue(text: string): void;
}

function isGone(editor: Editor | undefined): boolean {
  return editor !== undefined && (editor.getModel()?.isDisposed() ?? true);
}

/** An editor whose text stays keeps its cursor. */
function showText(editor: Editor | undefined, text: string): void {
  if (editor && editor.getValue() !== text) editor.setValue(text);
}
