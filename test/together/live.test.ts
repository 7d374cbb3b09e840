import { stories } from '../support/stories.js';

stories('flows/live', 'flows/live-ranks', 'flows/live-stream', 'flows/flag-feed');
