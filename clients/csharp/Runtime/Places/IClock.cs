using System;
using System.Diagnostics;
using System.Threading;
using System.Threading.Tasks;

namespace LeaderboardClient
{
    /// <summary>Milliseconds. The device's clock may be wrong: <see cref="Now"/> is only compared with itself.</summary>
    public interface IClock
    {
        long Now { get; }

        /// <summary>Never goes back; any origin.</summary>
        long Elapsed { get; }

        /// <summary>Ends as cancelled with its token.</summary>
        Task Delay(long ms, CancellationToken cancel);
    }

    public class SystemClock : IClock
    {
        static readonly DateTime Epoch = new DateTime(1970, 1, 1, 0, 0, 0, DateTimeKind.Utc);

        public virtual long Now
        {
            get { return (long)(DateTime.UtcNow - Epoch).TotalMilliseconds; }
        }

        public virtual long Elapsed
        {
            get { return (long)(Stopwatch.GetTimestamp() * 1000.0 / Stopwatch.Frequency); }
        }

        public virtual Task Delay(long ms, CancellationToken cancel)
        {
            return Task.Delay((int)Math.Min(Math.Max(ms, 0), int.MaxValue), cancel);
        }
    }
}
