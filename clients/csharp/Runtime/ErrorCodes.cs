namespace LeaderboardClient
{
    /// <summary>Codes of <see cref="LeaderboardException"/>: those of the client itself, then those of the service.</summary>
    public static class ErrorCodes
    {
        /// <summary>No answer came.</summary>
        public const string Network = "NETWORK";

        /// <summary>No answer came within the time of one request.</summary>
        public const string Timeout = "TIMEOUT";

        /// <summary>The answer is not one of the service, for example the page of a hotel's Wi-Fi.</summary>
        public const string NotTheService = "NOT_THE_SERVICE";

        /// <summary>The client was closed.</summary>
        public const string Closed = "CLOSED";

        /// <summary>The oldest waiting run gave way to a new one.</summary>
        public const string QueueFull = "QUEUE_FULL";

        /// <summary>The storage failed.</summary>
        public const string Storage = "STORAGE";

        // 400
        public const string InvalidCursor = "INVALID_CURSOR";
        public const string InvalidSort = "INVALID_SORT";
        public const string CursorMismatch = "CURSOR_MISMATCH";
        public const string InvalidAround = "INVALID_AROUND";
        public const string GameSlugRequired = "GAME_SLUG_REQUIRED";
        public const string AccountIdRequired = "ACCOUNT_ID_REQUIRED";
        public const string GameNotInAccount = "GAME_NOT_IN_ACCOUNT";
        public const string BoardNotInGame = "BOARD_NOT_IN_GAME";
        public const string InvalidSlug = "INVALID_SLUG";
        public const string WrongBoardType = "WRONG_BOARD_TYPE";
        public const string BoardClosed = "BOARD_CLOSED";
        public const string InvalidTransition = "INVALID_TRANSITION";
        public const string InvalidView = "INVALID_VIEW";
        public const string InvalidFlagUpdate = "INVALID_FLAG_UPDATE";
        public const string InvalidCode = "INVALID_CODE";
        public const string RewardGone = "REWARD_GONE";
        public const string TicketRequired = "TICKET_REQUIRED";
        public const string TicketInvalid = "TICKET_INVALID";
        public const string TicketExpired = "TICKET_EXPIRED";
        public const string TicketStale = "TICKET_STALE";
        public const string TicketUsed = "TICKET_USED";
        public const string AttemptsUsedUp = "ATTEMPTS_USED_UP";
        public const string RecordingNotWanted = "RECORDING_NOT_WANTED";
        public const string SeveralAccounts = "SEVERAL_ACCOUNTS";
        public const string CellRequired = "CELL_REQUIRED";
        public const string BadRequest = "BAD_REQUEST";

        // 401
        public const string ApiKeyRequired = "API_KEY_REQUIRED";
        public const string InvalidApiKey = "INVALID_API_KEY";
        public const string TokenRequired = "TOKEN_REQUIRED";
        public const string InvalidToken = "INVALID_TOKEN";
        public const string InvalidRefreshToken = "INVALID_REFRESH_TOKEN";
        public const string ProofRefused = "PROOF_REFUSED";

        // 403
        public const string Forbidden = "FORBIDDEN";
        public const string SuperadminRequired = "SUPERADMIN_REQUIRED";
        public const string PasskeyRequired = "PASSKEY_REQUIRED";
        public const string AccountSuspended = "ACCOUNT_SUSPENDED";
        public const string UserSuspended = "USER_SUSPENDED";
        public const string DeviceBlocked = "DEVICE_BLOCKED";
        public const string ProofRequired = "PROOF_REQUIRED";
        public const string ScoreRejected = "SCORE_REJECTED";

        // 404
        public const string NotFound = "NOT_FOUND";

        // 405
        public const string MethodNotAllowed = "METHOD_NOT_ALLOWED";

        // 409
        public const string Conflict = "CONFLICT";
        public const string PlayerConflict = "PLAYER_CONFLICT";

        // 412
        public const string NonceRequired = "NONCE_REQUIRED";
        public const string NonceInvalid = "NONCE_INVALID";
        public const string NonceExpired = "NONCE_EXPIRED";
        public const string NonceUsed = "NONCE_USED";

        // 413
        public const string BodyTooLarge = "BODY_TOO_LARGE";

        // 415
        public const string UnsupportedMediaType = "UNSUPPORTED_MEDIA_TYPE";

        // 422
        public const string ValidationFailed = "VALIDATION_FAILED";

        // 429
        public const string RateLimited = "RATE_LIMITED";

        // 500
        public const string Internal = "INTERNAL";

        // 503
        public const string Unavailable = "UNAVAILABLE";
        public const string ProviderUnavailable = "PROVIDER_UNAVAILABLE";
        public const string AccountMoved = "ACCOUNT_MOVED";
    }
}
