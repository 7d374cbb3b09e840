import { useGraphiQL, useGraphiQLActions } from '@graphiql/react';
import { useEffect } from 'react';

/** Repaints the code editors when the system turns dark or light; GraphiQL asks for the system's theme only once. */
export function SystemTheme() {
  const { setTheme } = useGraphiQLActions();
  const theme = useGraphiQL((state) => state.theme);
  useEffect(() => {
    const dark = matchMedia('(prefers-color-scheme: dark)');
    const repaint = () => setTheme(theme);
    dark.addEventListener('change', repaint);
    return () => dark.removeEventListener('change', repaint);
  }, [theme, setTheme]);
  return null;
}
