using System.Collections.Generic;
using System.Threading;

namespace LeaderboardClient
{
    /// <summary>Runs one thing after the other on the threads of the process: the context of a client in a program that has none.</summary>
    internal sealed class Strand : SynchronizationContext
    {
        readonly Queue<KeyValuePair<SendOrPostCallback, object>> waiting = new Queue<KeyValuePair<SendOrPostCallback, object>>();
        bool isRunning;

        public override void Post(SendOrPostCallback work, object state)
        {
            lock (waiting)
            {
                waiting.Enqueue(new KeyValuePair<SendOrPostCallback, object>(work, state));
                if (isRunning) return;
                isRunning = true;
            }
            ThreadPool.QueueUserWorkItem(Run);
        }

        public override SynchronizationContext CreateCopy()
        {
            return this;
        }

        void Run(object nothing)
        {
            var before = Current;
            SetSynchronizationContext(this);
            try
            {
                for (; ; )
                {
                    KeyValuePair<SendOrPostCallback, object> next;
                    lock (waiting)
                    {
                        if (waiting.Count == 0)
                        {
                            isRunning = false;
                            return;
                        }
                        next = waiting.Dequeue();
                    }
                    next.Key(next.Value);
                }
            }
            finally
            {
                SetSynchronizationContext(before);
            }
        }
    }
}
