using System;
using System.Collections.Generic;

namespace LeaderboardClient
{
    /// <summary>A score as the service shows it to game clients.</summary>
    public sealed class Score
    {
        internal Score(JsonRecord record)
        {
            Id = record.Text("id");
            AccountId = record.Text("account_id");
            GameId = record.Text("game_id");
            BoardId = record.Text("board_id");
            IdentityId = record.Text("identity_id");
            PlayerName = record.Text("player_name");
            Value = record.Number("value");
            ValueDisplay = record.TextOrNull("value_display");
            Metadata = record.FreeOrNull("metadata");
            Rank = record.Whole("rank");
            AmongRank = record.WholeOrNull("among_rank");
            DisplayRank = record.Has("display_rank") ? record.Whole("display_rank") : Rank;
            Status = record.Text("status");
            IsTest = record.Flag("is_test");
            IsPlaceholder = record.Flag("is_placeholder");
            CreatedAt = record.Time("created_at");
            UpdatedAt = record.Time("updated_at");
        }

        public string Id { get; private set; }
        public string AccountId { get; private set; }
        public string GameId { get; private set; }
        public string BoardId { get; private set; }

        /// <summary>The player.</summary>
        public string IdentityId { get; private set; }
        public string PlayerName { get; private set; }
        public double Value { get; private set; }

        /// <summary>The value as the game wants it shown; null: the value itself.</summary>
        public string ValueDisplay { get; private set; }

        /// <summary>Data of the game, as <see cref="Json.Read"/> gives it; null: none.</summary>
        public IReadOnlyDictionary<string, object> Metadata { get; private set; }

        /// <summary>From 1; unique.</summary>
        public int Rank { get; private set; }

        /// <summary>The rank among the players of the list, of <c>FriendsRanking</c> and <c>RankingOf</c>; otherwise null.</summary>
        public int? AmongRank { get; private set; }

        /// <summary>The rank to show: equal values may share one, as the board's tie policy says.</summary>
        public int DisplayRank { get; private set; }

        /// <summary><c>provisional</c>, <c>active</c>, <c>under_review</c> or <c>rejected</c>.</summary>
        public string Status { get; private set; }
        public bool IsTest { get; private set; }

        /// <summary>True if it is the hypothetical entry of <c>AroundValueAsync</c>.</summary>
        public bool IsPlaceholder { get; private set; }
        public DateTimeOffset CreatedAt { get; private set; }
        public DateTimeOffset UpdatedAt { get; private set; }
    }
}
