using System;
using System.Collections.Generic;
using System.Threading;
using System.Threading.Tasks;

namespace LeaderboardClient
{
    /// <summary>One page of a list.</summary>
    public class Page<T>
    {
        internal Page(IReadOnlyList<T> items, bool hasNext, bool hasPrevious, string nextCursor)
        {
            Items = items;
            HasNext = hasNext;
            HasPrevious = hasPrevious;
            NextCursor = nextCursor;
        }

        public IReadOnlyList<T> Items { get; private set; }
        public bool HasNext { get; private set; }
        public bool HasPrevious { get; private set; }
        internal string NextCursor { get; private set; }

        internal static Page<T> Of(JsonRecord list, Func<JsonRecord, T> read)
        {
            var items = list.List("data", item => read(new JsonRecord(item)));
            var position = list.Record("pagination");
            var next = position.TextOrNull("next_cursor");
            return new Page<T>(items, position.Flag("has_next"), position.Flag("has_prev"), next);
        }
    }

    /// <summary>The places around a player.</summary>
    public sealed class Around : Page<Score>
    {
        internal Around(Page<Score> page, Score mine) : base(page.Items, page.HasNext, page.HasPrevious, page.NextCursor)
        {
            Mine = mine;
        }

        /// <summary>The player's own, which is among the items; null: the player has no score there, and the page is empty.</summary>
        public Score Mine { get; private set; }
    }

    /// <summary>A list, read page by page on demand.</summary>
    public sealed class Pages<T>
    {
        readonly Func<string, CancellationToken, Task<Page<T>>> read;
        string cursor;
        bool isOver;

        internal Pages(Func<string, CancellationToken, Task<Page<T>>> read)
        {
            this.read = read;
        }

        /// <summary>Null: there are no more. After an error the same page is read again.</summary>
        /// <exception cref="LeaderboardException">The page cannot be read within the client's deadline.</exception>
        public async Task<Page<T>> NextAsync(CancellationToken cancel = default(CancellationToken))
        {
            if (isOver) return null;
            var page = await read(cursor, cancel);
            cursor = page.NextCursor;
            isOver = cursor == null;
            return page;
        }
    }

    public sealed class Player
    {
        internal Player(string identityId, string displayName, string mergeRefused)
        {
            IdentityId = identityId;
            DisplayName = displayName;
            MergeRefused = mergeRefused;
        }

        /// <summary>As in <see cref="Score.IdentityId"/>.</summary>
        public string IdentityId { get; private set; }

        /// <summary>Null: the service has none yet.</summary>
        public string DisplayName { get; private set; }

        /// <summary>
        /// The code of why the merge that the option <see cref="LeaderboardOptions.Proof"/> asked for
        /// (<see cref="OnConflict.Merge"/>) did not begin: the session goes on as the proven player, and the other one stays as it is.
        /// Null: nothing kept it from beginning. <see cref="Leaderboard.ProveAsync"/> tries again.
        /// </summary>
        public string MergeRefused { get; private set; }
    }
}
