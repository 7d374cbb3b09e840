using System;
using System.Threading;
using System.Threading.Tasks;

namespace LeaderboardClient
{
    public sealed partial class Leaderboard
    {
        /// <summary>A player waits for the start of a run.</summary>
        const int StartDeadlineMs = 5000;

        /// <summary>
        /// Starts a run: gets its ticket, or one that was fetched ahead where the service can't be reached. Its task never fails, but may be cancelled:
        /// <see cref="GameRun.Counts"/> and <see cref="GameRun.Error"/> say if it has one.
        /// </summary>
        /// <param name="gameVersion">stored with the run: up to 32 bytes</param>
        /// <param name="deadlineMs">for the ticket, retries included; 5 seconds by default</param>
        public Task<GameRun> StartRunAsync(
            string boardId, string gameVersion = null, int? deadlineMs = null, CancellationToken cancel = default(CancellationToken))
        {
            var origin = settings.Clock.Elapsed;
            return Tasks.On(settings.Context, () => StartAsync(boardId, gameVersion, deadlineMs ?? StartDeadlineMs, origin, cancel));
        }

        async Task<GameRun> StartAsync(string boardId, string gameVersion, int deadlineMs, long origin, CancellationToken cancel)
        {
            var own = await parts;
            LeaderboardException error;
            using (var ending = CancellationTokenSource.CreateLinkedTokenSource(cancel, closed.Token))
            {
                var key = RandomKey();
                // With a ticket at hand nobody waits for a second attempt.
                var patience = await own.Tickets.CountAsync(boardId) > 0 ? 0 : deadlineMs;
                var asking = retries.RunAsync(() => own.Tickets.AskAsync(boardId, null, gameVersion, key, ending.Token), ending.Token, patience);
                await Task.WhenAny(asking, settings.Clock.Delay(deadlineMs, ending.Token));
                var isLate = !asking.IsCompleted && !ending.IsCancellationRequested;
                ending.Cancel();
                try
                {
                    var issued = await asking;
                    return new GameRun(this, settings.Clock, boardId, origin, issued.Tickets[0], issued.AttemptsLeft, null);
                }
                catch (LeaderboardException thrown)
                {
                    error = thrown;
                }
                catch (OperationCanceledException) when (isLate)
                {
                    error = new LeaderboardException(ErrorCodes.Timeout, "No ticket within " + deadlineMs + " ms.");
                }
            }
            // The board has no tickets.
            if (error.Code == ErrorCodes.BadRequest) return new GameRun(this, settings.Clock, boardId, origin, null, null, null);
            var kept = error.IsTemporary ? await own.Tickets.TakeAsync(boardId) : null;
            return new GameRun(this, settings.Clock, boardId, origin, kept, null, kept == null ? error : null);
        }

        /// <summary>
        /// Fetches tickets for runs without a connection until so many of the board are stored: up to its <c>advance</c>. Call it while
        /// there is a connection, for example at each start of the game. Where attempts are limited, each takes one.
        /// </summary>
        /// <returns>How many are stored.</returns>
        /// <exception cref="LeaderboardException">
        /// BAD_REQUEST: the board has no tickets, or not so many; ATTEMPTS_USED_UP; STORAGE: they could not be stored.
        /// </exception>
        public Task<int> FetchTicketsAsync(
            string boardId, int count, string gameVersion = null, CancellationToken cancel = default(CancellationToken))
        {
            var key = RandomKey();
            return Retried(own => Turns.Of(settings.Storage, "tickets " + boardId).RunAsync(async () =>
            {
                var have = await own.Tickets.CountAsync(boardId);
                if (have >= count) return have;
                var issued = await own.Tickets.AskAsync(boardId, count - have, gameVersion, key, cancel);
                try
                {
                    await own.Tickets.AddAsync(issued.Tickets);
                }
                catch (Exception error)
                {
                    throw new LeaderboardException(ErrorCodes.Storage, error.Message);
                }
                return have + issued.Tickets.Count;
            }), cancel);
        }
    }
}
