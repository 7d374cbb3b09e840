import { stories } from '../support/stories.js';

stories('flows/registration', 'flows/jam-codes', 'flows/places', 'flows/mail', 'flows/hooks');
