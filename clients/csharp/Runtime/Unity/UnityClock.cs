#if UNITY_5_3_OR_NEWER
using System.Collections.Generic;
using System.Threading;
using System.Threading.Tasks;
using UnityEngine;

namespace LeaderboardClient
{
    /// <summary>A clock whose waits end with a frame: a browser has no thread for timers.</summary>
    public sealed class UnityClock : SystemClock
    {
        public override Task Delay(long ms, CancellationToken cancel)
        {
            return Frames.Shared.Wait(this, Elapsed + ms, cancel);
        }

        sealed class Waiting
        {
            internal IClock Clock;
            internal long End;
            internal CancellationToken Cancel;
            internal readonly TaskCompletionSource<bool> Done = new TaskCompletionSource<bool>();
        }

        /// <summary>An object of the scene that lasts as long as the game.</summary>
        sealed class Frames : MonoBehaviour
        {
            static Frames shared;
            readonly List<Waiting> waiting = new List<Waiting>();

            internal static Frames Shared
            {
                get
                {
                    if (shared == null)
                    {
                        var holder = new GameObject("Leaderboard clock") { hideFlags = HideFlags.HideAndDontSave };
                        DontDestroyOnLoad(holder);
                        shared = holder.AddComponent<Frames>();
                    }
                    return shared;
                }
            }

            internal Task Wait(IClock clock, long end, CancellationToken cancel)
            {
                var one = new Waiting { Clock = clock, End = end, Cancel = cancel };
                waiting.Add(one);
                return one.Done.Task;
            }

            void Update()
            {
                // Those that end may bring new ones.
                var before = waiting.ToArray();
                foreach (var one in before)
                {
                    var isOver = one.Cancel.IsCancellationRequested || one.Clock.Elapsed >= one.End;
                    if (!isOver) continue;
                    waiting.Remove(one);
                    if (one.Cancel.IsCancellationRequested) one.Done.TrySetCanceled();
                    else one.Done.TrySetResult(true);
                }
            }
        }
    }
}
#endif
