import { DomainError } from '../../base/errors.js';

/** Most bytes of one character in JSON: six as an escape, at most three in UTF-8. */
const MOST_OF_A_CHARACTER = 6;
/** Most bytes of one value besides its text: number, literal, quotes, brackets and commas. */
const MOST_OF_A_VALUE = 32;

/** Upper bound of a value's JSON length, computed without serializing; counting stops above the limit. */
class Extent {
  characters = 0;
  values = 0;

  constructor(private readonly enough: number) {}

  get isEnough(): boolean {
    return this.characters > this.enough;
  }

  add(value: unknown): void {
    this.values += 1;
    if (typeof value === 'string') this.characters += value.length;
    else if (Array.isArray(value)) {
      for (const member of value) {
        if (this.isEnough) return;
        this.add(member);
      }
    } else if (typeof value === 'object' && value !== null) {
      for (const key in value) {
        if (this.isEnough) return;
        this.characters += key.length;
        this.add((value as Record<string, unknown>)[key]);
      }
    }
  }
}

/** Refuses responses larger than MAX_ANSWER_BYTES before they are serialized. */
export class AnswerLimit {
  constructor(private readonly most: number) {}

  /**
   * @param value the value to serialize as the response
   * @param written bytes of the response besides it
   * @throws DomainError BAD_REQUEST
   */
  check(value: unknown, written = 0): void {
    const room = this.most - written;
    const extent = new Extent(room);
    extent.add(value);
    const { characters, values, isEnough } = extent;
    if (characters * MOST_OF_A_CHARACTER + values * MOST_OF_A_VALUE <= room) return;
    if (isEnough || Buffer.byteLength(JSON.stringify(value)) > room) throw this.#refusal();
  }

  /** @throws DomainError BAD_REQUEST */
  checkWritten(bytes: number): void {
    if (bytes > this.most) throw this.#refusal();
  }

  #refusal(): DomainError {
    return new DomainError(
      'BAD_REQUEST',
      `The response would be larger than ${this.most} bytes. Request shorter pages or fewer fields. If this was ` +
        `a mutation, it has taken effect.`,
    );
  }
}
