#if !UNITY_5_3_OR_NEWER
using System;
using System.IO;

namespace LeaderboardClient
{
    /// <summary>The parts that a client has where its options name none. Unity/UnityDefaults.cs has those for Unity.</summary>
    internal static class Defaults
    {
        internal static ITransport Transport
        {
            get { return HttpClientTransport.Shared; }
        }

        internal static IStorage Storage
        {
            get
            {
                var folder = Environment.GetFolderPath(Environment.SpecialFolder.LocalApplicationData);
                return folder == "" ? (IStorage)new MemoryStorage() : FileStorage.At(Path.Combine(folder, "leaderboard-client"));
            }
        }

        internal static IClock Clock
        {
            get { return new SystemClock(); }
        }
    }
}
#endif
