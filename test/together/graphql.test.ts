import { stories } from '../support/stories.js';

stories(
  'flows/graphql-manners',
  'flows/explorer-examples',
  'flows/sockets',
  'flows/rate-limit',
  'flows/metrics',
);
