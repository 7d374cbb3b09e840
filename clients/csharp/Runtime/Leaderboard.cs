using System;
using System.Collections.Generic;
using System.Threading;
using System.Threading.Tasks;

namespace LeaderboardClient
{
    /// <summary>
    /// The service as one player of one game uses it. Two for the same player and storage share session and queue. Its methods
    /// may be called from any thread and never block one; do not wait for their tasks with <c>.Result</c> in a game's loop.
    /// </summary>
    public sealed partial class Leaderboard : IDisposable
    {
        readonly Settings settings;
        readonly Requests requests;
        readonly Retries retries;
        readonly CancellationTokenSource closed = new CancellationTokenSource();
        readonly Task<Parts> parts;

        sealed class Parts
        {
            internal Sessions Sessions;
            internal Nonces Nonces;
            internal RunQueue Queue;
            internal Sender Sender;
            internal Claims Claims;
            internal Recordings Recordings;
            internal Tickets Tickets;
        }

        /// <summary>Begins to send the runs and claims that wait in the storage.</summary>
        public Leaderboard(LeaderboardOptions options)
        {
            settings = new Settings(options);
            requests = new Requests(settings);
            retries = new Retries(settings);
            parts = Tasks.On(settings.Context, OpenAsync);
            Tasks.Forget(FlushAsync());
        }

        async Task<Parts> OpenAsync()
        {
            var start = "leaderboard:" + settings.GameId;
            var device = settings.Device;
            if (device == null) device = await Turns.Of(settings.Storage, start + ".lock").RunAsync(() => DeviceAsync(start + ":device"));
            var place = start + ":" + device + (settings.TestMode ? ":test" : "");
            var sessions = new Sessions(settings, requests, device, place + ":session");
            var nonces = new Nonces(sessions, settings.Clock);
            var recordings = new Recordings(settings, requests, sessions, nonces, retries, place + ":recordings");
            settings.Gone = run => Tasks.Forget(recordings.DropAsync(run.Key));
            var queue = new RunQueue(settings, place + ":runs");
            var sender = new Sender(settings, requests, sessions, nonces, queue, recordings, retries, place);
            var claims = new Claims(settings, requests, sessions, nonces, retries, place + ":claims");
            var tickets = new Tickets(settings, requests, sessions, place + ":tickets");
            return new Parts
            {
                Sessions = sessions, Nonces = nonces, Queue = queue, Sender = sender, Claims = claims, Recordings = recordings, Tickets = tickets,
            };
        }

        /// <summary>The name of this installation, made at its first start.</summary>
        async Task<string> DeviceAsync(string name)
        {
            try
            {
                var stored = await settings.Storage.ReadAsync(name);
                if (!string.IsNullOrEmpty(stored)) return stored;
            }
            catch (Exception error)
            {
                // It is not overwritten: this start is an installation of its own.
                settings.StorageTrouble(error);
                return RandomKey();
            }
            var device = RandomKey();
            try
            {
                await settings.Storage.WriteAsync(name, device);
            }
            catch (Exception error)
            {
                settings.StorageTrouble(error);
            }
            return device;
        }

        /// <summary>The session's player; starts a session or resumes the stored one.</summary>
        /// <exception cref="LeaderboardException">It could not within the deadline, or another attempt changes nothing.</exception>
        public Task<Player> PlayerAsync(CancellationToken cancel = default(CancellationToken))
        {
            return Retried(async own => (await own.Sessions.GetAsync(cancel)).Player, cancel);
        }

        /// <summary>
        /// Plays as the player whose session the game server started (<c>POST /v1/identities/{identity_id}/sessions</c>), for games
        /// with a login of their own: pass the text of what the server got. Call it before anything else, and again when a call
        /// fails with <c>INVALID_REFRESH_TOKEN</c>: the session has ended, and no other one is started in its place. Runs wait
        /// until then. Use a client with its own <c>Device</c> for each player.
        /// </summary>
        /// <param name="tokens">JSON</param>
        /// <exception cref="LeaderboardException"><c>CONFLICT</c>: the session stored for this device is that of another player, who
        /// isn't merged with this one.</exception>
        public Task<Player> SessionAsync(string tokens)
        {
            return Tasks.On(settings.Context, async () =>
            {
                var own = await parts;
                var session = await own.Sessions.GiveAsync(new JsonRecord(Json.Read(tokens)));
                own.Nonces.Clear();
                Tasks.Forget(FlushAsync());
                return session.Player;
            });
        }

        /// <summary>Session and nonces ahead, for example when a run is about to end.</summary>
        public Task PrepareAsync(CancellationToken cancel = default(CancellationToken))
        {
            return Retried(own => own.Nonces.PrepareAsync(cancel), cancel);
        }

        /// <summary>As the other one, with the client's player name.</summary>
        public Task<SubmitResult> SubmitAsync(string boardId, double value)
        {
            return SubmitAsync(new Submission(boardId, value));
        }

        /// <summary>
        /// Stores a run and sends it until it is answered. Its task never fails. It ends as <see cref="Queued"/> at the deadline
        /// or when <paramref name="cancel"/> is cancelled: the run stays stored and is still sent, by this or a later start of the game.
        /// </summary>
        /// <exception cref="ArgumentException">At once: the metadata has values that JSON does not.</exception>
        public Task<SubmitResult> SubmitAsync(
            Submission submission, int? deadlineMs = null, CancellationToken cancel = default(CancellationToken))
        {
            return SubmitAsync(submission, deadlineMs, cancel, null, null);
        }

        /// <param name="refusal">why the run can't count, known before it is sent; null: it may</param>
        /// <param name="recording">null: none</param>
        internal Task<SubmitResult> SubmitAsync(
            Submission submission, int? deadlineMs, CancellationToken cancel, LeaderboardException refusal, byte[] recording)
        {
            var name = submission.PlayerName ?? settings.PlayerName;
            var run = new Run(submission, name, submission.Key ?? RandomKey(), settings.Clock.Now);
            return Tasks.On(settings.Context, () => SendAsync(run, deadlineMs ?? settings.DeadlineMs, cancel, refusal, recording));
        }

        async Task<SubmitResult> SendAsync(Run run, int deadlineMs, CancellationToken cancel, LeaderboardException refusal, byte[] recording)
        {
            if (double.IsNaN(run.Value) || double.IsInfinity(run.Value))
            {
                var error = new LeaderboardException(ErrorCodes.ValidationFailed, "The value must be a finite number.");
                return new Refused(run, error);
            }
            if (refusal != null) return new Refused(run, refusal);
            using (var ending = CancellationTokenSource.CreateLinkedTokenSource(cancel, closed.Token))
            {
                var late = settings.Clock.Delay(deadlineMs, ending.Token);
                var own = await parts;
                var keep = recording == null ? (Func<Task>)null : () => own.Recordings.KeepAsync(run.Key, recording);
                var result = await own.Sender.SubmitAsync(run, late, keep);
                ending.Cancel();
                return result;
            }
        }

        /// <summary>Sends waiting runs, claims and recordings now, if there are any, for example when the game returns to the foreground.</summary>
        /// <returns>Number of runs that still wait when no more can be done or the deadline is over.</returns>
        public Task<int> FlushAsync(int? deadlineMs = null)
        {
            return Tasks.On(settings.Context, async () =>
            {
                var own = await parts;
                if (!closed.IsCancellationRequested) Tasks.Forget(Task.WhenAll(own.Claims.StartAsync(), own.Recordings.StartAsync()));
                if (!closed.IsCancellationRequested && (await own.Queue.ListAsync()).Count > 0)
                {
                    using (var ending = CancellationTokenSource.CreateLinkedTokenSource(closed.Token))
                    {
                        await Task.WhenAny(own.Sender.StartAsync(), settings.Clock.Delay(deadlineMs ?? settings.DeadlineMs, ending.Token));
                        ending.Cancel();
                    }
                }
                return (await own.Queue.ListAsync()).Count;
            });
        }

        /// <summary>Runs that wait, oldest first.</summary>
        public Task<List<Run>> WaitingAsync()
        {
            return Tasks.On(settings.Context, async () => await (await parts).Queue.ListAsync());
        }

        /// <summary>Ends all work. Waiting runs, claims and recordings stay stored; submissions that wait for an answer end as <see cref="Queued"/>.</summary>
        public Task CloseAsync()
        {
            return Tasks.On(settings.Context, async () =>
            {
                closed.Cancel();
                var own = await parts;
                await Task.WhenAll(own.Sender.CloseAsync(), own.Claims.CloseAsync(), own.Recordings.CloseAsync());
                return true;
            });
        }

        /// <summary>As <see cref="CloseAsync"/>, without waiting for its end.</summary>
        public void Dispose()
        {
            Tasks.Forget(CloseAsync());
        }

        static string RandomKey()
        {
            return Guid.NewGuid().ToString("N");
        }
    }
}
