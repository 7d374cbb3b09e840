import { stories } from '../support/stories.js';

stories('flows/hostile-graphql', 'flows/hostile-rest', 'flows/rest-bad-input', 'flows/registration-hostile');
