import { stories } from '../support/stories.js';

stories(
  'flows/submit',
  'flows/sessions',
  'flows/leaderboard',
  'flows/rest-scores',
  'flows/privacy',
  'flows/client',
  'units/rank-shift',
);
