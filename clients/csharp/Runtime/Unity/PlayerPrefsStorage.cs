#if UNITY_5_3_OR_NEWER
using System.Threading.Tasks;
using UnityEngine;

namespace LeaderboardClient
{
    /// <summary>Keeps texts in PlayerPrefs, which a browser has in IndexedDB: at most 1 MB with all others of the game.</summary>
    public sealed class PlayerPrefsStorage : IStorage
    {
        public Task<string> ReadAsync(string name)
        {
            return Task.FromResult(PlayerPrefs.HasKey(name) ? PlayerPrefs.GetString(name) : null);
        }

        public Task WriteAsync(string name, string text)
        {
            PlayerPrefs.SetString(name, text);
            PlayerPrefs.Save();
            return Task.FromResult(true);
        }
    }
}
#endif
