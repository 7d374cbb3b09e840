using System.Collections.Generic;

namespace LeaderboardClient
{
    /// <summary>Another player of the game.</summary>
    public sealed class Friend
    {
        internal Friend(JsonRecord record)
        {
            Id = record.Text("id");
            DisplayName = record.TextOrNull("display_name");
        }

        public string Id { get; private set; }
        public string DisplayName { get; private set; }
    }

    /// <summary>The client's player, as it sees itself.</summary>
    public sealed class OwnPlayer
    {
        internal OwnPlayer(JsonRecord record)
        {
            IdentityId = record.Text("identity_id");
            DeviceId = record.Text("device_id");
            Proofs = record.List("proofs", proof => new ProvenAccount(new JsonRecord(proof)));
            Devices = record.List("devices", device => new PlayerDevice(new JsonRecord(device)));
            MergedPlayerIds = record.Has("merged_player_ids") ? record.List("merged_player_ids", id => (string)id) : new List<string>();
        }

        public string IdentityId { get; private set; }

        /// <summary>This device.</summary>
        public string DeviceId { get; private set; }

        /// <summary>The accounts that prove who the player is.</summary>
        public IReadOnlyList<ProvenAccount> Proofs { get; private set; }

        /// <summary>The devices that act for the player, the latest first, at most 50.</summary>
        public IReadOnlyList<PlayerDevice> Devices { get; private set; }

        /// <summary>Players whose runs count for it since a merge.</summary>
        public IReadOnlyList<string> MergedPlayerIds { get; private set; }
    }

    /// <summary>An account at a provider that proves who a player is.</summary>
    public sealed class ProvenAccount
    {
        internal ProvenAccount(JsonRecord record)
        {
            Provider = record.Text("provider");
            Kind = record.Text("kind");
            Subject = record.Text("subject");
            ProvenAt = record.Time("proven_at");
            LastProvenAt = record.Time("last_proven_at");
        }

        /// <summary>The slug of the provider.</summary>
        public string Provider { get; private set; }

        /// <summary>For example <c>oidc</c> or <c>steam</c>.</summary>
        public string Kind { get; private set; }

        /// <summary>The last four characters of the account's name there.</summary>
        public string Subject { get; private set; }
        public System.DateTimeOffset ProvenAt { get; private set; }
        public System.DateTimeOffset LastProvenAt { get; private set; }
    }

    /// <summary>A device that acts for a player.</summary>
    public sealed class PlayerDevice
    {
        internal PlayerDevice(JsonRecord record)
        {
            DeviceId = record.Text("device_id");
            Platform = record.Text("platform");
            Status = record.Text("status");
            LastSeenAt = record.Time("last_seen_at");
            IsLinked = record.Flag("is_linked");
        }

        public string DeviceId { get; private set; }

        /// <summary>As the game reported it. Can be empty.</summary>
        public string Platform { get; private set; }

        /// <summary><c>active</c>, <c>banned</c> or <c>suspended</c>.</summary>
        public string Status { get; private set; }
        public System.DateTimeOffset LastSeenAt { get; private set; }

        /// <summary>True: <see cref="Leaderboard.UnlinkDeviceAsync"/> unlinks it.</summary>
        public bool IsLinked { get; private set; }
    }

    /// <summary>A player's entry in a live message.</summary>
    public sealed class LiveEntry
    {
        internal LiveEntry(JsonRecord record)
        {
            Rank = record.Whole("rank");
            DisplayRank = record.Whole("display_rank");
            Value = record.Number("value");
            ValueDisplay = record.TextOrNull("value_display");
            PlayerName = record.Text("player_name");
            IdentityId = record.Text("identity_id");
        }

        /// <summary>Null: the record has none.</summary>
        internal static LiveEntry Of(JsonRecord record, string name)
        {
            return record.Has(name) ? new LiveEntry(record.Record(name)) : null;
        }

        /// <summary>From 1; unique.</summary>
        public int Rank { get; private set; }

        /// <summary>The rank to show: equal values may share one, as the board's tie policy says.</summary>
        public int DisplayRank { get; private set; }
        public double Value { get; private set; }
        public string ValueDisplay { get; private set; }
        public string PlayerName { get; private set; }
        public string IdentityId { get; private set; }
    }

    /// <summary>The player's own rank at one moment.</summary>
    public sealed class LiveRank
    {
        internal LiveRank(JsonRecord record)
        {
            Version = (long)record.Number("version");
            Entry = LiveEntry.Of(record, "entry");
            PreviousRank = record.WholeOrNull("previous_rank");
            NextAbove = LiveEntry.Of(record, "next_above");
            GapToNext = record.Has("gap_to_next") ? (double?)record.Number("gap_to_next") : null;
            TotalCount = record.Whole("total_count");
        }

        /// <summary>Of the board; increases with every change.</summary>
        public long Version { get; private set; }

        /// <summary>Null: the player is not ranked.</summary>
        public LiveEntry Entry { get; private set; }

        /// <summary>Null: in the first state, and if the player was not ranked.</summary>
        public int? PreviousRank { get; private set; }

        /// <summary>The entry right above. Null: for the first rank, and if the player is not ranked.</summary>
        public LiveEntry NextAbove { get; private set; }

        /// <summary>What the player lacks to draw level with it; null with it.</summary>
        public double? GapToNext { get; private set; }

        /// <summary>Entries of the board.</summary>
        public int TotalCount { get; private set; }
    }

    /// <summary>Players who passed the client's own.</summary>
    public sealed class Overtaken
    {
        internal Overtaken(JsonRecord record)
        {
            Version = (long)record.Number("version");
            Entry = LiveEntry.Of(record, "entry");
            PreviousRank = record.WholeOrNull("previous_rank");
            By = record.List("by", entry => new LiveEntry(new JsonRecord(entry)));
            Count = record.Whole("count");
            TotalCount = record.Whole("total_count");
        }

        /// <summary>Of the board; increases with every change.</summary>
        public long Version { get; private set; }

        /// <summary>The player's own. Null: the player is not ranked.</summary>
        public LiveEntry Entry { get; private set; }
        public int? PreviousRank { get; private set; }

        /// <summary>Best first; of more than ten, the ten nearest.</summary>
        public IReadOnlyList<LiveEntry> By { get; private set; }

        /// <summary>How many passed since the state before; 0 in the first state.</summary>
        public int Count { get; private set; }

        /// <summary>Entries of the board.</summary>
        public int TotalCount { get; private set; }
    }
}
