using System;
using System.Collections.Generic;
using System.Globalization;
using System.Threading;
using System.Threading.Tasks;

namespace LeaderboardClient
{
    public sealed partial class Leaderboard
    {
        /// <summary>Three heartbeats of the service.</summary>
        const int SilenceMs = 45000;

        /// <summary>
        /// Calls <paramref name="onState"/> with the present state of a board, then with the newest after each change. Connects
        /// again when the connection breaks; a version that is not newer than the last one is left out. The task ends when
        /// <paramref name="cancel"/> is cancelled or the client is closed.
        /// </summary>
        /// <param name="limit">scores in the window, 1 to 100; 20 by default</param>
        /// <param name="around">a score, a player, or <c>me</c>: the window stays around it; by default it begins at the top</param>
        /// <exception cref="LeaderboardException">An error that another attempt does not change, e.g. NOT_FOUND.</exception>
        public Task WatchAsync(
            string boardId, Action<LiveBoard> onState, int? limit = null, string around = null,
            CancellationToken cancel = default(CancellationToken))
        {
            var watched = Rising("board", BoardPath(boardId, "live"), record => new LiveBoard(record), state => state.Version, onState, around == "me");
            watched.Query["limit"] = limit;
            watched.Query["around"] = around;
            if (settings.TestMode) watched.Query["is_test"] = true;
            return FollowAsync(watched, cancel);
        }

        static string BoardPath(string boardId, string rest)
        {
            return "/v1/client/boards/" + Uri.EscapeDataString(boardId) + "/" + rest;
        }

        /// <summary>A stream of states whose version rises.</summary>
        /// <param name="isOwn">versions of another player, whom the session acts for after a merge or sign-in, are not those of before</param>
        static Watched Rising<T>(string kind, string path, Func<JsonRecord, T> read, Func<T, long> versionOf, Action<T> show, bool isOwn = true)
        {
            long version = -1;
            string of = null;
            return new Watched
            {
                Kind = kind,
                Path = path,
                LastEventId = player =>
                {
                    if (isOwn && of != player) version = -1;
                    of = player;
                    return version < 0 ? null : version.ToString(CultureInfo.InvariantCulture);
                },
                Take = record =>
                {
                    var state = read(record);
                    if (versionOf(state) <= version) return null;
                    version = versionOf(state);
                    return () => show(state);
                },
            };
        }

        Task FollowAsync(Watched watched, CancellationToken cancel)
        {
            return Tasks.On(settings.Context, async () =>
            {
                using (var ending = CancellationTokenSource.CreateLinkedTokenSource(cancel, closed.Token))
                    await new Watch(this, watched, ending.Token).RunAsync();
                return true;
            });
        }

        /// <summary>A stream, and what its events do.</summary>
        sealed class Watched
        {
            /// <summary>Of its events.</summary>
            internal string Kind;
            internal string Path;
            internal readonly Dictionary<string, object> Query = new Dictionary<string, object>();

            /// <summary>The newest state of a player that is known; null: none is.</summary>
            internal Func<string, string> LastEventId = player => null;

            /// <summary>The call that an event makes; null: it brings nothing new.</summary>
            internal Func<JsonRecord, Action> Take;
        }

        sealed class Watch
        {
            readonly Leaderboard client;
            readonly Watched watched;
            readonly CancellationToken cancel;
            int failures;

            internal Watch(Leaderboard client, Watched watched, CancellationToken cancel)
            {
                this.client = client;
                this.watched = watched;
                this.cancel = cancel;
            }

            internal async Task RunAsync()
            {
                try
                {
                    var own = await client.parts;
                    while (!cancel.IsCancellationRequested)
                    {
                        // A stream that ends is opened again, too.
                        var failure = new LeaderboardException(ErrorCodes.Network, "The live stream ended.");
                        try
                        {
                            await own.Sessions.WithAsync(ReadAsync, cancel);
                        }
                        // A refreshed session ends streams of its old token with 401, which a newer token answers.
                        catch (LeaderboardException error) when (error.IsTemporary || (error.Status == 401 && failures == 0))
                        {
                            failure = error;
                        }
                        failures += 1;
                        client.settings.Trouble(failure);
                        await client.settings.Clock.Delay(client.retries.PauseAfter(failures, failure), cancel);
                    }
                }
                catch (OperationCanceledException)
                {
                }
            }

            async Task<bool> ReadAsync(Session session)
            {
                var call = client.requests.Call("GET", watched.Path, session.AccessToken, watched.Query);
                call.Headers["accept"] = "text/event-stream";
                var known = watched.LastEventId(session.IdentityId);
                if (known != null) call.Headers["last-event-id"] = known;
                using (var ending = CancellationTokenSource.CreateLinkedTokenSource(cancel))
                {
                    LeaderboardException failure = null;
                    var events = new EventStream((name, data) =>
                    {
                        if (failure != null) return;
                        failure = Take(name, data);
                        if (failure != null) ending.Cancel();
                    });
                    try
                    {
                        await client.requests.StreamAsync(call, events.Feed, SilenceMs, ending.Token);
                    }
                    catch (OperationCanceledException) when (failure != null)
                    {
                    }
                    if (failure != null) throw failure;
                    return true;
                }
            }

            /// <summary>The error that an event brings; null: none.</summary>
            LeaderboardException Take(string name, string data)
            {
                try
                {
                    if (name == "error") return ErrorOf(new JsonRecord(Json.Read(data)));
                    if (name != watched.Kind) return null;
                    var show = watched.Take(new JsonRecord(Json.Read(data)));
                    failures = 0;
                    if (show == null) return null;
                    client.settings.Later(() =>
                    {
                        if (!cancel.IsCancellationRequested) show();
                    });
                    return null;
                }
                catch (Exception error) when (error is FormatException || error is OverflowException)
                {
                    return new LeaderboardException(ErrorCodes.NotTheService, "Unexpected event. Check that the URL points to the leaderboard service.");
                }
            }

            /// <summary>An error within a stream has no status of its own.</summary>
            static LeaderboardException ErrorOf(JsonRecord body)
            {
                var code = body.Text("code");
                var status = 400;
                if (code == "UNAVAILABLE" || code == "INTERNAL" || code == "ACCOUNT_MOVED") status = 503;
                else if (code == "RATE_LIMITED") status = 429;
                else if (code.Contains("TOKEN")) status = 401;
                return Requests.ErrorOf(body, status);
            }
        }
    }
}
