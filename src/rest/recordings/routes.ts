/** The upload and the download of a recording. No GraphQL operation is behind them: GraphQL carries no files. */
export const UPLOAD_PATH = '/v1/client/score-events/{event_id}/recording';
export const DOWNLOAD_PATH = '/v1/score-events/{event_id}/recording';
/** Of whatever a game records. */
export const RECORDING_TYPE = 'application/octet-stream';
