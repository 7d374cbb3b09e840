using System;
using System.Collections.Generic;
using System.Threading;
using System.Threading.Tasks;

namespace LeaderboardClient
{
    /// <summary>One request.</summary>
    public sealed class HttpCall
    {
        public HttpCall(string method, string url)
        {
            Method = method;
            Url = url;
            Headers = new Dictionary<string, string>();
        }

        public string Method { get; private set; }
        public string Url { get; private set; }
        public Dictionary<string, string> Headers { get; private set; }

        /// <summary>JSON; null: none.</summary>
        public string Body { get; set; }

        /// <summary>In place of <see cref="Body"/>: bytes of the type <c>application/octet-stream</c>; null: none.</summary>
        public byte[] File { get; set; }
    }

    /// <summary>A whole answer, of any status.</summary>
    public sealed class HttpAnswer
    {
        public int Status { get; set; }

        /// <summary>The header <c>retry-after</c>; null: none.</summary>
        public string RetryAfter { get; set; }
        public string Body { get; set; }
    }

    /// <summary>
    /// Sends requests, without following redirections. Where no whole answer comes, its tasks fail with any exception. Called
    /// on the client's context, where its parts are expected, too.
    /// </summary>
    public interface ITransport
    {
        Task<HttpAnswer> SendAsync(HttpCall call, CancellationToken cancel);

        /// <summary>
        /// As <see cref="SendAsync"/>, but passes the text of an answer of the type <c>text/event-stream</c> to
        /// <paramref name="part"/> as it arrives; the answer has no body then.
        /// </summary>
        Task<HttpAnswer> StreamAsync(HttpCall call, Action<string> part, CancellationToken cancel);
    }
}
