using System.Collections.Generic;

namespace LeaderboardClient
{
    /// <summary>A run or, on a counter, what is added.</summary>
    public sealed class Submission
    {
        public Submission(string boardId, double value)
        {
            BoardId = boardId;
            Value = value;
        }

        public string BoardId { get; private set; }
        public double Value { get; private set; }

        /// <summary>1 to 64 characters; by default the client's <c>PlayerName</c>, then the name the service has.</summary>
        public string PlayerName { get; set; }

        /// <summary>The value as the game wants it shown, up to 64 characters.</summary>
        public string ValueDisplay { get; set; }

        /// <summary>At most 1,024 bytes as JSON (<see cref="Json.Write"/> has the types).</summary>
        public IDictionary<string, object> Metadata { get; set; }

        /// <summary>Values of the tags that the board declares, by name: views by tags rank the run in their groups.</summary>
        public IDictionary<string, string> Tags { get; set; }

        /// <summary>Idempotency key; made by the client by default.</summary>
        public string Key { get; set; }

        /// <summary>Length of the run by the game's clock, milliseconds; of a <see cref="GameRun"/>, by default the time played.</summary>
        public long? RunMs { get; set; }

        /// <summary>Sent in place of a nonce; null: it has none.</summary>
        internal string Ticket { get; set; }

        /// <summary>Milliseconds since the ticket in which nothing was played.</summary>
        internal long IdleMs { get; set; }
        internal List<long> Splits { get; set; }

        /// <summary>SHA-256 of its recording, hexadecimal.</summary>
        internal string RecordingHash { get; set; }
    }

    /// <summary>A submission as it waits in the storage.</summary>
    public sealed class Run
    {
        internal Run(Submission submission, string playerName, string key, long createdAt)
        {
            BoardId = submission.BoardId;
            Value = submission.Value;
            PlayerName = playerName;
            ValueDisplay = submission.ValueDisplay;
            // The game may change its own object later; what is no JSON is found now.
            Metadata = submission.Metadata == null ? null : (Dictionary<string, object>)Json.Read(Json.Write(submission.Metadata));
            Tags = submission.Tags == null ? null : (Dictionary<string, object>)Json.Read(Json.Write(submission.Tags));
            Key = key;
            CreatedAt = createdAt;
            RunMs = submission.RunMs;
            Ticket = submission.Ticket;
            IdleMs = submission.IdleMs;
            Splits = submission.Splits;
            RecordingHash = submission.RecordingHash;
        }

        internal Run(JsonRecord stored)
        {
            BoardId = stored.Text("boardId");
            Value = stored.Number("value");
            PlayerName = stored.TextOrNull("playerName");
            ValueDisplay = stored.TextOrNull("valueDisplay");
            Metadata = stored.FreeOrNull("metadata");
            Tags = stored.FreeOrNull("tags");
            Key = stored.Text("key");
            CreatedAt = (long)stored.Number("createdAt");
            SessionMs = stored.Has("sessionMs") ? (long?)stored.Number("sessionMs") : null;
            RunMs = stored.Has("runMs") ? (long?)stored.Number("runMs") : null;
            Ticket = stored.TextOrNull("ticket");
            IdleMs = stored.Has("idleMs") ? (long)stored.Number("idleMs") : 0;
            Splits = stored.Has("splits") ? stored.List("splits", at => (long)(double)at) : null;
            RecordingHash = stored.TextOrNull("recordingHash");
        }

        public string BoardId { get; private set; }
        public double Value { get; private set; }
        public string PlayerName { get; private set; }
        public string ValueDisplay { get; private set; }
        public IReadOnlyDictionary<string, object> Metadata { get; private set; }
        internal IReadOnlyDictionary<string, object> Tags { get; private set; }
        public string Key { get; private set; }

        /// <summary>Milliseconds of the device's clock.</summary>
        public long CreatedAt { get; private set; }

        /// <summary>When it was submitted: milliseconds since the start of the session. Null: not known.</summary>
        public long? SessionMs { get; internal set; }

        internal long? RunMs { get; private set; }
        internal string Ticket { get; private set; }

        /// <summary>Until the end of the run.</summary>
        internal long IdleMs { get; private set; }
        internal List<long> Splits { get; private set; }
        internal string RecordingHash { get; private set; }

        internal Dictionary<string, object> Stored()
        {
            return new Dictionary<string, object>
            {
                { "boardId", BoardId },
                { "value", Value },
                { "playerName", PlayerName },
                { "valueDisplay", ValueDisplay },
                { "metadata", Metadata },
                { "tags", Tags },
                { "key", Key },
                { "createdAt", CreatedAt },
                { "sessionMs", SessionMs },
                { "runMs", RunMs },
                { "ticket", Ticket },
                { "idleMs", IdleMs },
                { "splits", Splits },
                { "recordingHash", RecordingHash },
            };
        }

        /// <param name="nonce">or its ticket, with the idle time since</param>
        /// <param name="knownName">the name the service has, for a run without one</param>
        internal Dictionary<string, object> Item(string nonce, long? idleMs, string knownName)
        {
            return new Dictionary<string, object>
            {
                { "board_id", BoardId },
                { "player_name", PlayerName ?? knownName ?? "" },
                { "value", Value },
                { "value_display", ValueDisplay },
                { "metadata", Metadata },
                { "tags", Tags },
                { "session_ms", SessionMs },
                { "run_ms", RunMs },
                { "splits", Splits },
                { "recording_hash", RecordingHash },
                { "idle_ms", idleMs },
                { "nonce", nonce },
                { "idempotency_key", Key },
            };
        }
    }
}
