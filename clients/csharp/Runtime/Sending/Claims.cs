using System;
using System.Collections.Generic;
using System.Linq;
using System.Threading;
using System.Threading.Tasks;

namespace LeaderboardClient
{
    /// <summary>
    /// Claims of rewards: sent one after the other until each is answered; repeated, the service returns the first answer. The ids
    /// of what was claimed are kept for ever, so nothing is handed out twice.
    /// </summary>
    internal sealed class Claims
    {
        readonly Settings settings;
        readonly Requests requests;
        readonly Sessions sessions;
        readonly Nonces nonces;
        readonly Retries retries;
        readonly string name;
        readonly Pause pause;
        readonly List<Waiter> waiters = new List<Waiter>();

        /// <summary>Held by the studio, or gone for the moment: they wait for the next call.</summary>
        readonly HashSet<string> held = new HashSet<string>();

        /// <summary>Claims whose game has not been told that they wait.</summary>
        readonly HashSet<string> fresh = new HashSet<string>();
        readonly CancellationTokenSource stopping = new CancellationTokenSource();

        /// <summary>What the storage did not take lasts as long as this process.</summary>
        Stored unstored = new Stored();
        Task working;
        LeaderboardException failure;

        sealed class Waiter
        {
            internal string RewardId;
            internal readonly TaskCompletionSource<ClaimResult> Answer =
                new TaskCompletionSource<ClaimResult>(TaskCreationOptions.RunContinuationsAsynchronously);
        }

        sealed class Stored
        {
            internal readonly List<string> Waiting = new List<string>();
            internal readonly List<string> Used = new List<string>();

            internal void Add(Stored other)
            {
                Waiting.AddRange(other.Waiting.Except(Waiting).ToList());
                Used.AddRange(other.Used.Except(Used).ToList());
            }
        }

        /// <param name="name">where they are stored</param>
        internal Claims(Settings settings, Requests requests, Sessions sessions, Nonces nonces, Retries retries, string name)
        {
            this.settings = settings;
            this.requests = requests;
            this.sessions = sessions;
            this.nonces = nonces;
            this.retries = retries;
            this.name = name;
            pause = new Pause(settings.Clock);
        }

        /// <summary>Stores a claim and sends it. Its answer, or <see cref="ClaimQueued"/> when <paramref name="stopWaiting"/> ends.</summary>
        internal async Task<ClaimResult> ClaimAsync(string rewardId, Task stopWaiting)
        {
            await ChangeAsync(stored =>
            {
                if (stored.Waiting.Contains(rewardId)) return false;
                stored.Waiting.Add(rewardId);
                return fresh.Add(rewardId);
            });
            var waiter = new Waiter { RewardId = rewardId };
            waiters.Add(waiter);
            Tasks.Forget(StartAsync());
            await Task.WhenAny(waiter.Answer.Task, stopWaiting);
            waiters.Remove(waiter);
            fresh.Remove(rewardId);
            return waiter.Answer.Task.IsCompleted ? await waiter.Answer.Task : new ClaimQueued(rewardId, failure);
        }

        /// <summary>Sends waiting claims, immediately unless the service asked for a pause.</summary>
        internal Task StartAsync()
        {
            held.Clear();
            if (failure == null || failure.RetryAfterSeconds == null) pause.Wake();
            if (working == null || working.IsCompleted) working = WorkAsync();
            return working;
        }

        internal async Task CloseAsync()
        {
            stopping.Cancel();
            pause.Wake();
            GiveUp();
            if (working != null) await working;
        }

        /// <summary>Until the next call: claims stay, and those who wait for them learn why.</summary>
        void GiveUp()
        {
            foreach (var waiter in waiters) waiter.Answer.TrySetResult(new ClaimQueued(waiter.RewardId, failure));
        }

        async Task WorkAsync()
        {
            for (var failures = 0; !stopping.IsCancellationRequested;)
            {
                try
                {
                    var waiting = (await StoredAsync()).Waiting;
                    var asked = waiters.Where(one => !one.Answer.Task.IsCompleted).Select(one => one.RewardId);
                    var next = waiting.Concat(asked).FirstOrDefault(id => !held.Contains(id));
                    if (next == null) return;
                    await Turns.Of(settings.Storage, name + ".send").RunAsync(() => SendAsync(next));
                    failures = 0;
                    failure = null;
                    continue;
                }
                catch (OperationCanceledException)
                {
                    return;
                }
                catch (LeaderboardException error)
                {
                    failures += 1;
                    failure = error;
                }
                settings.Trouble(failure);
                var isNonce = failure.Status == 412;
                if (isNonce) nonces.Clear();
                if (ReferenceEquals(failure, sessions.Refusal) || failure.IsLock)
                {
                    GiveUp();
                    return;
                }
                if (!isNonce || failures > 1) await pause.ForAsync(retries.PauseAfter(failures, failure));
            }
        }

        /// <exception cref="LeaderboardException">It must be sent again.</exception>
        async Task<bool> SendAsync(string rewardId)
        {
            stopping.Token.ThrowIfCancellationRequested();
            var path = "/v1/client/rewards/" + Uri.EscapeDataString(rewardId) + "/claim";
            ClaimResult result;
            try
            {
                var reward = await sessions.WithAsync(async session =>
                {
                    var nonce = (await nonces.TakeAsync(1, stopping.Token))[0];
                    var call = requests.Call("POST", path, session.AccessToken);
                    call.Headers[settings.HeaderPrefix + "-client-nonce"] = nonce;
                    return await requests.SendAsync(call, record => new Reward(record), stopping.Token);
                }, stopping.Token);
                // Stored before it is told: a game that ends now hands it out never, rather than twice.
                var isNew = await ChangeAsync(stored =>
                {
                    stored.Waiting.Remove(rewardId);
                    if (stored.Used.Contains(rewardId)) return false;
                    stored.Used.Add(rewardId);
                    return true;
                });
                result = new Claimed(reward, isNew);
            }
            catch (LeaderboardException error) when (!(error.IsTemporary || error.IsLock || error.Status == 401 || error.Status == 412))
            {
                // What was claimed offline is not given up for a board that is deleted for the moment.
                var isGone = error.Code == ErrorCodes.NotFound && !fresh.Contains(rewardId);
                if (error.Code == ErrorCodes.InvalidTransition || isGone)
                {
                    held.Add(rewardId);
                    Answer(new ClaimQueued(rewardId, error));
                    return true;
                }
                await ChangeAsync(stored => stored.Waiting.Remove(rewardId));
                result = new ClaimRefused(rewardId, error);
            }
            settings.Claim(result);
            Answer(result);
            return true;
        }

        void Answer(ClaimResult result)
        {
            fresh.Remove(result.RewardId);
            foreach (var waiter in waiters.Where(one => one.RewardId == result.RewardId)) waiter.Answer.TrySetResult(result);
        }

        async Task<Stored> StoredAsync()
        {
            var stored = new Stored();
            try
            {
                var text = await settings.Storage.ReadAsync(name);
                if (text != null)
                {
                    var record = new JsonRecord(Json.Read(text));
                    stored.Waiting.AddRange(record.List("waiting", id => (string)id));
                    stored.Used.AddRange(record.List("used", id => (string)id));
                }
            }
            catch (Exception error)
            {
                settings.StorageTrouble(error);
            }
            stored.Add(unstored);
            return stored;
        }

        Task<bool> ChangeAsync(Func<Stored, bool> change)
        {
            return Turns.Of(settings.Storage, name + ".lock").RunAsync(async () =>
            {
                var stored = await StoredAsync();
                var result = change(stored);
                unstored = new Stored();
                try
                {
                    var content = new Dictionary<string, object> { { "waiting", stored.Waiting }, { "used", stored.Used } };
                    await settings.Storage.WriteAsync(name, Json.Write(content));
                }
                catch (Exception error)
                {
                    unstored = stored;
                    settings.StorageTrouble(error);
                }
                return result;
            });
        }
    }
}
