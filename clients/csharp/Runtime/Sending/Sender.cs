using System;
using System.Collections.Generic;
using System.Linq;
using System.Threading;
using System.Threading.Tasks;

namespace LeaderboardClient
{
    /// <summary>
    /// Sends the waiting runs, many in one request and one request at a time, until each is answered. Of several clients with
    /// one storage one sends at a time; a client that finds its run sent by another one sends it again, and its key brings the
    /// first answer.
    /// </summary>
    internal sealed class Sender
    {
        /// <summary>The service's bound of items in one request.</summary>
        const int MostInRequest = 100;

        readonly Settings settings;
        readonly Requests requests;
        readonly Sessions sessions;
        readonly Nonces nonces;
        readonly RunQueue queue;
        readonly Recordings recordings;
        readonly Retries retries;
        readonly string place;
        readonly Pause pause;
        readonly List<Waiter> waiters = new List<Waiter>();
        readonly HashSet<string> sent = new HashSet<string>();

        /// <summary>Runs that are being stored, or their recordings: they are not sent before.</summary>
        readonly HashSet<string> held = new HashSet<string>();

        /// <summary>When runs with tickets ended, by the clock that never goes back; of an earlier process, the device's clock knows.</summary>
        readonly Dictionary<string, long> ended = new Dictionary<string, long>();

        /// <summary>Runs whose ticket came too late: they are sent once more, with a nonce.</summary>
        readonly Dictionary<string, LeaderboardException> late = new Dictionary<string, LeaderboardException>();
        readonly CancellationTokenSource stopping = new CancellationTokenSource();
        Task working;
        bool again;
        int most = MostInRequest;

        /// <summary>The newest failure; null: the last request was answered.</summary>
        internal LeaderboardException Failure { get { return failure; } }
        LeaderboardException failure;

        sealed class Waiter
        {
            internal Run Run;
            internal readonly TaskCompletionSource<SubmitResult> Answer =
                new TaskCompletionSource<SubmitResult>(TaskCreationOptions.RunContinuationsAsynchronously);
        }

        internal Sender(
            Settings settings, Requests requests, Sessions sessions, Nonces nonces, RunQueue queue, Recordings recordings, Retries retries, string place)
        {
            this.settings = settings;
            this.requests = requests;
            this.sessions = sessions;
            this.nonces = nonces;
            this.queue = queue;
            this.recordings = recordings;
            this.retries = retries;
            this.place = place;
            pause = new Pause(settings.Clock);
        }

        /// <summary>Stores a run and sends it. Its answer, or <see cref="Queued"/> when <paramref name="stopWaiting"/> ends.</summary>
        /// <param name="keep">stores its recording, once the run itself is stored; null: it has none</param>
        internal async Task<SubmitResult> SubmitAsync(Run run, Task stopWaiting, Func<Task> keep)
        {
            held.Add(run.Key);
            var played = settings.Clock.Elapsed;
            if (run.Ticket != null) ended[run.Key] = played;
            await queue.AddAsync(run, sent, async () => run.SessionMs = await sessions.AgeAtAsync(played));
            var waiter = new Waiter { Run = run };
            waiters.Add(waiter);
            Tasks.Forget(BeginAsync(run, keep));
            await Task.WhenAny(waiter.Answer.Task, stopWaiting);
            waiters.Remove(waiter);
            return waiter.Answer.Task.IsCompleted ? await waiter.Answer.Task : new Queued(run, failure);
        }

        async Task BeginAsync(Run run, Func<Task> keep)
        {
            if (keep != null) await keep();
            held.Remove(run.Key);
            await StartAsync();
        }

        /// <summary>Sends waiting runs, immediately unless the service asked for a pause. Ends when nothing more can be done now.</summary>
        internal Task StartAsync()
        {
            again = true;
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

        /// <summary>Until the next call: runs stay, and those who wait for them learn why.</summary>
        void GiveUp()
        {
            foreach (var waiter in waiters) waiter.Answer.TrySetResult(new Queued(waiter.Run, failure));
        }

        async Task WorkAsync()
        {
            for (var failures = 0; !stopping.IsCancellationRequested;)
            {
                again = false;
                try
                {
                    var isEmpty = await Turns.Of(settings.Storage, place + ".send").RunAsync(SendSomeAsync);
                    failures = 0;
                    failure = null;
                    if (isEmpty && !again) return;
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
                var isRefused = ReferenceEquals(failure, sessions.Refusal);
                if (isRefused || failure.IsLock || !(failure.IsTemporary || isNonce || failure.Status == 401))
                {
                    GiveUp();
                    return;
                }
                // A refused nonce is replaced immediately; if the new ones are refused, too, that is a failure.
                if (!isNonce || failures > 1) await pause.ForAsync(retries.PauseAfter(failures, failure));
            }
        }

        /// <summary>True: nothing waits.</summary>
        async Task<bool> SendSomeAsync()
        {
            stopping.Token.ThrowIfCancellationRequested();
            var runs = await queue.ListAsync();
            var keys = new HashSet<string>(runs.Select(run => run.Key));
            // Another client has sent those.
            foreach (var waiter in waiters.Where(one => !one.Answer.Task.IsCompleted))
                if (keys.Add(waiter.Run.Key)) runs.Add(waiter.Run);
            runs = runs.Where(run => !held.Contains(run.Key)).Take(most).ToList();
            if (runs.Count == 0) return true;
            sent.UnionWith(runs.Select(run => run.Key));
            try
            {
                await SettleAsync(runs, await SendAsync(runs));
                most = MostInRequest;
            }
            catch (LeaderboardException error) when (error.Status == 413 && runs.Count > 1)
            {
                most = (runs.Count + 1) / 2;
            }
            finally
            {
                sent.Clear();
                await queue.TrimAsync();
            }
            return false;
        }

        /// <summary>A result for each run: a <see cref="Ranked"/>, or the error of its item.</summary>
        Task<List<object>> SendAsync(List<Run> runs)
        {
            return sessions.WithAsync(async session =>
            {
                var fresh = new Queue<string>(await nonces.TakeAsync(runs.Count(run => TicketOf(run) == null), stopping.Token));
                var items = runs.Select(run => ItemOf(run, fresh, session.DisplayName)).ToList();
                var body = new Dictionary<string, object> { { "items", items } };
                var call = requests.Call("POST", "/v1/client/scores/batch", session.AccessToken, null, body);
                return await requests.SendAsync(call, answer => ResultsOf(answer, runs), stopping.Token);
            }, stopping.Token);
        }

        Dictionary<string, object> ItemOf(Run run, Queue<string> fresh, string knownName)
        {
            var ticket = TicketOf(run);
            return ticket == null ? run.Item(fresh.Dequeue(), null, knownName) : run.Item(ticket, IdleOf(run), knownName);
        }

        string TicketOf(Run run)
        {
            return late.ContainsKey(run.Key) ? null : run.Ticket;
        }

        /// <summary>Milliseconds until the end of the run, and since then.</summary>
        long IdleOf(Run run)
        {
            long end;
            var waited = ended.TryGetValue(run.Key, out end) ? settings.Clock.Elapsed - end : settings.Clock.Now - run.CreatedAt;
            return run.IdleMs + Math.Max(0, waited);
        }

        static List<object> ResultsOf(JsonRecord answer, List<Run> runs)
        {
            var items = answer.List("results", item => new JsonRecord(item));
            if (items.Count != runs.Count) throw new FormatException("The service returned a different number of results than was sent.");
            return items.Select((item, i) => item.Has("score")
                ? (object)new Ranked(runs[i], item)
                : Requests.ErrorOf(item.Record("error"), item.Whole("status"))).ToList();
        }

        /// <summary>True: without its ticket the run may count.</summary>
        bool IsLate(Run run, LeaderboardException error)
        {
            return !late.ContainsKey(run.Key) && (error.Code == ErrorCodes.TicketExpired || error.Code == ErrorCodes.TicketStale);
        }

        /// <summary>Of a run that was sent once more: why its ticket was refused.</summary>
        LeaderboardException ReasonOf(Run run, LeaderboardException error)
        {
            LeaderboardException before;
            return error.Code == ErrorCodes.TicketRequired && late.TryGetValue(run.Key, out before) ? before : error;
        }

        /// <summary>The service's name for the player is the one of its newest run, unless an administrator gave it another.</summary>
        async Task NamedAsync(List<SubmitResult> final)
        {
            if (settings.TestMode) return;
            var shown = final.OfType<Ranked>().LastOrDefault(ranked => ranked.Kept);
            if (shown != null) await sessions.NamedAsync(shown.Score.PlayerName);
        }

        /// <exception cref="LeaderboardException">An item must be sent again; all others are settled.</exception>
        async Task SettleAsync(List<Run> runs, List<object> results)
        {
            var final = new List<SubmitResult>();
            LeaderboardException repeat = null;
            for (var i = 0; i < runs.Count; i += 1)
            {
                var error = results[i] as LeaderboardException;
                if (error == null) final.Add((Ranked)results[i]);
                else if (error.IsTemporary || error.IsLock || error.Status == 412 || error.Status == 401) repeat = repeat ?? error;
                else if (IsLate(runs[i], error)) late[runs[i].Key] = error;
                else final.Add(new Refused(runs[i], ReasonOf(runs[i], error)));
            }
            await NamedAsync(final);
            await recordings.SettleAsync(final);
            if (final.Count > 0) await queue.RemoveAsync(new HashSet<string>(final.Select(result => result.Run.Key)));
            foreach (var result in final)
            {
                var refused = result as Refused;
                late.Remove(result.Run.Key);
                ended.Remove(result.Run.Key);
                settings.Result(result);
                if (refused != null) settings.Dropped(refused.Run, refused.Error);
                foreach (var waiter in waiters.Where(one => one.Run.Key == result.Run.Key)) waiter.Answer.TrySetResult(result);
            }
            if (repeat != null) throw repeat;
        }
    }
}
