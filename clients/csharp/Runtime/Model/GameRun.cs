using System;
using System.Collections.Generic;
using System.Security.Cryptography;
using System.Threading;
using System.Threading.Tasks;

namespace LeaderboardClient
{
    /// <summary>
    /// A run that is being played. Its time runs from <see cref="Leaderboard.StartRunAsync"/> or, if the game calls it, from
    /// <see cref="Begin"/>. Call its methods from one thread.
    /// </summary>
    public sealed class GameRun
    {
        /// <summary>The service's bound.</summary>
        const int MostSplits = 64;

        readonly Leaderboard leaderboard;
        readonly IClock clock;
        readonly string ticket;
        readonly long origin;
        List<long> splits = new List<long>();
        long before;
        long? since;

        /// <param name="ticket">null: it has none</param>
        /// <param name="origin">when its ticket was requested, by the clock that never goes back</param>
        internal GameRun(
            Leaderboard leaderboard, IClock clock, string boardId, long origin, Ticket ticket, int? attemptsLeft, LeaderboardException error)
        {
            this.leaderboard = leaderboard;
            this.clock = clock;
            this.origin = origin;
            BoardId = boardId;
            Error = error;
            AttemptsLeft = attemptsLeft;
            since = clock.Elapsed;
            if (ticket == null) return;
            this.ticket = ticket.Text;
            Seed = ticket.Seed;
            Attempt = ticket.Attempt;
            ExpiresAt = ticket.ExpiresAt;
        }

        public string BoardId { get; private set; }

        /// <summary>
        /// False: it has no ticket, and <see cref="Error"/> says why. A board that requires tickets will refuse it, so tell the player
        /// before it begins. True as well on boards without tickets.
        /// </summary>
        public bool Counts
        {
            get { return Error == null; }
        }

        /// <summary>Seed for the game's random numbers, 0 to 2147483647; null: the board gives none.</summary>
        public int? Seed { get; private set; }

        /// <summary>Which of the limited attempts it is, from 1; null: they are not limited.</summary>
        public int? Attempt { get; private set; }

        /// <summary>Attempts that are left after it; null: not limited, or not known.</summary>
        public int? AttemptsLeft { get; private set; }

        /// <summary>When the run must be submitted; null: there is no limit.</summary>
        public DateTimeOffset? ExpiresAt { get; private set; }

        public LeaderboardException Error { get; private set; }

        /// <summary>Milliseconds played so far, without pauses.</summary>
        public long PlayedMs
        {
            get { return before + (since == null ? 0 : clock.Elapsed - since.Value); }
        }

        /// <summary>The player begins now: what passed since the start, such as loading, is idle time.</summary>
        public void Begin()
        {
            before = 0;
            since = clock.Elapsed;
            splits = new List<long>();
        }

        public void Pause()
        {
            before = PlayedMs;
            since = null;
        }

        public void Resume()
        {
            since = since ?? clock.Elapsed;
        }

        /// <summary>Notes that the run passes its next point. Those beyond 64 are not kept.</summary>
        /// <returns>Milliseconds played until then.</returns>
        public long Split()
        {
            var at = PlayedMs;
            if (splits.Count < MostSplits && at <= int.MaxValue) splits.Add(at);
            return at;
        }

        /// <summary>As the other one, with the client's player name.</summary>
        public Task<SubmitResult> FinishAsync(double value)
        {
            return FinishAsync(new Submission(BoardId, value));
        }

        /// <summary>
        /// Ends the run and submits it, as <see cref="Leaderboard.SubmitAsync(Submission, int?, CancellationToken)"/> does.
        /// </summary>
        /// <param name="submission">of the run's board</param>
        public Task<SubmitResult> FinishAsync(
            Submission submission, int? deadlineMs = null, CancellationToken cancel = default(CancellationToken), byte[] recording = null)
        {
            Pause();
            submission.RunMs = submission.RunMs ?? before;
            submission.Splits = splits.Count > 0 ? splits : null;
            submission.Ticket = ticket;
            if (recording != null)
                using (var hash = SHA256.Create())
                    submission.RecordingHash = BitConverter.ToString(hash.ComputeHash(recording)).Replace("-", "").ToLowerInvariant();
            if (ticket != null) submission.IdleMs = Math.Max(0, clock.Elapsed - origin - before);
            // What another attempt would not change will be refused for its missing ticket.
            var isFinal = Error != null && !Error.IsTemporary && Error.Status != 401;
            return leaderboard.SubmitAsync(submission, deadlineMs, cancel, isFinal ? Error : null, recording);
        }
    }
}
