/** The whole REST interface as types, made from its OpenAPI document: for game servers and tools with a `fetch` of their own. */
export type { components, operations, paths } from './generated/rest.js';
