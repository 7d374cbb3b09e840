import { DomainError, invalidField } from '../../base/errors.js';
import { type BoardRules, newRules } from '../board/rules.js';
import { patternFault } from './board-name.js';
import type { CreateBoardTemplateInput, UpdateBoardTemplateInput } from './inputs.js';
import type { BoardTemplate } from './template.js';

type Naming = Pick<BoardTemplate, 'name' | 'nameTemplate' | 'series'>;

/** Checks that every placeholder of the name pattern is known. @throws DomainError VALIDATION_FAILED */
export function checkNaming({ name, nameTemplate, series }: Naming): void {
  const fault = patternFault(nameTemplate ?? name, series);
  if (fault) throw invalidField([nameTemplate === null ? 'name' : 'nameTemplate'], fault, 'placeholder');
}

/** The rules of the boards of a new template (decisions.md section 9). @throws DomainError VALIDATION_FAILED */
export function newTemplateRules({
  boardType,
  keepStrategy,
  sortDirection,
}: Pick<CreateBoardTemplateInput, 'boardType' | 'keepStrategy' | 'sortDirection'>): BoardRules {
  refuseRatio(boardType);
  return newRules({ boardType, keepStrategy, sortDirection });
}

/**
 * The rules of future boards after an update. Existing boards keep theirs, so the type may change, too.
 * @throws DomainError VALIDATION_FAILED when the input contradicts itself, INVALID_TRANSITION when it contradicts the
 * stored template
 */
export function changedTemplateRules(template: BoardTemplate, input: UpdateBoardTemplateInput): BoardRules {
  refuseRatio(input.boardType);
  const sortDirection = input.sortDirection ?? template.sortDirection;
  if (input.boardType !== undefined && input.boardType !== template.boardType) {
    return newRules({ boardType: input.boardType, keepStrategy: input.keepStrategy, sortDirection });
  }
  if (input.keepStrategy === undefined) {
    const { boardType, keepStrategy } = template;
    return { boardType, keepStrategy, sortDirection };
  }
  if (input.boardType !== undefined) {
    return newRules({ boardType: input.boardType, keepStrategy: input.keepStrategy, sortDirection });
  }
  if (template.boardType === 'counter' && input.keepStrategy !== 'all') {
    throw new DomainError('INVALID_TRANSITION', 'Boards of type counter keep all submissions');
  }
  const boardType = template.boardType === 'counter' ? 'counter' : undefined;
  return newRules({ boardType, keepStrategy: input.keepStrategy, sortDirection });
}

function refuseRatio(boardType: string | null | undefined): void {
  if (boardType !== 'ratio') return;
  throw invalidField(['boardType'], 'must not be ratio: a ratio board needs the boards it is made of');
}
