using System.Collections.Generic;
using System.Linq;

namespace LeaderboardClient
{
    /// <summary>What happens if the client's player has runs, and the proof or code belongs to another player.</summary>
    public enum OnConflict
    {
        /// <summary>The client goes on as the other player, and its own stays as it is.</summary>
        Switch,

        /// <summary>
        /// The client goes on as the other player, and all runs of its own count for that one, where the game lets players merge. Its
        /// own needs a fresh proof, too.
        /// </summary>
        Merge,

        /// <summary><c>PLAYER_CONFLICT</c>, and nothing changes.</summary>
        Refuse,
    }

    /// <summary>A provider's statement of who the player is. It is accepted once.</summary>
    public sealed class Proof
    {
        /// <param name="provider">the slug of a provider of the game</param>
        public Proof(string provider, string token)
        {
            Provider = provider;
            Token = token;
        }

        public string Provider { get; private set; }
        public string Token { get; private set; }
        public OnConflict OnConflict { get; set; }

        /// <summary>
        /// With <see cref="LeaderboardClient.OnConflict.Refuse"/>: up to five boards, whose standings of both players are in
        /// <see cref="LeaderboardException.Standings"/>.
        /// </summary>
        public IEnumerable<string> BoardIds { get; set; }

        internal Dictionary<string, object> Body()
        {
            var body = Choice(OnConflict, BoardIds);
            body["provider"] = Provider;
            body["token"] = Token;
            return body;
        }

        internal static Dictionary<string, object> Choice(OnConflict onConflict, IEnumerable<string> boardIds)
        {
            var body = new Dictionary<string, object> { { "on_conflict", onConflict.ToString().ToLowerInvariant() } };
            if (boardIds != null) body["board_ids"] = boardIds.ToList();
            return body;
        }
    }

    /// <summary>A code that makes another device act for this client's player.</summary>
    public sealed class LinkCode
    {
        internal LinkCode(JsonRecord record)
        {
            Code = record.Text("code");
            ExpiresAt = record.Time("expires_at");
        }

        /// <summary>Eight letters and digits.</summary>
        public string Code { get; private set; }
        public System.DateTimeOffset ExpiresAt { get; private set; }
    }

    /// <summary>A player's rank and value on a board.</summary>
    public sealed class Standing
    {
        internal Standing(JsonRecord record)
        {
            Rank = record.Whole("rank");
            Value = record.Number("value");
        }

        public int Rank { get; private set; }
        public double Value { get; private set; }
    }

    /// <summary>Both players of a <c>PLAYER_CONFLICT</c> on a board.</summary>
    public sealed class ConflictStandings
    {
        internal ConflictStandings(JsonRecord record)
        {
            Current = record.Has("current") ? new Standing(record.Record("current")) : null;
            Proven = record.Has("proven") ? new Standing(record.Record("proven")) : null;
        }

        /// <summary>The client's player; null: it has none there.</summary>
        public Standing Current { get; private set; }

        /// <summary>The player of the proof or code; null: it has none there.</summary>
        public Standing Proven { get; private set; }
    }
}
