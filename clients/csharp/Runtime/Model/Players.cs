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
