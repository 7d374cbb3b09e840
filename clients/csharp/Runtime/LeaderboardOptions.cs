using System;
using System.Collections.Generic;
using System.Threading;
using System.Threading.Tasks;

namespace LeaderboardClient
{
    public sealed class LeaderboardOptions
    {
        public LeaderboardOptions()
        {
            TimeoutMs = 10000;
            DeadlineMs = 15000;
            RetryFirstMs = 500;
            RetryMostMs = 60000;
            QueueLimit = 500;
            HeaderPrefix = "service";
        }

        /// <summary>Address of the service, e.g. <c>https://scores.example.com</c>; a path in it is kept.</summary>
        public string Url { get; set; }
        public string GameId { get; set; }

        /// <summary>The installation or the player, 1 to 128 characters: the same text is the same player. By default made once and stored.</summary>
        public string Device { get; set; }

        /// <summary>
        /// Called when a session starts, the first one and those in place of one that has ended: a fresh statement of who the player is,
        /// or null for the player of the device. It must not use the client. For a player who signs in later,
        /// <see cref="Leaderboard.ProveAsync"/>.
        /// </summary>
        public Func<Task<Proof>> Proof { get; set; }

        /// <summary>Name of submissions that bring none.</summary>
        public string PlayerName { get; set; }

        /// <summary>Up to 32 characters.</summary>
        public string Platform { get; set; }

        /// <summary>Stored with the device.</summary>
        public IDictionary<string, object> Metadata { get; set; }

        /// <summary>True: submissions are test data.</summary>
        public bool TestMode { get; set; }

        /// <summary>A folder of the application by default, PlayerPrefs in browsers.</summary>
        public IStorage Storage { get; set; }

        /// <summary>HttpClient by default, UnityWebRequest in browsers.</summary>
        public ITransport Transport { get; set; }
        public IClock Clock { get; set; }

        /// <summary>Where the client works and calls back: by default the thread's own at the client's start, in Unity and Godot the main thread.</summary>
        public SynchronizationContext Context { get; set; }

        /// <summary>For one request; 10 seconds by default.</summary>
        public int TimeoutMs { get; set; }

        /// <summary>For a submission's answer or a read, retries included; 15 seconds by default.</summary>
        public int DeadlineMs { get; set; }

        /// <summary>The wait after a failure: half to all of it, doubled each time up to <see cref="RetryMostMs"/>. 500 by default.</summary>
        public int RetryFirstMs { get; set; }

        /// <summary>60 seconds by default.</summary>
        public int RetryMostMs { get; set; }

        /// <summary>Waiting runs that are kept; beyond them the oldest one is dropped. 500 by default.</summary>
        public int QueueLimit { get; set; }

        /// <summary>The service's setting HEADER_PREFIX.</summary>
        public string HeaderPrefix { get; set; }

        /// <summary>Called for each run that is answered (<see cref="Ranked"/>, <see cref="Refused"/>), also for runs of an earlier start of the game.</summary>
        public Action<SubmitResult> OnResult { get; set; }

        /// <summary>Called for each run that leaves the queue without being counted: refused, or the oldest of a full queue.</summary>
        public Action<Run, LeaderboardException> OnDropped { get; set; }

        /// <summary>Called for each claim of a reward that is answered, also for claims of an earlier start of the game: hand it out if it is new.</summary>
        public Action<ClaimResult> OnClaim { get; set; }

        /// <summary>Called for each recording that is stored or given up, also for those of an earlier start of the game.</summary>
        public Action<RecordingResult> OnRecording { get; set; }

        /// <summary>Called for failures that the client survives: of the storage, and those after which it waits and tries again.</summary>
        public Action<LeaderboardException> OnTrouble { get; set; }
    }

    /// <summary>The options with every default.</summary>
    internal sealed class Settings
    {
        readonly LeaderboardOptions options;

        internal Settings(LeaderboardOptions options)
        {
            if (options == null) throw new ArgumentNullException("options");
            if (string.IsNullOrEmpty(options.Url)) throw new ArgumentException("Url is required: the address of the service.", "options");
            if (string.IsNullOrEmpty(options.GameId)) throw new ArgumentException("GameId is required.", "options");
            this.options = options;
            Url = options.Url.TrimEnd('/');
            GameId = options.GameId;
            Device = options.Device;
            PlayerName = options.PlayerName;
            Proof = options.Proof;
            Platform = options.Platform;
            Metadata = options.Metadata;
            TestMode = options.TestMode;
            Storage = options.Storage ?? Defaults.Storage;
            Transport = options.Transport ?? Defaults.Transport;
            Clock = options.Clock ?? Defaults.Clock;
            Context = options.Context ?? SynchronizationContext.Current ?? new Strand();
            TimeoutMs = options.TimeoutMs;
            DeadlineMs = options.DeadlineMs;
            RetryFirstMs = options.RetryFirstMs;
            RetryMostMs = options.RetryMostMs;
            QueueLimit = Math.Max(1, options.QueueLimit);
            HeaderPrefix = options.HeaderPrefix;
        }

        internal readonly string Url;
        internal readonly string GameId;
        internal readonly string Device;
        internal readonly string PlayerName;
        internal readonly Func<Task<Proof>> Proof;
        internal readonly string Platform;
        internal readonly IDictionary<string, object> Metadata;
        internal readonly bool TestMode;
        internal readonly IStorage Storage;
        internal readonly ITransport Transport;
        internal readonly IClock Clock;
        internal readonly SynchronizationContext Context;
        internal readonly int TimeoutMs;
        internal readonly int DeadlineMs;
        internal readonly int RetryFirstMs;
        internal readonly int RetryMostMs;
        internal readonly int QueueLimit;
        internal readonly string HeaderPrefix;

        internal void Result(SubmitResult result)
        {
            Later(() => options.OnResult?.Invoke(result));
        }

        internal void Recording(RecordingResult result)
        {
            Later(() => options.OnRecording?.Invoke(result));
        }

        /// <summary>Called for each run that leaves the queue without being counted.</summary>
        internal Action<Run> Gone = run => { };

        internal void Dropped(Run run, LeaderboardException error)
        {
            Gone(run);
            Later(() => options.OnDropped?.Invoke(run, error));
        }

        internal void Claim(ClaimResult result)
        {
            Later(() => options.OnClaim?.Invoke(result));
        }

        internal void Trouble(LeaderboardException error)
        {
            Later(() => options.OnTrouble?.Invoke(error));
        }

        internal void StorageTrouble(Exception error)
        {
            Trouble(new LeaderboardException(ErrorCodes.Storage, error.Message));
        }

        /// <summary>Once the work at hand is done: a fault of the game's callback ends none of the work here.</summary>
        internal void Later(Action call)
        {
            Context.Post(_ => call(), null);
        }
    }
}
