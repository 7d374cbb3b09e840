using System;
using System.Collections.Generic;
using System.Globalization;
using System.Text;
using System.Threading;
using System.Threading.Tasks;

namespace LeaderboardClient
{
    /// <summary>Requests of the service with their time limit, and their responses as values or errors.</summary>
    internal sealed class Requests
    {
        const double LongestRetryAfter = 3600;

        /// <summary>Bytes a millisecond of the slowest connection that sends a file.</summary>
        const int Slowest = 20;

        readonly Settings settings;

        internal Requests(Settings settings)
        {
            this.settings = settings;
        }

        /// <param name="query">null values are left out</param>
        internal HttpCall Call(string method, string path, string token, IDictionary<string, object> query = null, object body = null)
        {
            var url = new StringBuilder(settings.Url).Append(path);
            var separator = '?';
            foreach (var member in query ?? new Dictionary<string, object>())
            {
                if (member.Value == null) continue;
                var value = member.Value is string ? (string)member.Value : Json.Write(member.Value);
                url.Append(separator).Append(member.Key).Append('=').Append(Uri.EscapeDataString(value));
                separator = '&';
            }
            var call = new HttpCall(method, url.ToString());
            if (token != null) call.Headers["authorization"] = "Bearer " + token;
            if (body != null) call.Body = Json.Write(body);
            return call;
        }

        /// <exception cref="LeaderboardException">Every answer that is not the service's success.</exception>
        /// <exception cref="OperationCanceledException"><paramref name="cancel"/> was cancelled.</exception>
        internal async Task<T> SendAsync<T>(HttpCall call, Func<JsonRecord, T> read, CancellationToken cancel)
        {
            cancel.ThrowIfCancellationRequested();
            using (var ending = CancellationTokenSource.CreateLinkedTokenSource(cancel))
            {
                try
                {
                    var sending = Tasks.Begin(() => settings.Transport.SendAsync(call, ending.Token));
                    var limit = settings.Clock.Delay(settings.TimeoutMs + (call.File == null ? 0 : call.File.Length / Slowest), ending.Token);
                    await Task.WhenAny(sending, limit);
                    cancel.ThrowIfCancellationRequested();
                    if (!sending.IsCompleted) throw LateError(sending);
                    return Read(await Tasks.AnswerOf(sending), read);
                }
                finally
                {
                    ending.Cancel();
                }
            }
        }

        /// <summary>Reads a stream until it ends, is cancelled, or is silent for <paramref name="silenceMs"/>.</summary>
        internal async Task StreamAsync(HttpCall call, Action<string> part, int silenceMs, CancellationToken cancel)
        {
            cancel.ThrowIfCancellationRequested();
            using (var ending = CancellationTokenSource.CreateLinkedTokenSource(cancel))
            {
                try
                {
                    var heard = settings.Clock.Elapsed;
                    var most = settings.TimeoutMs;
                    Action<string> take = text =>
                    {
                        heard = settings.Clock.Elapsed;
                        most = silenceMs;
                        if (!ending.IsCancellationRequested) part(text);
                    };
                    var reading = Tasks.Begin(() => settings.Transport.StreamAsync(call, take, ending.Token));
                    while (!reading.IsCompleted)
                    {
                        var left = heard + most - settings.Clock.Elapsed;
                        if (left <= 0) throw LateError(reading);
                        using (var waiting = CancellationTokenSource.CreateLinkedTokenSource(ending.Token))
                        {
                            await Task.WhenAny(reading, settings.Clock.Delay(left, waiting.Token));
                            waiting.Cancel();
                        }
                        cancel.ThrowIfCancellationRequested();
                    }
                    var answer = await Tasks.AnswerOf(reading);
                    // A whole answer instead of a stream: an error, or a page that is not the service's.
                    if (answer.Body != null) Read<object>(answer, _ => { throw new FormatException("No stream"); });
                }
                finally
                {
                    ending.Cancel();
                }
            }
        }

        LeaderboardException LateError(Task late)
        {
            Tasks.Forget(late);
            return new LeaderboardException(ErrorCodes.Timeout, "No response within " + settings.TimeoutMs + " ms.");
        }

        static T Read<T>(HttpAnswer answer, Func<JsonRecord, T> read)
        {
            var retryAfter = SecondsOf(answer.RetryAfter);
            try
            {
                var body = new JsonRecord(Json.Read(answer.Body ?? ""));
                if (answer.Status >= 200 && answer.Status < 300) return read(body);
                throw ErrorOf(body, answer.Status, retryAfter);
            }
            catch (Exception error) when (error is FormatException || error is OverflowException)
            {
                var message = "The response (" + answer.Status + ") is not from the leaderboard service. Check the URL.";
                throw new LeaderboardException(ErrorCodes.NotTheService, message, answer.Status, null, retryAfter);
            }
        }

        /// <exception cref="FormatException">The record is no error of the service.</exception>
        internal static LeaderboardException ErrorOf(JsonRecord body, int status, double? retryAfter = null)
        {
            var error = new LeaderboardException(body.Text("code"), body.Text("error"), status, body.TextOrNull("request_id"), retryAfter);
            if (error.Code == ErrorCodes.PlayerConflict && body.Has("details"))
                error.Standings = body.List("details", detail => new ConflictStandings(new JsonRecord(detail).Record("standings")));
            return error;
        }

        /// <summary>Seconds of a <c>retry-after</c>: a number, as the service sends it, at most an hour.</summary>
        static double? SecondsOf(string header)
        {
            double seconds;
            var isNumber = double.TryParse((header ?? "").Trim(), NumberStyles.AllowDecimalPoint, CultureInfo.InvariantCulture, out seconds);
            return isNumber && seconds >= 0 ? Math.Min(seconds, LongestRetryAfter) : (double?)null;
        }
    }
}
