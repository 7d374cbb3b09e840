using System;
using System.Threading;
using System.Threading.Tasks;

namespace LeaderboardClient
{
    internal static class Tasks
    {
        /// <summary>The work's task; a failed one if it fails immediately.</summary>
        internal static async Task<T> Begin<T>(Func<Task<T>> work)
        {
            return await work();
        }

        /// <exception cref="LeaderboardException">NETWORK: the task failed.</exception>
        internal static async Task<HttpAnswer> AnswerOf(Task<HttpAnswer> sending)
        {
            try
            {
                return await sending;
            }
            catch (Exception error)
            {
                var cause = error.GetBaseException();
                throw new LeaderboardException(ErrorCodes.Network, cause.Message);
            }
        }

        /// <summary>Its result has no reader any more, and its failure is no unobserved one.</summary>
        internal static void Forget(Task task)
        {
            var options = TaskContinuationOptions.OnlyOnFaulted | TaskContinuationOptions.ExecuteSynchronously;
            task.ContinueWith(failed => failed.Exception, CancellationToken.None, options, TaskScheduler.Default);
        }

        /// <summary>The work's result, or the end of the wait as soon as it is cancelled.</summary>
        internal static async Task<T> Until<T>(Task<T> work, CancellationToken cancel)
        {
            if (!cancel.CanBeCanceled) return await work;
            var cancelled = new TaskCompletionSource<bool>(TaskCreationOptions.RunContinuationsAsynchronously);
            using (cancel.Register(() => cancelled.TrySetResult(true)))
                await Task.WhenAny(work, cancelled.Task);
            if (work.IsCompleted) return await work;
            Forget(work);
            throw new OperationCanceledException(cancel);
        }

        /// <summary>Runs work on a context; immediately on the caller's own.</summary>
        internal static Task<T> On<T>(SynchronizationContext context, Func<Task<T>> work)
        {
            if (SynchronizationContext.Current == context) return work();
            var done = new TaskCompletionSource<T>(TaskCreationOptions.RunContinuationsAsynchronously);
            context.Post(async _ =>
            {
                try
                {
                    done.TrySetResult(await work());
                }
                catch (OperationCanceledException)
                {
                    done.TrySetCanceled();
                }
                catch (Exception error)
                {
                    done.TrySetException(error);
                }
            }, null);
            return done.Task;
        }
    }
}
