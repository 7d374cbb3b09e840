using System;
using System.Collections.Generic;
using System.IO;
using System.Security.Cryptography;
using System.Text;
using System.Threading.Tasks;

namespace LeaderboardClient
{
    /// <summary>Keeps each text as a file of a folder. One process uses a folder at a time.</summary>
    public sealed class FileStorage : IStorage
    {
        const int LongestName = 100;

        static readonly Dictionary<string, FileStorage> Open = new Dictionary<string, FileStorage>();
        readonly string folder;

        FileStorage(string folder)
        {
            this.folder = folder;
        }

        /// <summary>The one storage of a folder, which is made with the first write.</summary>
        public static FileStorage At(string folder)
        {
            var root = Path.GetFullPath(folder);
            lock (Open)
            {
                FileStorage storage;
                if (!Open.TryGetValue(root, out storage)) Open[root] = storage = new FileStorage(root);
                return storage;
            }
        }

        public Task<string> ReadAsync(string name)
        {
            return Task.Run(() => Read(FileOf(name)));
        }

        public Task WriteAsync(string name, string text)
        {
            return Task.Run(() => Write(FileOf(name), text));
        }

        string Read(string file)
        {
            lock (this)
            {
                // The process was killed between the last two steps of a write.
                return ReadIfAny(file) ?? ReadIfAny(file + ".new");
            }
        }

        /// <summary>Null if there is no file, and only then: File.Exists says so, too, of one that cannot be reached now.</summary>
        static string ReadIfAny(string file)
        {
            try
            {
                return File.ReadAllText(file, Encoding.UTF8);
            }
            catch (FileNotFoundException)
            {
                return null;
            }
            catch (DirectoryNotFoundException)
            {
                return null;
            }
        }

        /// <summary>The whole new file is on the disk before the old one goes: a name's text is never half of one.</summary>
        void Write(string file, string text)
        {
            lock (this)
            {
                Directory.CreateDirectory(folder);
                var beside = file + ".new";
                var bytes = Encoding.UTF8.GetBytes(text);
                using (var stream = new FileStream(beside, FileMode.Create, FileAccess.Write))
                {
                    stream.Write(bytes, 0, bytes.Length);
                    stream.Flush(true);
                }
                File.Delete(file);
                File.Move(beside, file);
            }
        }

        string FileOf(string name)
        {
            var safe = Uri.EscapeDataString(name);
            if (safe.Length > LongestName)
            {
                using (var hash = SHA256.Create())
                {
                    var digest = BitConverter.ToString(hash.ComputeHash(Encoding.UTF8.GetBytes(name))).Replace("-", "");
                    safe = safe.Substring(safe.Length - LongestName / 2) + digest;
                }
            }
            return Path.Combine(folder, safe);
        }
    }
}
