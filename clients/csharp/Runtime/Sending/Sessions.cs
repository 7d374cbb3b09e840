using System;
using System.Collections.Generic;
using System.Linq;
using System.Threading;
using System.Threading.Tasks;

namespace LeaderboardClient
{
    /// <summary>The session as it is stored.</summary>
    internal sealed class Session
    {
        internal string AccessToken;
        internal string RefreshToken;

        /// <summary>By the device's clock, milliseconds.</summary>
        internal long ExpiresAt;
        internal string IdentityId;
        internal string DisplayName;

        /// <summary>When it started, by the device's clock, milliseconds. Null: stored by an earlier version of the client.</summary>
        internal long? StartedAt;

        /// <summary>True: the game server or a proof started it, and only they can start the next one.</summary>
        internal bool IsGiven;

        /// <summary>
        /// Whom the first of the player's sessions here acted for: a merge makes it another one, an undo the same again. Null: of an
        /// earlier version.
        /// </summary>
        internal string StartedAs;

        /// <summary>Why the merge that its start asked for did not begin; null: nothing kept it from that.</summary>
        internal string MergeRefused;

        internal Player Player
        {
            get { return new Player(IdentityId, DisplayName, MergeRefused); }
        }
    }

    /// <summary>
    /// The session of a device, in its storage, which several clients may share. An expired access token is refreshed, and where
    /// the refresh is refused, a session is started for the same device, which is the same player; not in place of one that the
    /// game server or a proof started.
    /// </summary>
    internal sealed class Sessions
    {
        /// <summary>Tokens that are about to expire are exchanged before they are used.</summary>
        const int MarginMs = 30000;

        const string Ended =
            "The session has ended. Sign in again, and pass a new session of your game server to SessionAsync, or a new proof to the "
            + "option Proof.";
        const string OtherPlayer =
            "The session stored here is that of another player. Use a client with its own Device for each player.";

        readonly Settings settings;
        readonly Requests requests;
        readonly string device;
        readonly string name;
        Session current;

        /// <summary>The session whose start is known on the clock that never goes back, and that time.</summary>
        long? originOf;
        long origin;

        /// <summary>The newest refusal of a session's start that another attempt does not change, whatever its status.</summary>
        internal LeaderboardException Refusal { get; private set; }

        /// <param name="name">where the session is stored</param>
        internal Sessions(Settings settings, Requests requests, string device, string name)
        {
            this.settings = settings;
            this.requests = requests;
            this.device = device;
            this.name = name;
        }

        /// <summary>Sends a request with the session's token; once more with a new one if that is refused.</summary>
        internal async Task<T> WithAsync<T>(Func<Session, Task<T>> call, CancellationToken cancel)
        {
            var session = await GetAsync(cancel);
            try
            {
                return await call(session);
            }
            catch (LeaderboardException error) when (error.Status == 401 && error.Code != ErrorCodes.ProofRefused)
            {
            }
            return await call(await RenewAsync(session.AccessToken, cancel));
        }

        internal Task<T> GetAsync<T>(string path, IDictionary<string, object> query, Func<JsonRecord, T> read, CancellationToken cancel)
        {
            return WithAsync(session => requests.SendAsync(requests.Call("GET", path, session.AccessToken, query), read, cancel), cancel);
        }

        internal Task<Session> GetAsync(CancellationToken cancel)
        {
            var isGood = current != null && !IsExpired(current);
            return isGood ? Task.FromResult(current) : RenewAsync(current == null ? null : current.AccessToken, cancel);
        }

        /// <summary>
        /// Milliseconds from the session's start to a moment of the clock that never goes back; 0 before the first session.
        /// Null: not known.
        /// </summary>
        internal async Task<long?> AgeAtAsync(long moment)
        {
            var session = current ?? await StoredAsync();
            if (session == null) return 0;
            if (session.StartedAt == null) return null;
            // The device's clock is read once: a player may set it while the game runs.
            if (originOf != session.StartedAt) Anchor(session);
            return Math.Max(0, moment - origin);
        }

        void Anchor(Session session)
        {
            originOf = session.StartedAt;
            origin = settings.Clock.Elapsed - (settings.Clock.Now - session.StartedAt.Value);
        }

        /// <summary>Stores what a piece of work makes of the stored session, null before the first one. Nobody renews it meanwhile.</summary>
        internal Task<Session> ChangeAsync(Func<Session, Task<Session>> work)
        {
            return Turns.Of(settings.Storage, name + ".lock").RunAsync(async () =>
            {
                var session = await work(await StoredAsync());
                if (session.StartedAt != null && originOf != session.StartedAt) Anchor(session);
                Refusal = null;
                current = session;
                await StoreAsync(session);
                return session;
            });
        }

        /// <summary>The service's name for the player has become this one.</summary>
        internal async Task NamedAsync(string displayName)
        {
            if (current != null && current.DisplayName == displayName) return;
            await ChangeAsync(session =>
            {
                session.DisplayName = displayName;
                return Task.FromResult(session);
            });
        }

        /// <summary>Takes the session that the game server started.</summary>
        /// <exception cref="LeaderboardException">Another player's is stored.</exception>
        internal Task<Session> GiveAsync(JsonRecord answer)
        {
            return ChangeAsync(async stored =>
            {
                var given = Started(answer);
                if (!await FollowsAsync(given, stored, CancellationToken.None))
                    throw new LeaderboardException(ErrorCodes.Conflict, OtherPlayer, 409);
                given.IsGiven = true;
                return given;
            });
        }

        /// <summary>
        /// True if a new session can take the place of the stored one, null before the first. False: it's that of another player, with
        /// whom runs that wait would count. The same player is also the one of a merge, which may have happened on another device and
        /// be undone by now.
        /// </summary>
        async Task<bool> FollowsAsync(Session next, Session stored, CancellationToken cancel)
        {
            if (stored == null) return true;
            var first = stored.StartedAs ?? stored.IdentityId;
            Func<string, bool> isSame = id => id == stored.IdentityId || id == first;
            if (!isSame(next.IdentityId))
            {
                var call = requests.Call("GET", "/v1/client/me", next.AccessToken);
                var me = await requests.SendAsync(call, record => new OwnPlayer(record), cancel);
                if (!me.MergedPlayerIds.Any(isSame)) return false;
            }
            next.StartedAs = first;
            return true;
        }

        /// <summary>Goes on as the player of a proof or link code.</summary>
        /// <param name="ask">sends it with the session's token; the session of the answer is null where the player is the same</param>
        /// <param name="isProven">by a proof, which the device's next session needs, too</param>
        /// <remarks>The service may end the session before it answers. Answers come in the order of their requests.</remarks>
        internal Task<Session> BecomeAsync(Func<Session, Task<JsonRecord>> ask, bool isProven)
        {
            return ChangeAsync(async stored =>
            {
                var answer = await ask(stored);
                var session = answer.Has("session") ? Started(answer.Record("session")) : stored;
                // Of the same player: a device that is linked by now starts its sessions itself.
                session.IsGiven = isProven && (session != stored || stored.IsGiven);
                session.MergeRefused = null;
                return session;
            });
        }

        /// <summary>Starts the next session with a proof, in place of one that has ended.</summary>
        /// <param name="isSame">it must be the same player's</param>
        /// <exception cref="LeaderboardException"><c>CONFLICT</c>: it is another player's.</exception>
        internal Task<Session> ResumeAsync(Proof proof, bool isSame, CancellationToken cancel)
        {
            return ChangeAsync(ended => NextAsync(isSame ? ended : null, cancel, proof));
        }

        /// <summary>The device is unlinked: its next session is its own player's.</summary>
        internal Task<Session> LeaveAsync()
        {
            return ChangeAsync(session =>
            {
                session.IsGiven = false;
                return Task.FromResult(session);
            });
        }

        bool IsExpired(Session session)
        {
            return settings.Clock.Now > session.ExpiresAt - MarginMs;
        }

        /// <param name="refused">an access token that is not good any more</param>
        Task<Session> RenewAsync(string refused, CancellationToken cancel)
        {
            return ChangeAsync(async stored =>
            {
                cancel.ThrowIfCancellationRequested();
                // Another client, or a parallel request, has a newer session.
                if (stored != null && stored.AccessToken != refused && !IsExpired(stored)) return stored;
                var session = stored == null ? null : await RefreshAsync(stored, cancel);
                return session ?? await NextAsync(stored, cancel);
            });
        }

        /// <summary>Null: the refresh token is void, which is so after a refresh whose answer was lost.</summary>
        async Task<Session> RefreshAsync(Session session, CancellationToken cancel)
        {
            var body = new Dictionary<string, object> { { "refresh_token", session.RefreshToken } };
            var call = requests.Call("POST", "/v1/client/sessions/refresh", null, null, body);
            try
            {
                return await requests.SendAsync(call, answer => Renewed(answer, session), cancel);
            }
            catch (LeaderboardException error) when (error.Status == 401 || error.Status == 422)
            {
                return null;
            }
        }

        /// <param name="given">by default what the game's option has</param>
        async Task<Session> NextAsync(Session ended, CancellationToken cancel, Proof given = null)
        {
            var proof = given ?? await ProofAsync();
            var isGiven = ended != null && ended.IsGiven;
            if (isGiven && proof == null) throw Refuse(ErrorCodes.InvalidRefreshToken, Ended, 401);
            var session = await StartAsync(proof, cancel);
            if (!await FollowsAsync(session, isGiven ? ended : null, cancel)) throw Refuse(ErrorCodes.Conflict, OtherPlayer, 409);
            return session;
        }

        LeaderboardException Refuse(string code, string message, int status)
        {
            return Refusal = new LeaderboardException(code, message, status);
        }

        /// <summary>What the game has. A provider that fails is tried again, as one that does not answer the service.</summary>
        async Task<Proof> ProofAsync()
        {
            if (settings.Proof == null) return null;
            try
            {
                return await settings.Proof();
            }
            catch (Exception error)
            {
                throw new LeaderboardException(ErrorCodes.ProviderUnavailable, error.Message, 503);
            }
        }

        /// <param name="proof">null: the player of the device</param>
        async Task<Session> StartAsync(Proof proof, CancellationToken cancel)
        {
            var body = new Dictionary<string, object> { { "game_id", settings.GameId }, { "client_fingerprint", device } };
            if (settings.Platform != null) body["platform"] = settings.Platform;
            if (settings.Metadata != null) body["metadata"] = settings.Metadata;
            if (settings.TestMode) body["test_mode"] = true;
            if (proof != null) body["proof"] = proof.Body();
            var call = requests.Call("POST", "/v1/client/sessions", null, null, body);
            try
            {
                var session = await requests.SendAsync(call, Started, cancel);
                session.IsGiven = proof != null;
                return session;
            }
            catch (LeaderboardException error) when (!error.IsTemporary)
            {
                Refusal = error;
                throw;
            }
        }

        Session Started(JsonRecord answer)
        {
            var session = Renewed(answer, new Session { StartedAt = settings.Clock.Now });
            session.StartedAs = session.IdentityId;
            session.MergeRefused = answer.TextOrNull("merge_refused");
            return session;
        }

        /// <summary>A session with the tokens and the player of an answer.</summary>
        Session Renewed(JsonRecord answer, Session known)
        {
            var name = answer.TextOrNull("display_name") ?? known.DisplayName;
            return new Session
            {
                AccessToken = answer.Text("access_token"),
                RefreshToken = answer.Text("refresh_token"),
                ExpiresAt = settings.Clock.Now + (long)(answer.Number("expires_in") * 1000),
                IdentityId = answer.TextOrNull("identity_id") ?? known.IdentityId,
                // A new player has no name yet.
                DisplayName = name == "" ? null : name,
                StartedAt = known.StartedAt,
                StartedAs = known.StartedAs,
                IsGiven = known.IsGiven,
                MergeRefused = known.MergeRefused,
            };
        }

        async Task<Session> StoredAsync()
        {
            try
            {
                var text = await settings.Storage.ReadAsync(name);
                if (text == null) return current;
                var stored = new JsonRecord(Json.Read(text));
                return new Session
                {
                    AccessToken = stored.Text("accessToken"),
                    RefreshToken = stored.Text("refreshToken"),
                    ExpiresAt = (long)stored.Number("expiresAt"),
                    IdentityId = stored.Text("identityId"),
                    DisplayName = stored.TextOrNull("displayName"),
                    StartedAt = stored.Has("startedAt") ? (long?)stored.Number("startedAt") : null,
                    StartedAs = stored.TextOrNull("startedAs"),
                    IsGiven = stored.Has("isGiven") && stored.Flag("isGiven"),
                    MergeRefused = stored.TextOrNull("mergeRefused"),
                };
            }
            catch (Exception error)
            {
                settings.StorageTrouble(error);
                return current;
            }
        }

        /// <summary>A session that cannot be stored is good for this process.</summary>
        async Task StoreAsync(Session session)
        {
            try
            {
                await settings.Storage.WriteAsync(name, Json.Write(new Dictionary<string, object>
                {
                    { "accessToken", session.AccessToken },
                    { "refreshToken", session.RefreshToken },
                    { "expiresAt", session.ExpiresAt },
                    { "identityId", session.IdentityId },
                    { "displayName", session.DisplayName },
                    { "startedAt", session.StartedAt },
                    { "startedAs", session.StartedAs },
                    { "isGiven", session.IsGiven },
                    { "mergeRefused", session.MergeRefused },
                }));
            }
            catch (Exception error)
            {
                settings.StorageTrouble(error);
            }
        }
    }
}
