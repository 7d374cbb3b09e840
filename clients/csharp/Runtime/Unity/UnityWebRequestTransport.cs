#if UNITY_5_3_OR_NEWER
using System;
using System.IO;
using System.Text;
using System.Threading;
using System.Threading.Tasks;
using UnityEngine.Networking;

namespace LeaderboardClient
{
    /// <summary>Requests through UnityWebRequest, which browsers need. Works on Unity's main thread.</summary>
    public sealed class UnityWebRequestTransport : ITransport
    {
        public async Task<HttpAnswer> SendAsync(HttpCall call, CancellationToken cancel)
        {
            var buffer = new DownloadHandlerBuffer();
            using (var request = RequestOf(call, buffer))
            {
                await EndOf(request, cancel);
                return AnswerOf(request, buffer.text ?? "");
            }
        }

        public async Task<HttpAnswer> StreamAsync(HttpCall call, Action<string> part, CancellationToken cancel)
        {
            var parts = new Parts(part);
            using (var request = RequestOf(call, parts))
            {
                parts.Request = request;
                await EndOf(request, cancel);
                return AnswerOf(request, parts.IsStream ? null : parts.Whole());
            }
        }

        static UnityWebRequest RequestOf(HttpCall call, DownloadHandler handler)
        {
            var request = new UnityWebRequest(call.Url, call.Method) { downloadHandler = handler, redirectLimit = 0 };
            foreach (var header in call.Headers) request.SetRequestHeader(header.Key, header.Value);
            if (call.Body != null)
                request.uploadHandler = new UploadHandlerRaw(Encoding.UTF8.GetBytes(call.Body)) { contentType = "application/json" };
            if (call.File != null) request.uploadHandler = new UploadHandlerRaw(call.File) { contentType = "application/octet-stream" };
            return request;
        }

        static async Task EndOf(UnityWebRequest request, CancellationToken cancel)
        {
            var done = new TaskCompletionSource<bool>();
            var main = SynchronizationContext.Current;
            var isOver = false;
            // A game may cancel from another thread.
            using (cancel.Register(() => main.Post(_ =>
            {
                if (!isOver) request.Abort();
            }, null)))
            {
                request.SendWebRequest().completed += _ => done.TrySetResult(true);
                await done.Task;
                isOver = true;
            }
            if (request.responseCode == 0) throw new IOException(request.error ?? "No response");
        }

        static HttpAnswer AnswerOf(UnityWebRequest request, string body)
        {
            return new HttpAnswer
            {
                Status = (int)request.responseCode,
                RetryAfter = request.GetResponseHeader("retry-after"),
                Body = body,
            };
        }

        /// <summary>Passes the text of a stream on, and keeps every other answer.</summary>
        sealed class Parts : DownloadHandlerScript
        {
            readonly Action<string> part;
            readonly Decoder decoder = Encoding.UTF8.GetDecoder();
            readonly StringBuilder whole = new StringBuilder();
            bool? isStream;
            internal UnityWebRequest Request;

            internal Parts(Action<string> part) : base(new byte[8192])
            {
                this.part = part;
            }

            internal bool IsStream
            {
                get { return isStream == true; }
            }

            internal string Whole()
            {
                return whole.ToString();
            }

            protected override bool ReceiveData(byte[] data, int dataLength)
            {
                if (isStream == null)
                {
                    var type = Request.GetResponseHeader("content-type") ?? "";
                    isStream = Request.responseCode == 200 && type.StartsWith("text/event-stream", StringComparison.OrdinalIgnoreCase);
                }
                var letters = new char[dataLength + 1];
                var text = new string(letters, 0, decoder.GetChars(data, 0, dataLength, letters, 0));
                if (IsStream) part(text);
                else whole.Append(text);
                return true;
            }
        }
    }
}
#endif
