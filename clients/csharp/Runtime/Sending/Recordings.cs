using System;
using System.Collections.Generic;
using System.Linq;
using System.Threading;
using System.Threading.Tasks;

namespace LeaderboardClient
{
    /// <summary>
    /// Recordings of runs: they wait beside the queue, five at most, the newest kept; are sent once their runs are answered, one at a
    /// time. Each is stored after its run.
    /// </summary>
    internal sealed class Recordings
    {
        /// <summary>Files may be large.</summary>
        const int Most = 5;

        readonly Settings settings;
        readonly Requests requests;
        readonly Sessions sessions;
        readonly Nonces nonces;
        readonly Retries retries;
        readonly string name;
        readonly Pause pause;
        readonly CancellationTokenSource stopping = new CancellationTokenSource();

        /// <summary>Files that the storage did not take, by slot: they last as long as this process.</summary>
        readonly Dictionary<int, string> unstored = new Dictionary<int, string>();

        /// <summary>The list, where the storage does not take it; null: it is stored.</summary>
        List<Kept> known;

        /// <summary>Changes of a list that could not be read: they wait until it can.</summary>
        readonly List<Func<List<Kept>, Task<List<Kept>>>> waiting = new List<Func<List<Kept>, Task<List<Kept>>>>();
        Task working;
        bool again;
        LeaderboardException failure;

        /// <summary>The newest failure; null: the last request was answered.</summary>
        internal LeaderboardException Failure { get { return failure; } }

        sealed class Kept
        {
            internal string Key;

            /// <summary>Of the file's name.</summary>
            internal int Slot;

            /// <summary>Where the service wants it; null: its run is not answered yet.</summary>
            internal string EventId;

            internal Dictionary<string, object> Stored()
            {
                return new Dictionary<string, object> { { "key", Key }, { "slot", Slot }, { "eventId", EventId } };
            }
        }

        /// <param name="name">where they are listed</param>
        internal Recordings(Settings settings, Requests requests, Sessions sessions, Nonces nonces, Retries retries, string name)
        {
            this.settings = settings;
            this.requests = requests;
            this.sessions = sessions;
            this.nonces = nonces;
            this.retries = retries;
            this.name = name;
            pause = new Pause(settings.Clock);
        }

        /// <summary>Keeps the file of a run that is stored. Never fails.</summary>
        internal Task KeepAsync(string key, byte[] file)
        {
            return ChangeAsync(async all =>
            {
                var others = all.Where(one => one.Key != key).ToList();
                others = others.Skip(Math.Max(0, others.Count - (Most - 1))).ToList();
                var slot = Enumerable.Range(0, Most).First(free => others.All(one => one.Slot != free));
                await WriteAsync(slot, Convert.ToBase64String(file));
                return others.Concat(new[] { new Kept { Key = key, Slot = slot } }).ToList();
            });
        }

        /// <summary>Runs are answered: their recordings are wanted, or go. Durable before the runs leave the queue. Never fails.</summary>
        internal async Task SettleAsync(IReadOnlyCollection<SubmitResult> results)
        {
            var events = new Dictionary<string, string>();
            foreach (var result in results)
            {
                var ranked = result as Ranked;
                events[result.Run.Key] = ranked == null ? null : ranked.RecordingEventId;
            }
            if (await HasNoneAsync(events.ContainsKey)) return;
            await ChangeAsync(all =>
            {
                var left = new List<Kept>();
                foreach (var one in all)
                {
                    string eventId;
                    if (!events.TryGetValue(one.Key, out eventId)) left.Add(one);
                    else if (eventId != null) left.Add(new Kept { Key = one.Key, Slot = one.Slot, EventId = eventId });
                }
                return Task.FromResult(left);
            });
            Tasks.Forget(StartAsync());
        }

        /// <summary>A run will never be sent, or its recording is settled.</summary>
        internal async Task DropAsync(string key)
        {
            if (await HasNoneAsync(listed => listed == key)) return;
            await ChangeAsync(all => Task.FromResult(all.Where(one => one.Key != key).ToList()));
        }

        /// <summary>False also of a list that cannot be read: it may have them.</summary>
        async Task<bool> HasNoneAsync(Func<string, bool> isMeant)
        {
            try
            {
                return waiting.Count == 0 && !(await ListAsync()).Any(one => isMeant(one.Key));
            }
            catch (Exception error)
            {
                settings.StorageTrouble(error);
                return false;
            }
        }

        /// <summary>Sends those that are wanted, immediately unless the service asked for a pause.</summary>
        internal Task StartAsync()
        {
            again = true;
            if (failure == null || failure.RetryAfterSeconds == null) pause.Wake();
            if (working == null || working.IsCompleted) working = WorkAsync();
            return working;
        }

        /// <summary>How many are wanted and not sent yet.</summary>
        internal async Task<int> WantedAsync()
        {
            try
            {
                return (await ListAsync()).Count(one => one.EventId != null);
            }
            catch (Exception error)
            {
                settings.StorageTrouble(error);
                return 0;
            }
        }

        internal async Task CloseAsync()
        {
            stopping.Cancel();
            pause.Wake();
            if (working != null) await working;
        }

        async Task WorkAsync()
        {
            for (var failures = 0; !stopping.IsCancellationRequested;)
            {
                again = false;
                try
                {
                    var isEmpty = await Turns.Of(settings.Storage, name + ".send").RunAsync(SendNextAsync);
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
                if (ReferenceEquals(failure, sessions.Refusal) || failure.IsLock) return;
                if (!isNonce || failures > 1) await pause.ForAsync(retries.PauseAfter(failures, failure));
            }
        }

        /// <summary>True: none is wanted.</summary>
        /// <exception cref="LeaderboardException">It must be sent again.</exception>
        async Task<bool> SendNextAsync()
        {
            stopping.Token.ThrowIfCancellationRequested();
            if (waiting.Count > 0) await ChangeAsync(all => Task.FromResult(all));
            Kept next;
            try
            {
                next = (await ListAsync()).FirstOrDefault(one => one.EventId != null);
            }
            catch (Exception error)
            {
                throw new LeaderboardException(ErrorCodes.Storage, "Failed to read the recordings: " + error.Message);
            }
            if (next == null) return true;
            LeaderboardException refusal = null;
            try
            {
                await SendAsync(next);
            }
            catch (LeaderboardException error) when (!(error.IsTemporary || error.IsLock || error.Status == 401 || error.Status == 412))
            {
                refusal = error;
            }
            await DropAsync(next.Key);
            settings.Recording(new RecordingResult(next.Key, refusal));
            return false;
        }

        async Task SendAsync(Kept one)
        {
            var file = await ReadAsync(one.Slot);
            if (string.IsNullOrEmpty(file)) throw new LeaderboardException(ErrorCodes.Storage, "The recording is not in the storage any more.");
            var path = "/v1/client/score-events/" + Uri.EscapeDataString(one.EventId) + "/recording";
            await sessions.WithAsync(async session =>
            {
                var nonce = (await nonces.TakeAsync(1, stopping.Token))[0];
                var call = requests.Call("PUT", path, session.AccessToken);
                call.File = Convert.FromBase64String(file);
                call.Headers[settings.HeaderPrefix + "-client-nonce"] = nonce;
                return await requests.SendAsync(call, record => true, stopping.Token);
            }, stopping.Token);
        }

        async Task<string> ReadAsync(int slot)
        {
            string text;
            if (unstored.TryGetValue(slot, out text)) return text;
            try
            {
                return await settings.Storage.ReadAsync(name + ":" + slot);
            }
            catch (Exception error)
            {
                settings.StorageTrouble(error);
                return null;
            }
        }

        async Task WriteAsync(int slot, string text)
        {
            unstored.Remove(slot);
            try
            {
                await settings.Storage.WriteAsync(name + ":" + slot, text);
            }
            catch (Exception error)
            {
                if (text != "") unstored[slot] = text;
                settings.StorageTrouble(error);
            }
        }

        /// <exception cref="Exception">What the storage throws: a list that cannot be read is not taken for an empty one.</exception>
        async Task<List<Kept>> ListAsync()
        {
            if (known != null) return known;
            var text = await settings.Storage.ReadAsync(name);
            if (text == null) return new List<Kept>();
            try
            {
                return ((List<object>)Json.Read(text)).Select(value => new JsonRecord(value)).Select(one =>
                    new Kept { Key = one.Text("key"), Slot = one.Whole("slot"), EventId = one.TextOrNull("eventId") }).ToList();
            }
            catch (Exception error) when (error is FormatException || error is InvalidCastException)
            {
                settings.StorageTrouble(error);
                return new List<Kept>();
            }
        }

        /// <summary>
        /// Files of those that leave the list are emptied after it is stored. While the list cannot be read, the change waits. Never fails.
        /// </summary>
        Task ChangeAsync(Func<List<Kept>, Task<List<Kept>>> change)
        {
            return Turns.Of(settings.Storage, name + ".lock").RunAsync(async () =>
            {
                waiting.Add(change);
                List<Kept> before;
                try
                {
                    before = await ListAsync();
                }
                catch (Exception error)
                {
                    settings.StorageTrouble(error);
                    return false;
                }
                var all = before;
                foreach (var one in waiting) all = await one(all);
                waiting.Clear();
                known = null;
                try
                {
                    await settings.Storage.WriteAsync(name, Json.Write(all.Select(one => one.Stored()).ToList()));
                }
                catch (Exception error)
                {
                    known = all;
                    settings.StorageTrouble(error);
                }
                foreach (var one in before.Where(gone => all.All(left => left.Slot != gone.Slot))) await WriteAsync(one.Slot, "");
                return true;
            });
        }
    }
}
