using System;
using System.Collections.Generic;

namespace LeaderboardClient
{
    /// <summary>An error of the service or of the way to it. The message is the service's own sentence where it answered.</summary>
    public sealed class LeaderboardException : Exception
    {
        public LeaderboardException(string code, string message, int status = 0, string requestId = null, double? retryAfterSeconds = null)
            : base(message)
        {
            Code = code;
            Status = status;
            RequestId = requestId;
            RetryAfterSeconds = retryAfterSeconds;
        }

        /// <summary>A code of the service, or one of <see cref="ErrorCodes"/>.</summary>
        public string Code { get; private set; }

        /// <summary>HTTP status; 0: there was no answer.</summary>
        public int Status { get; private set; }

        /// <summary>Id of the request in the logs of the service; null: there is none.</summary>
        public string RequestId { get; private set; }

        /// <summary>Seconds the service asks the client to wait.</summary>
        public double? RetryAfterSeconds { get; private set; }

        /// <summary>With <c>PLAYER_CONFLICT</c>: both players on the boards that the proof or code named, in their order.</summary>
        public IReadOnlyList<ConflictStandings> Standings { get; internal set; } = new ConflictStandings[0];

        /// <summary>True if no answer of the service arrived: it may have done what it was asked for.</summary>
        internal bool IsUnheard
        {
            get { return Code == ErrorCodes.Network || Code == ErrorCodes.Timeout || Code == ErrorCodes.NotTheService; }
        }

        /// <summary>True if the same request may succeed later.</summary>
        public bool IsTemporary
        {
            get
            {
                return IsUnheard || Status == 408 || Status == 429 || Status >= 500;
            }
        }

        /// <summary>Refusals of the device or its account, which an administrator may lift: runs wait.</summary>
        internal bool IsLock
        {
            get { return Code == ErrorCodes.DeviceBlocked || Code == ErrorCodes.AccountSuspended; }
        }
    }
}
