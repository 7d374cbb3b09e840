import { MUTATION_ROWS } from './mutation-rows.js';
import { NODE_ROWS } from './node-rows.js';
import { QUERY_ROWS } from './query-rows.js';
import type { Row } from './rows.js';
import { SUBSCRIPTION_ROWS } from './subscription-rows.js';

/** Every field of Query, Mutation and Subscription: a missing one fails the matrix. */
export const GRAPH_ROWS: Row[] = [...QUERY_ROWS, ...NODE_ROWS, ...MUTATION_ROWS, ...SUBSCRIPTION_ROWS];
