using System;
using System.Linq;
using System.Net;
using System.Net.Http;
using System.Text;
using System.Threading;
using System.Threading.Tasks;

namespace LeaderboardClient
{
    /// <summary>Requests through <see cref="HttpClient"/>. One for all clients of a process.</summary>
    public sealed class HttpClientTransport : ITransport
    {
        const int PartSize = 8192;

        static readonly Lazy<HttpClientTransport> Common = new Lazy<HttpClientTransport>(() => new HttpClientTransport());
        readonly HttpClient http;

        /// <param name="connections">open at the same time to one address; each watched board needs one</param>
        public HttpClientTransport(int connections = 32)
        {
            // Both runtimes of Unity and Mono take the bound of a handler from here.
            ServicePointManager.DefaultConnectionLimit = Math.Max(connections, ServicePointManager.DefaultConnectionLimit);
            http = new HttpClient(new HttpClientHandler { AllowAutoRedirect = false, UseCookies = false })
            {
                // The client has limits of its own, and a stream has none.
                Timeout = Timeout.InfiniteTimeSpan,
            };
            http.DefaultRequestHeaders.ExpectContinue = false;
        }

        public static HttpClientTransport Shared
        {
            get { return Common.Value; }
        }

        public async Task<HttpAnswer> SendAsync(HttpCall call, CancellationToken cancel)
        {
            using (var response = await http.SendAsync(RequestOf(call), HttpCompletionOption.ResponseContentRead, cancel))
                return await AnswerOf(response);
        }

        public async Task<HttpAnswer> StreamAsync(HttpCall call, Action<string> part, CancellationToken cancel)
        {
            using (var response = await http.SendAsync(RequestOf(call), HttpCompletionOption.ResponseHeadersRead, cancel))
            // A read that waits ends by this alone on some runtimes.
            using (cancel.Register(response.Dispose))
            {
                var type = response.Content.Headers.ContentType;
                var isStream = response.IsSuccessStatusCode && type != null && type.MediaType == "text/event-stream";
                if (!isStream) return await AnswerOf(response);
                var decoder = Encoding.UTF8.GetDecoder();
                var bytes = new byte[PartSize];
                var letters = new char[PartSize + 1];
                using (var stream = await response.Content.ReadAsStreamAsync())
                {
                    for (; ; )
                    {
                        var count = await stream.ReadAsync(bytes, 0, bytes.Length, cancel);
                        if (count == 0) return new HttpAnswer { Status = (int)response.StatusCode };
                        part(new string(letters, 0, decoder.GetChars(bytes, 0, count, letters, 0)));
                    }
                }
            }
        }

        static HttpRequestMessage RequestOf(HttpCall call)
        {
            var request = new HttpRequestMessage(new HttpMethod(call.Method), call.Url);
            foreach (var header in call.Headers) request.Headers.TryAddWithoutValidation(header.Key, header.Value);
            if (call.Body != null) request.Content = new StringContent(call.Body, Encoding.UTF8, "application/json");
            if (call.File != null)
            {
                request.Content = new ByteArrayContent(call.File);
                request.Content.Headers.ContentType = new System.Net.Http.Headers.MediaTypeHeaderValue("application/octet-stream");
            }
            return request;
        }

        static async Task<HttpAnswer> AnswerOf(HttpResponseMessage response)
        {
            System.Collections.Generic.IEnumerable<string> after;
            return new HttpAnswer
            {
                Status = (int)response.StatusCode,
                RetryAfter = response.Headers.TryGetValues("retry-after", out after) ? after.FirstOrDefault() : null,
                Body = Encoding.UTF8.GetString(await response.Content.ReadAsByteArrayAsync()),
            };
        }
    }
}
