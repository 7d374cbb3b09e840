import { t } from '../texts.js';
import { Button } from './controls.js';
import { say } from './toast.js';

/** Copies a text. Browsers have no clipboard on pages without https: the text is then selected by hand. */
export function CopyButton({ text }: { text: string }) {
  if (!navigator.clipboard) return null;
  const copy = () => void navigator.clipboard.writeText(text).then(() => say(t.copied));
  return <Button onClick={copy}>{t.copy}</Button>;
}
