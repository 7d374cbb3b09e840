import { useGraphiQL, useGraphiQLActions } from '@graphiql/react';
import { type AccountIds, withIds } from './account-ids.js';
import { examples } from './examples.js';

/** Opens an example in a new tab, so that they stay within reach after their own tabs were edited or closed. */
export function ExamplesMenu({ ids }: { ids: AccountIds }) {
  const { addTab, stop } = useGraphiQLActions();
  const { queryEditor, variableEditor, headerEditor } = useGraphiQL((state) => ({
    queryEditor: state.queryEditor,
    variableEditor: state.variableEditor,
    headerEditor: state.headerEditor,
  }));

  function open(title: string) {
    const example = examples.find((candidate) => candidate.title === title);
    if (!example) return;
    // A subscription would go on writing its results into the new tab.
    stop();
    addTab();
    queryEditor?.setValue(example.query);
    variableEditor?.setValue(withIds(asText(example.variables), ids));
    headerEditor?.setValue(asText(example.headers));
  }

  return (
    <select
      className="examples"
      aria-label="Open an example"
      value=""
      onChange={(event) => open(event.target.value)}
    >
      <option value="">Examples</option>
      {examples.map(({ title }) => (
        <option key={title}>{title}</option>
      ))}
    </select>
  );
}

/** The text of an editor for an example's variables or headers; empty when there are none. */
export function asText(values: Record<string, unknown> | undefined): string {
  return values && Object.keys(values).length > 0 ? JSON.stringify(values, null, 2) : '';
}
