using System;
using System.Collections.Generic;
using System.Linq;
using System.Threading;
using System.Threading.Tasks;

namespace LeaderboardClient
{
    /// <remarks>
    /// Reads are repeated within the client's deadline. Their tasks fail with <see cref="LeaderboardException"/>, or end as
    /// cancelled. <c>limit</c> is the number of items a page, 1 to 100; 20 by default.
    /// </remarks>
    public sealed partial class Leaderboard
    {
        const string ScoresPath = "/v1/client/scores";

        /// <summary>Boards of the game and published ones of its studio, page by page.</summary>
        public Pages<Board> Boards(string gameId = null, bool? isActive = null, int? limit = null)
        {
            var query = new Dictionary<string, object> { { "game_id", gameId }, { "is_active", isActive }, { "limit", limit } };
            return PagesOf("/v1/client/boards", query, record => new Board(record));
        }

        public Task<Board> BoardAsync(string boardId, CancellationToken cancel = default(CancellationToken))
        {
            return Get("/v1/client/boards/" + Uri.EscapeDataString(boardId), null, record => new Board(record), cancel);
        }

        /// <summary>The board from the top.</summary>
        public Task<Page<Score>> TopAsync(string boardId, int? limit = null, CancellationToken cancel = default(CancellationToken))
        {
            return Scores(boardId, limit).NextAsync(cancel);
        }

        /// <summary>The board from the top, page by page.</summary>
        public Pages<Score> Scores(string boardId, int? limit = null)
        {
            return PagesOf(ScoresPath, Query(boardId, limit), record => new Score(record));
        }

        /// <summary>The player's score, the best one where every run is kept; null: there is none.</summary>
        public async Task<Score> MineAsync(string boardId, CancellationToken cancel = default(CancellationToken))
        {
            var query = Query(boardId, 1);
            query["identity_id"] = "me";
            return (await ScorePage(query, cancel)).Items.FirstOrDefault();
        }

        /// <summary>The places around the player's score.</summary>
        public async Task<Around> AroundAsync(string boardId, int? limit = null, CancellationToken cancel = default(CancellationToken))
        {
            var mine = await MineAsync(boardId, cancel);
            if (mine == null) return new Around(new Page<Score>(new List<Score>(), false, false, null), null);
            var query = Query(boardId, limit);
            query["around_score_id"] = mine.Id;
            var page = await ScorePage(query, cancel);
            return new Around(page, page.Items.FirstOrDefault(score => score.Id == mine.Id) ?? mine);
        }

        /// <summary>The entries around a hypothetical value, which is the entry with <see cref="Score.IsPlaceholder"/>.</summary>
        public Task<Page<Score>> AroundValueAsync(
            string boardId, double value, int? limit = null, CancellationToken cancel = default(CancellationToken))
        {
            var query = Query(boardId, limit);
            query["around_score_value"] = value;
            return ScorePage(query, cancel);
        }

        Dictionary<string, object> Query(string boardId, int? limit)
        {
            var query = new Dictionary<string, object> { { "board_id", boardId }, { "limit", limit } };
            if (settings.TestMode) query["is_test"] = true;
            return query;
        }

        Task<Page<Score>> ScorePage(Dictionary<string, object> query, CancellationToken cancel)
        {
            return Get(ScoresPath, query, list => Page<Score>.Of(list, record => new Score(record)), cancel);
        }

        Pages<T> PagesOf<T>(string path, Dictionary<string, object> query, Func<JsonRecord, T> read)
        {
            return new Pages<T>((cursor, cancel) =>
            {
                var asked = new Dictionary<string, object>(query) { { "cursor", cursor } };
                return Get(path, asked, list => Page<T>.Of(list, read), cancel);
            });
        }

        Task<T> Get<T>(string path, Dictionary<string, object> query, Func<JsonRecord, T> read, CancellationToken cancel)
        {
            return Retried(own => own.Sessions.GetAsync(path, query, read, cancel), cancel);
        }

        Task<T> Retried<T>(Func<Parts, Task<T>> read, CancellationToken cancel)
        {
            if (closed.IsCancellationRequested) throw new LeaderboardException(ErrorCodes.Closed, "The client was closed.");
            return Tasks.On(settings.Context, async () =>
            {
                var own = await parts;
                return await Tasks.Until(retries.RunAsync(() => read(own), cancel), cancel);
            });
        }
    }
}
