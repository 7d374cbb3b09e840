/** The next windows of a template. */
export function Windows(_: { id: string }) {
  return null;
}
