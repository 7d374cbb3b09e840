using System;
using System.Collections.Generic;
using System.Threading;
using System.Threading.Tasks;

namespace LeaderboardClient
{
    public sealed partial class Leaderboard
    {
        const string MePath = "/v1/client/me";

        /// <summary>
        /// Adds a proof to the client's player, who keeps all runs. One that belongs to another player makes the client go on as that
        /// one: <see cref="Proof.OnConflict"/> decides. Runs and recordings that wait are sent first; while some can't be, it fails with
        /// <c>NETWORK</c> or the like. Call it again then, with a fresh proof. If the session has ended
        /// (<c>INVALID_REFRESH_TOKEN</c>), the proof starts the next one; while runs wait, only one of their player does, and they
        /// are sent then.
        /// </summary>
        /// <returns>Whom the client plays as now.</returns>
        /// <exception cref="LeaderboardException">
        /// <c>PROOF_REFUSED</c>: sign in again; <c>PROVIDER_UNAVAILABLE</c>: try later; <c>PLAYER_CONFLICT</c>: ask the player;
        /// <c>CONFLICT</c>: the session that has ended was another player's, whose runs wait.
        /// </exception>
        public Task<Player> ProveAsync(Proof proof, CancellationToken cancel = default(CancellationToken))
        {
            return Changed(async own =>
            {
                try
                {
                    return await BecomeAsync(own, "/v1/client/proofs", proof.Body(), true, cancel);
                }
                catch (LeaderboardException error) when (error == own.Sessions.Refusal && error.Code == ErrorCodes.InvalidRefreshToken)
                {
                }
                var waits = (await own.Queue.ListAsync()).Count + await own.Recordings.WantedAsync() > 0;
                var next = await own.Sessions.ResumeAsync(new Proof(proof.Provider, proof.Token), waits, cancel);
                return await ActedAsync(own, next, waits);
            });
        }

        /// <summary>The player with the accounts that prove who it is, its devices, and the players merged into it.</summary>
        public Task<OwnPlayer> MeAsync(CancellationToken cancel = default(CancellationToken))
        {
            return Get(MePath, null, record => new OwnPlayer(record), cancel);
        }

        /// <summary>
        /// Gives a linked or merged device of the player, this one included, its own player back; its sessions for this player end
        /// immediately. Runs that were played stay the player's. From this device, runs and recordings that wait are sent first, as by
        /// <see cref="ProveAsync"/>.
        /// </summary>
        /// <param name="deviceId">of <see cref="OwnPlayer.Devices"/></param>
        /// <returns>How many sessions have ended.</returns>
        /// <exception cref="LeaderboardException"><c>NOT_FOUND</c>: it isn't a device of the player.</exception>
        public Task<int> UnlinkDeviceAsync(string deviceId, CancellationToken cancel = default(CancellationToken))
        {
            return Changed(async own =>
            {
                var isOwn = (await MeAsync(cancel)).DeviceId == deviceId;
                if (isOwn) await SendAllAsync(own);
                var path = "/v1/client/devices/" + Uri.EscapeDataString(deviceId) + "/unlink";
                int count;
                try
                {
                    count = await Retried(_ => WriteAsync(own, "POST", path, null, record => record.Whole("count"), cancel), cancel);
                }
                catch (LeaderboardException error) when (isOwn && error == own.Sessions.Refusal)
                {
                    // Its answer was lost: the session that the repetition needed has ended with it.
                    count = 1;
                }
                if (isOwn && count > 0) await ActedAsync(own, await own.Sessions.LeaveAsync(), false);
                return count;
            });
        }

        /// <summary>
        /// Makes a code to show on this device, for <see cref="RedeemAsync"/> on another one: good for ten minutes, and once. A new one
        /// replaces it.
        /// </summary>
        public Task<LinkCode> LinkCodeAsync(CancellationToken cancel = default(CancellationToken))
        {
            return Retried(own => WriteAsync(own, "POST", "/v1/client/link-codes", null, record => new LinkCode(record), cancel), cancel);
        }

        /// <summary>
        /// Links this device to the player whose device shows the code: the client goes on as that one, and so do later sessions of the
        /// device. Runs that wait are sent first.
        /// </summary>
        /// <param name="code">as the player types it: in either case, with or without a hyphen in the middle</param>
        /// <param name="boardIds">as <see cref="Proof.BoardIds"/></param>
        /// <returns>Whom the client plays as now.</returns>
        /// <exception cref="LeaderboardException">
        /// <c>INVALID_CODE</c>: wrong, expired or used; <c>PLAYER_CONFLICT</c>: ask the player.
        /// </exception>
        public Task<Player> RedeemAsync(
            string code,
            OnConflict onConflict = OnConflict.Switch,
            IEnumerable<string> boardIds = null,
            CancellationToken cancel = default(CancellationToken))
        {
            var body = Proof.Choice(onConflict, boardIds);
            body["code"] = code.Trim();
            return Changed(own => BecomeAsync(own, "/v1/client/link-codes/redeem", body, false, cancel));
        }

        Task<T> Changed<T>(Func<Parts, Task<T>> change)
        {
            if (closed.IsCancellationRequested) throw new LeaderboardException(ErrorCodes.Closed, "The client was closed.");
            return Tasks.On(settings.Context, async () => await change(await parts));
        }

        /// <summary>What a change of the session leads to.</summary>
        /// <param name="isSame">it acts for the player of before, whose tickets were fetched ahead</param>
        async Task<Player> ActedAsync(Parts own, Session session, bool isSame)
        {
            own.Nonces.Clear();
            if (!isSame) await own.Tickets.DropAsync();
            Tasks.Forget(FlushAsync());
            return session.Player;
        }

        /// <summary>Sends runs and recordings that wait: afterwards they could count for another player, or be refused.</summary>
        /// <exception cref="LeaderboardException">
        /// A temporary one: some still wait; <c>INVALID_REFRESH_TOKEN</c>: the session has ended.
        /// </exception>
        async Task SendAllAsync(Parts own)
        {
            var runs = await FlushAsync();
            if (runs == 0)
            {
                using (var ending = CancellationTokenSource.CreateLinkedTokenSource(closed.Token))
                {
                    await Task.WhenAny(own.Recordings.StartAsync(), settings.Clock.Delay(settings.DeadlineMs, ending.Token));
                    ending.Cancel();
                }
                if (await own.Recordings.WantedAsync() == 0) return;
            }
            var failure = runs > 0 ? own.Sender.Failure : own.Recordings.Failure;
            if (failure != null && (failure.IsTemporary || failure == own.Sessions.Refusal)) throw failure;
            throw new LeaderboardException(
                ErrorCodes.Timeout, failure == null ? "Runs or recordings of the player still wait to be sent." : failure.Message);
        }

        /// <summary>Sends a proof or a code, after which the session may be another player's. Not tried again: a proof is accepted once.</summary>
        async Task<Player> BecomeAsync(Parts own, string path, object body, bool isProven, CancellationToken cancel)
        {
            await SendAllAsync(own);
            var before = (await own.Sessions.GetAsync(cancel)).IdentityId;
            var after = await BecameAsync(own, path, body, isProven, before, cancel);
            return await ActedAsync(own, after, after.IdentityId == before);
        }

        async Task<Session> BecameAsync(Parts own, string path, object body, bool isProven, string before, CancellationToken cancel)
        {
            LeaderboardException lost;
            try
            {
                return await NoncedAsync(
                    own,
                    (_, nonce) => own.Sessions.BecomeAsync(session => WrittenAsync("POST", path, body, record => record, session, nonce, cancel), isProven),
                    cancel);
            }
            // Some transports repeat a request whose connection broke.
            catch (LeaderboardException error) when (error.IsUnheard || error.Code == ErrorCodes.InvalidCode)
            {
                lost = error;
            }
            // The session tells what became of it.
            string now = null;
            try
            {
                now = await own.Sessions.GetAsync(MePath, null, record => record.TextOrNull("identity_id"), cancel);
            }
            catch (LeaderboardException)
            {
                // Nothing is known.
            }
            if (now == null || now == before) throw lost;
            return await own.Sessions.GetAsync(cancel);
        }

        Task<T> WriteAsync<T>(Parts own, string method, string path, object body, Func<JsonRecord, T> read, CancellationToken cancel)
        {
            return NoncedAsync(own, (session, nonce) => WrittenAsync(method, path, body, read, session, nonce, cancel), cancel);
        }

        Task<T> WrittenAsync<T>(
            string method, string path, object body, Func<JsonRecord, T> read, Session session, string nonce, CancellationToken cancel)
        {
            var call = requests.Call(method, path, session.AccessToken, null, body);
            call.Headers[settings.HeaderPrefix + "-client-nonce"] = nonce;
            return requests.SendAsync(call, read, cancel);
        }

        /// <summary>A change with a nonce; once more with another one if that is refused.</summary>
        async Task<T> NoncedAsync<T>(Parts own, Func<Session, string, Task<T>> change, CancellationToken cancel)
        {
            Func<Session, Task<T>> attempt = async session => await change(session, (await own.Nonces.TakeAsync(1, cancel))[0]);
            try
            {
                return await own.Sessions.WithAsync(attempt, cancel);
            }
            catch (LeaderboardException error) when (error.Status == 412)
            {
                own.Nonces.Clear();
            }
            return await own.Sessions.WithAsync(attempt, cancel);
        }
    }
}
