#if UNITY_5_3_OR_NEWER
using System.IO;
using UnityEngine;

namespace LeaderboardClient
{
    /// <summary>The parts that a client has in Unity where its options name none. A browser has neither threads nor files.</summary>
    internal static class Defaults
    {
#if UNITY_WEBGL && !UNITY_EDITOR
        static readonly PlayerPrefsStorage Prefs = new PlayerPrefsStorage();

        internal static ITransport Transport
        {
            get { return new UnityWebRequestTransport(); }
        }

        internal static IStorage Storage
        {
            get { return Prefs; }
        }

        internal static IClock Clock
        {
            get { return new UnityClock(); }
        }
#else
        internal static ITransport Transport
        {
            get { return HttpClientTransport.Shared; }
        }

        internal static IStorage Storage
        {
            get { return FileStorage.At(Path.Combine(Application.persistentDataPath, "leaderboard-client")); }
        }

        internal static IClock Clock
        {
            get { return new SystemClock(); }
        }
#endif
    }
}
#endif
