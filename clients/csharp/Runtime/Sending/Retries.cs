using System;
using System.Threading;
using System.Threading.Tasks;

namespace LeaderboardClient
{
    /// <summary>The waits after failures.</summary>
    internal sealed class Retries
    {
        readonly Settings settings;
        readonly Random random = new Random(Guid.NewGuid().GetHashCode());

        internal Retries(Settings settings)
        {
            this.settings = settings;
        }

        /// <summary>Milliseconds after the nth failure in a row: what the service asks for, otherwise half to all of a growing span.</summary>
        internal long PauseAfter(int failures, LeaderboardException error)
        {
            // All were told to wait equally long, so they return one after the other.
            if (error.RetryAfterSeconds != null)
                return (long)Math.Ceiling(error.RetryAfterSeconds.Value * 1000 + random.NextDouble() * settings.RetryFirstMs);
            var most = Math.Min(settings.RetryMostMs, settings.RetryFirstMs * Math.Pow(2, Math.Min(failures - 1, 30)));
            return (long)Math.Ceiling(most * (0.5 + random.NextDouble() / 2));
        }

        /// <summary>Tries a read again after temporary failures, within the deadline, by default the client's.</summary>
        internal async Task<T> RunAsync<T>(Func<Task<T>> read, CancellationToken cancel, int? deadlineMs = null)
        {
            var end = settings.Clock.Elapsed + (deadlineMs ?? settings.DeadlineMs);
            for (var failures = 1; ; failures += 1)
            {
                long pause;
                try
                {
                    return await read();
                }
                catch (LeaderboardException error)
                {
                    pause = PauseAfter(failures, error);
                    if (!error.IsTemporary || settings.Clock.Elapsed + pause > end) throw;
                }
                await settings.Clock.Delay(pause, cancel);
            }
        }
    }

    /// <summary>A wait that another part ends early.</summary>
    internal sealed class Pause
    {
        readonly IClock clock;
        CancellationTokenSource waiting;

        internal Pause(IClock clock)
        {
            this.clock = clock;
        }

        internal async Task ForAsync(long ms)
        {
            using (waiting = new CancellationTokenSource())
            {
                await Task.WhenAny(clock.Delay(ms, waiting.Token));
                waiting = null;
            }
        }

        internal void Wake()
        {
            var ended = waiting;
            waiting = null;
            if (ended != null) ended.Cancel();
        }
    }
}
