import { stories } from '../support/stories.js';

stories('flows/checks', 'flows/score-flags', 'flows/identity-reviews', 'units/checks');
