/** The job that queues deliveries. */
export const DISPATCH_WEBHOOKS = 'dispatch-webhooks';
/** The job that sends deliveries. */
export const SEND_WEBHOOKS = 'send-webhooks';
