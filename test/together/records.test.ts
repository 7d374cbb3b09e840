import { stories } from '../support/stories.js';

stories(
  'flows/accounts',
  'flows/users',
  'flows/api-keys',
  'flows/games',
  'flows/identities',
  'flows/boards',
  'flows/rest-templates',
);
