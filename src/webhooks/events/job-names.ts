/** The job that sends deliveries. */
export const SEND_WEBHOOKS = 'send-webhooks';
