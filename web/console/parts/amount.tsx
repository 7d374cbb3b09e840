import { shownValue } from '../../../src/base/value-format.js';
import { amount, isTextOfGame, type Measured, measureOf } from './format.js';

interface AmountProps {
  /** The board. */
  of: Measured;
  value: number;
  /** The game's text, or the one that the service has sent. */
  display?: string | null | undefined;
  /** Also what the board would show, where the game shows something else. */
  both?: boolean;
}

/** A value as its board shows it; a short one with the exact number on hover. */
export function Amount({ of, value, display, both }: AmountProps) {
  const { exact } = shownValue(measureOf(of), value, display ?? null);
  return (
    <span title={exact}>
      {amount(of, value, display)}
      {both && of?.format && isTextOfGame(of, value, display) && (
        <span className="soft small"> ({amount(of, value)})</span>
      )}
    </span>
  );
}
