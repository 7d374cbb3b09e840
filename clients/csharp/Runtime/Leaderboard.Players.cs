using System;
using System.Collections.Generic;
using System.Linq;
using System.Threading;
using System.Threading.Tasks;

namespace LeaderboardClient
{
    public sealed partial class Leaderboard
    {
        const string TagsPath = "/v1/client/tags";

        /// <summary>The player's friends, page by page. The list belongs to the game server, which changes it with its API key.</summary>
        public Pages<Friend> Friends(int? limit = null)
        {
            return PagesOf("/v1/client/friends", new Dictionary<string, object> { { "limit", limit } }, record => new Friend(record));
        }

        /// <summary>The player and its friends on a board, page by page, the best first: <see cref="Score.AmongRank"/>.</summary>
        public Pages<Score> FriendsRanking(string boardId, int? limit = null)
        {
            var query = Query(boardId, limit);
            query["among"] = "friends";
            return PagesOf(ScoresPath, query, record => new Score(record));
        }

        /// <summary>These players on a board, page by page, the best first; the client's own only if it is named.</summary>
        /// <param name="playerIds">up to 500</param>
        public Pages<Score> RankingOf(string boardId, IEnumerable<string> playerIds, int? limit = null)
        {
            var asked = Query(boardId, limit);
            asked["player_ids"] = playerIds.ToList();
            return new Pages<Score>((cursor, cancel) =>
            {
                var body = new Dictionary<string, object>(asked) { { "cursor", cursor } };
                return Retried(own => own.Sessions.WithAsync(session =>
                {
                    var call = requests.Call("POST", ScoresPath + "/among", session.AccessToken, null, body);
                    return requests.SendAsync(call, list => Page<Score>.Of(list, record => new Score(record)), cancel);
                }, cancel), cancel);
            });
        }

        /// <summary>The player's tags: values by name.</summary>
        public Task<Dictionary<string, string>> TagsAsync(CancellationToken cancel = default(CancellationToken))
        {
            return Get(TagsPath, null, TagsOf, cancel);
        }

        /// <summary>Changes the tags that are named; null removes one. Views by tags move all of the player's runs to its new groups.</summary>
        /// <returns>All tags.</returns>
        /// <exception cref="LeaderboardException">FORBIDDEN: a tag that only the game server sets.</exception>
        public Task<Dictionary<string, string>> SetTagsAsync(
            IDictionary<string, string> changed, CancellationToken cancel = default(CancellationToken))
        {
            var tags = changed.ToDictionary(tag => tag.Key, tag => (object)tag.Value);
            var body = new Dictionary<string, object> { { "tags", tags } };
            return Retried(own => WriteAsync(own, "PATCH", TagsPath, body, TagsOf, cancel), cancel);
        }

        static Dictionary<string, string> TagsOf(JsonRecord record)
        {
            return record.FreeOrNull("tags").ToDictionary(tag => tag.Key, tag => (string)tag.Value);
        }

        /// <summary>
        /// Calls <paramref name="onState"/> with the player's own rank, then after each change of rank, value, name or the next
        /// player above. Connects again and ends as <see cref="WatchAsync"/> does.
        /// </summary>
        /// <exception cref="LeaderboardException">An error that another attempt does not change, e.g. NOT_FOUND.</exception>
        public Task WatchRankAsync(string boardId, Action<LiveRank> onState, CancellationToken cancel = default(CancellationToken))
        {
            var watched = Rising("rank", BoardPath(boardId, "rank/live"), record => new LiveRank(record), state => state.Version, onState);
            if (settings.TestMode) watched.Query["is_test"] = true;
            return FollowAsync(watched, cancel);
        }

        /// <summary>
        /// Calls <paramref name="onState"/> with the player's rank and nobody in <see cref="Overtaken.By"/>, then whenever others
        /// pass the player. Connects again and ends as <see cref="WatchAsync"/> does.
        /// </summary>
        /// <exception cref="LeaderboardException">An error that another attempt does not change, e.g. NOT_FOUND.</exception>
        public Task WatchOvertakenAsync(
            string boardId, Action<Overtaken> onState, CancellationToken cancel = default(CancellationToken))
        {
            var path = BoardPath(boardId, "overtaken/live");
            return FollowAsync(Rising("overtaken", path, record => new Overtaken(record), state => state.Version, onState), cancel);
        }
    }
}
