using System;
using System.Collections.Generic;

namespace LeaderboardClient
{
    /// <summary>A reward as the service shows it to game clients.</summary>
    public sealed class Reward
    {
        internal Reward(JsonRecord record)
        {
            Id = record.Text("id");
            GameId = record.Text("game_id");
            BoardId = record.Text("board_id");
            ClosingId = record.Text("closing_id");
            IsTest = record.Flag("is_test");
            Line = record.Text("line");
            Title = record.TextOrNull("title");
            PictureUrl = record.TextOrNull("picture_url");
            Grant = record.FreeOrNull("grant");
            Rank = record.Whole("rank");
            SharedBy = record.WholeOrNull("shared_by");
            Status = record.Text("status");
            IsHeld = record.FlagOrNull("is_held") ?? false;
            ExpiresAt = record.TimeOrNull("expires_at");
            CreatedAt = record.Time("created_at");
        }

        public string Id { get; private set; }
        public string GameId { get; private set; }
        public string BoardId { get; private set; }
        public string ClosingId { get; private set; }

        /// <summary>True: of a test session. Never hand it out for real.</summary>
        public bool IsTest { get; private set; }

        /// <summary>Name of the line of the prize table.</summary>
        public string Line { get; private set; }
        public string Title { get; private set; }

        /// <summary>Null: none.</summary>
        public string PictureUrl { get; private set; }

        /// <summary>What is given, in the words of the game.</summary>
        public IReadOnlyDictionary<string, object> Grant { get; private set; }
        public int Rank { get; private set; }

        /// <summary>Players with the same value who share it; null: it is one player's.</summary>
        public int? SharedBy { get; private set; }

        /// <summary><c>open</c>, <c>claimed</c>, <c>acknowledged</c>, <c>expired</c> or <c>revoked</c>.</summary>
        public string Status { get; private set; }

        /// <summary>True: a backup was restored, and it can be claimed once the studio has released it.</summary>
        public bool IsHeld { get; private set; }

        /// <summary>When it expires unless claimed; null: never.</summary>
        public DateTimeOffset? ExpiresAt { get; private set; }
        public DateTimeOffset CreatedAt { get; private set; }
    }

    /// <summary>The state of a claim: <see cref="Claimed"/>, <see cref="ClaimQueued"/> or <see cref="ClaimRefused"/>.</summary>
    public abstract class ClaimResult
    {
        internal ClaimResult(string rewardId)
        {
            RewardId = rewardId;
        }

        public string RewardId { get; private set; }
    }

    /// <summary>The reward is the player's.</summary>
    public sealed class Claimed : ClaimResult
    {
        internal Claimed(Reward reward, bool isNew) : base(reward.Id)
        {
            Reward = reward;
            IsNew = isNew;
        }

        public Reward Reward { get; private set; }

        /// <summary>True once for each reward on this installation: hand it out now.</summary>
        public bool IsNew { get; private set; }
    }

    /// <summary>The claim is stored and is sent until it is answered, by this or a later start of the game.</summary>
    public sealed class ClaimQueued : ClaimResult
    {
        internal ClaimQueued(string rewardId, LeaderboardException error) : base(rewardId)
        {
            Error = error;
        }

        /// <summary>The last failure; null: there was none.</summary>
        public LeaderboardException Error { get; private set; }
    }

    /// <summary>It cannot be claimed: REWARD_GONE if it has expired or was revoked.</summary>
    public sealed class ClaimRefused : ClaimResult
    {
        internal ClaimRefused(string rewardId, LeaderboardException error) : base(rewardId)
        {
            Error = error;
        }

        public LeaderboardException Error { get; private set; }
    }
}
