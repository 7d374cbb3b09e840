using System;
using System.Collections.Generic;
using System.Runtime.CompilerServices;
using System.Threading.Tasks;

namespace LeaderboardClient
{
    /// <summary>Lets one piece of work run at a time, in the order of their calls. Clients that share a storage share its turns.</summary>
    internal sealed class Turns
    {
        static readonly ConditionalWeakTable<IStorage, Dictionary<string, Turns>> All =
            new ConditionalWeakTable<IStorage, Dictionary<string, Turns>>();

        readonly Queue<TaskCompletionSource<bool>> waiting = new Queue<TaskCompletionSource<bool>>();
        bool isTaken;

        internal static Turns Of(IStorage storage, string name)
        {
            var ofStorage = All.GetOrCreateValue(storage);
            lock (ofStorage)
            {
                Turns turns;
                if (!ofStorage.TryGetValue(name, out turns)) ofStorage[name] = turns = new Turns();
                return turns;
            }
        }

        internal async Task<T> RunAsync<T>(Func<Task<T>> work)
        {
            await Enter();
            try
            {
                return await work();
            }
            finally
            {
                Leave();
            }
        }

        Task Enter()
        {
            lock (waiting)
            {
                if (!isTaken)
                {
                    isTaken = true;
                    return Task.FromResult(true);
                }
                var turn = new TaskCompletionSource<bool>(TaskCreationOptions.RunContinuationsAsynchronously);
                waiting.Enqueue(turn);
                return turn.Task;
            }
        }

        void Leave()
        {
            lock (waiting)
            {
                if (waiting.Count > 0) waiting.Dequeue().TrySetResult(true);
                else isTaken = false;
            }
        }
    }
}
