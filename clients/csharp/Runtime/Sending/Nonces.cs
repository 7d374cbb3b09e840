using System;
using System.Collections.Generic;
using System.Threading;
using System.Threading.Tasks;

namespace LeaderboardClient
{
    /// <summary>Nonces that were fetched ahead, the oldest first.</summary>
    internal sealed class Nonces
    {
        /// <summary>Half of their life by default: its end is a time of the service's clock, which the device's clock may not share.</summary>
        const int GoodForMs = 30000;

        /// <summary>Fetched beyond the need, so that the next submissions are one request.</summary>
        const int Ahead = 4;
        const int Most = 100;

        readonly Sessions sessions;
        readonly IClock clock;
        readonly List<KeyValuePair<long, string>> ready = new List<KeyValuePair<long, string>>();

        internal Nonces(Sessions sessions, IClock clock)
        {
            this.sessions = sessions;
            this.clock = clock;
        }

        /// <summary>Fetches some if there are none.</summary>
        internal async Task<bool> PrepareAsync(CancellationToken cancel)
        {
            DropOld();
            if (ready.Count == 0) await FetchAsync(Ahead, cancel);
            return true;
        }

        /// <param name="count">up to 100</param>
        internal async Task<List<string>> TakeAsync(int count, CancellationToken cancel)
        {
            DropOld();
            // All of one age: a run whose nonce is too old must not be overtaken by a later one of the same request.
            if (ready.Count < count) await FetchAsync(Math.Min(count + Ahead, Most), cancel);
            if (ready.Count < count) throw new LeaderboardException(ErrorCodes.NotTheService, "The service returned too few nonces.", 200);
            var taken = ready.GetRange(0, count).ConvertAll(nonce => nonce.Value);
            ready.RemoveRange(0, count);
            return taken;
        }

        /// <summary>After one was refused, all are under suspicion.</summary>
        internal void Clear()
        {
            ready.Clear();
        }

        void DropOld()
        {
            var oldest = clock.Elapsed - GoodForMs;
            ready.RemoveAll(nonce => nonce.Key <= oldest);
        }

        async Task FetchAsync(int count, CancellationToken cancel)
        {
            var at = clock.Elapsed;
            var query = new Dictionary<string, object> { { "count", count } };
            var nonces = await sessions.GetAsync("/v1/client/nonce", query, ValuesOf, cancel);
            ready.Clear();
            foreach (var nonce in nonces) ready.Add(new KeyValuePair<long, string>(at, nonce));
        }

        static List<string> ValuesOf(JsonRecord answer)
        {
            if (answer.Has("nonces")) return answer.List("nonces", nonce => new JsonRecord(nonce).Text("nonce_value"));
            return new List<string> { answer.Text("nonce_value") };
        }
    }
}
