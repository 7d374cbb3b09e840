using System;
using System.Collections.Generic;
using System.Threading;
using System.Threading.Tasks;

namespace LeaderboardClient
{
    public sealed partial class Leaderboard
    {
        /// <summary>
        /// Adds a proof to the client's player, who keeps all runs. One that belongs to another player makes the client go on as that
        /// one: <see cref="Proof.OnConflict"/> decides. Runs and recordings that wait are sent first; while some can't be, it fails with
        /// <c>NETWORK</c> or the like. Call it again then, with a fresh proof.
        /// </summary>
        /// <returns>Whom the client plays as now.</returns>
        /// <exception cref="LeaderboardException">
        /// <c>PROOF_REFUSED</c>: sign in again; <c>PROVIDER_UNAVAILABLE</c>: try later; <c>PLAYER_CONFLICT</c>: ask the player.
        /// </exception>
        public Task<Player> ProveAsync(Proof proof, CancellationToken cancel = default(CancellationToken))
        {
            return Become("/v1/client/proofs", proof.Body(), true, cancel);
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
            return Become("/v1/client/link-codes/redeem", body, false, cancel);
        }

        /// <summary>Sends a proof or a code, after which the session may be another player's. Not tried again: a proof is accepted once.</summary>
        Task<Player> Become(string path, object body, bool isProven, CancellationToken cancel)
        {
            if (closed.IsCancellationRequested) throw new LeaderboardException(ErrorCodes.Closed, "The client was closed.");
            return Tasks.On(settings.Context, async () =>
            {
                var own = await parts;
                await SendAllAsync(own);
                var before = (await own.Sessions.GetAsync(cancel)).IdentityId;
                var after = await BecomeAsync(own, path, body, isProven, before, cancel);
                own.Nonces.Clear();
                if (after.IdentityId != before) await own.Tickets.DropAsync();
                Tasks.Forget(FlushAsync());
                return new Player(after.IdentityId, after.DisplayName);
            });
        }

        /// <summary>Sends runs and recordings that wait: afterwards they could count for another player, or be refused.</summary>
        /// <exception cref="LeaderboardException">A temporary one: some still wait.</exception>
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
            if (failure != null && failure.IsTemporary) throw failure;
            throw new LeaderboardException(
                ErrorCodes.Timeout, failure == null ? "Runs or recordings of the player still wait to be sent." : failure.Message);
        }

        async Task<Session> BecomeAsync(Parts own, string path, object body, bool isProven, string before, CancellationToken cancel)
        {
            LeaderboardException lost;
            try
            {
                var answer = await WriteAsync(own, "POST", path, body, record => record, cancel);
                return await own.Sessions.BecomeAsync(answer, isProven);
            }
            catch (LeaderboardException error) when (error.IsUnheard)
            {
                lost = error;
            }
            // The session tells what became of it.
            string now = null;
            try
            {
                now = await own.Sessions.GetAsync("/v1/client/me", null, record => record.TextOrNull("identity_id"), cancel);
            }
            catch (LeaderboardException)
            {
                // Nothing is known.
            }
            if (now == null || now == before) throw lost;
            return await own.Sessions.GetAsync(cancel);
        }

        /// <summary>A change with a nonce; once more with another one if that is refused.</summary>
        async Task<T> WriteAsync<T>(Parts own, string method, string path, object body, Func<JsonRecord, T> read, CancellationToken cancel)
        {
            Func<Session, Task<T>> send = async session =>
            {
                var nonce = (await own.Nonces.TakeAsync(1, cancel))[0];
                var call = requests.Call(method, path, session.AccessToken, null, body);
                call.Headers[settings.HeaderPrefix + "-client-nonce"] = nonce;
                return await requests.SendAsync(call, read, cancel);
            };
            try
            {
                return await own.Sessions.WithAsync(send, cancel);
            }
            catch (LeaderboardException error) when (error.Status == 412)
            {
                own.Nonces.Clear();
            }
            return await own.Sessions.WithAsync(send, cancel);
        }
    }
}
