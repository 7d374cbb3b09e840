import { stories } from '../support/stories.js';

stories(
  'flows/rest-contract',
  'flows/rest-errors',
  'flows/rest-lists',
  'flows/rest-resources',
  'flows/raw-answers',
  'flows/reference',
  'flows/http',
);
