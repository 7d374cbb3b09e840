import { graphql } from '../generated/gql.js';
import type { BoardQuery as Answer } from '../generated/graphql.js';
import { withClosingRules } from './closing-rules.js';

export const BoardQuery = withClosingRules(
  graphql(`
  query Board($code: String!) {
    board(by: { shortCode: $code }) {
      id
      accountId
      gameId
      name
      slug
      shortCode
      description
      icon
      unit
      format { kind decimals timeUnit }
      tags
      phase
      isActive
      isPublished
      publicFields
      friendsFrom
      defaultView
      timeZone
      weekStart
      dayStart
      tiePolicy
      holdTop
      holdHours
      proof
      tickets { mode seed view attempts clock { minSeconds maxPerSecond slackSeconds pauses } advance hours content }
      recordings { keepTop keepBest demandTop demandFlagged maxBytes readers watchUrl }
      verdicts { mode verifyTop hours confirmed }
      dimensions { name source setBy values }
      views {
        name
        period
        every { every unit from }
        seasons { name startsAt endsAt }
        by
        keepPeriods
        keepPodium
        tiePolicy
        since
        status
        progress
      }
      closingRules { ...ClosingRuleFields }
      nextClosings { view endsAt }
      boardType
      keepStrategy
      sortDirection
      startsAt
      endsAt
      ranking { totalCount }
      templateName
      createdAt
      createdFromTemplate { id name }
      rehearsalOf { id name shortCode }
      previousBoard { id name shortCode phase }
      nextBoard { id name shortCode phase }
      ratioConfig {
        numeratorBoardId
        denominatorBoardId
        numeratorBoard { name dimensions { name } }
        denominatorBoard { name dimensions { name } }
        minNumerator
        minDenominator
        scale
        decimals
        display
        zeroDenominatorPolicy
      }
      game { id name slug }
    }
  }
`),
);

export type BoardDetails = Answer['board'];

export const UpdateBoardMutation = graphql(`
  mutation UpdateBoard($input: UpdateBoardInput!) {
    updateBoard(input: $input) { board { id name shortCode } }
  }
`);

export const CloseBoardMutation = graphql(`
  mutation CloseBoard($input: CloseBoardInput!) {
    closeBoard(input: $input) { board { id isActive } }
  }
`);
