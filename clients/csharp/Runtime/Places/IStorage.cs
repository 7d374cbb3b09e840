using System.Collections.Generic;
using System.Threading.Tasks;

namespace LeaderboardClient
{
    /// <summary>Keeps texts by name. A text is durable once the task of its write is done.</summary>
    public interface IStorage
    {
        /// <summary>Null: there is none.</summary>
        Task<string> ReadAsync(string name);
        Task WriteAsync(string name, string text);
    }

    /// <summary>Texts of this process: runs do not survive it.</summary>
    public sealed class MemoryStorage : IStorage
    {
        readonly Dictionary<string, string> texts = new Dictionary<string, string>();

        public Task<string> ReadAsync(string name)
        {
            string text;
            lock (texts) texts.TryGetValue(name, out text);
            return Task.FromResult(text);
        }

        public Task WriteAsync(string name, string text)
        {
            lock (texts) texts[name] = text;
            return Task.FromResult(true);
        }
    }
}
