using System;
using System.Collections.Generic;
using System.Linq;
using System.Threading.Tasks;

namespace LeaderboardClient
{
    /// <summary>Runs that wait, oldest first, in the storage that clients and later starts of the game share.</summary>
    internal sealed class RunQueue
    {
        readonly Settings settings;
        readonly string name;

        /// <summary>Runs that the storage did not take: they are stored with the next one, and last as long as this process until then.</summary>
        List<Run> unstored = new List<Run>();

        internal RunQueue(Settings settings, string name)
        {
            this.settings = settings;
            this.name = name;
        }

        internal async Task<List<Run>> ListAsync()
        {
            var runs = new List<Run>();
            try
            {
                runs = await StoredAsync();
            }
            catch (Exception error)
            {
                settings.StorageTrouble(error);
            }
            runs.AddRange(unstored);
            return runs;
        }

        /// <summary>Stores a run; it is durable afterwards as far as the storage is.</summary>
        /// <param name="sent">keys of runs that are under way, which do not give way to new ones</param>
        /// <param name="complete">called when it is the run's turn, so that no later run overtakes it</param>
        internal async Task AddAsync(Run run, ICollection<string> sent, Func<Task> complete)
        {
            try
            {
                var earlier = new List<Run>();
                await BoundAsync(runs =>
                {
                    earlier = unstored.ToList();
                    return runs.Concat(earlier).Where(other => other.Key != run.Key).Concat(new[] { run }).ToList();
                }, sent, complete);
                unstored = unstored.Except(earlier).ToList();
            }
            catch (Exception error)
            {
                settings.StorageTrouble(error);
                unstored.Add(run);
                var surplus = Math.Max(0, unstored.Count - settings.QueueLimit);
                Drop(unstored.GetRange(0, surplus));
                unstored.RemoveRange(0, surplus);
            }
        }

        /// <summary>Drops the oldest runs beyond the limit: those that were under way when newer ones came.</summary>
        internal async Task TrimAsync()
        {
            try
            {
                if ((await StoredAsync()).Count > settings.QueueLimit) await BoundAsync(runs => runs, new string[0], null);
            }
            catch (Exception error)
            {
                settings.StorageTrouble(error);
            }
        }

        internal async Task RemoveAsync(ICollection<string> keys)
        {
            unstored = unstored.Where(run => !keys.Contains(run.Key)).ToList();
            try
            {
                await ChangeAsync(runs => runs.Where(run => !keys.Contains(run.Key)).ToList());
            }
            catch (Exception error)
            {
                // They are sent again after the next start, and their keys make that harmless.
                settings.StorageTrouble(error);
            }
        }

        async Task BoundAsync(Func<List<Run>, List<Run>> change, ICollection<string> sent, Func<Task> before)
        {
            var dropped = new List<Run>();
            await ChangeAsync(stored =>
            {
                var runs = change(stored);
                var surplus = Math.Max(0, runs.Count - settings.QueueLimit);
                dropped = runs.Take(runs.Count - 1).Where(run => !sent.Contains(run.Key)).Take(surplus).ToList();
                return runs.Except(dropped).ToList();
            }, before);
            Drop(dropped);
        }

        void Drop(List<Run> runs)
        {
            var message = "More than " + settings.QueueLimit + " runs are waiting to be sent.";
            foreach (var run in runs) settings.Dropped(run, new LeaderboardException(ErrorCodes.QueueFull, message));
        }

        Task<bool> ChangeAsync(Func<List<Run>, List<Run>> change, Func<Task> before = null)
        {
            return Turns.Of(settings.Storage, name + ".lock").RunAsync(async () =>
            {
                if (before != null) await before();
                var kept = change(await StoredAsync()).Select(run => (object)run.Stored()).ToList();
                await settings.Storage.WriteAsync(name, Json.Write(kept));
                return true;
            });
        }

        /// <summary>A storage that cannot be read fails: its runs are not taken for none, and are not overwritten.</summary>
        async Task<List<Run>> StoredAsync()
        {
            var text = await settings.Storage.ReadAsync(name);
            var runs = new List<Run>();
            if (text == null) return runs;
            try
            {
                foreach (var stored in (List<object>)Json.Read(text)) runs.Add(new Run(new JsonRecord(stored)));
            }
            catch (Exception error) when (error is FormatException || error is InvalidCastException)
            {
                settings.StorageTrouble(error);
            }
            return runs;
        }
    }
}
