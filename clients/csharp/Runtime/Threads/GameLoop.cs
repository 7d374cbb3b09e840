using System.Collections.Generic;
using System.Threading;

namespace LeaderboardClient
{
    /// <summary>
    /// Brings results and callbacks to the thread of the game's loop in engines that do not do so by themselves, e.g. MonoGame:
    /// <see cref="Install"/> at the start, <see cref="Run"/> once a frame. Unity and Godot have their own.
    /// </summary>
    public sealed class GameLoop : SynchronizationContext
    {
        readonly Queue<KeyValuePair<SendOrPostCallback, object>> waiting = new Queue<KeyValuePair<SendOrPostCallback, object>>();

        /// <summary>Makes one the context of this thread.</summary>
        public static GameLoop Install()
        {
            var loop = new GameLoop();
            SetSynchronizationContext(loop);
            return loop;
        }

        public override void Post(SendOrPostCallback work, object state)
        {
            lock (waiting) waiting.Enqueue(new KeyValuePair<SendOrPostCallback, object>(work, state));
        }

        public override SynchronizationContext CreateCopy()
        {
            return this;
        }

        /// <summary>Does what has arrived since the last frame, and what follows from it immediately. Exceptions of the game's callbacks pass through.</summary>
        public void Run()
        {
            for (; ; )
            {
                KeyValuePair<SendOrPostCallback, object> next;
                lock (waiting)
                {
                    if (waiting.Count == 0) return;
                    next = waiting.Dequeue();
                }
                next.Key(next.Value);
            }
        }
    }
}
