/** The board's distribution with the value of the run. */
export function WhereItLies(_: { boardId: string; mark: number; isTest: boolean }) {
  return null;
}
