/** The value of a run: what was submitted, on counter boards what was added. */
export function runValue(payload: Record<string, unknown> | null | undefined): number {
  return Number(payload?.value ?? payload?.delta ?? 0);
}

/** The value as the game wants it shown; undefined: as a number. */
export function runDisplay(payload: Record<string, unknown> | null | undefined): string | undefined {
  return typeof payload?.value_display === 'string' ? payload.value_display : undefined;
}
