using System;
using System.Collections.Generic;
using System.Threading;
using System.Threading.Tasks;

namespace LeaderboardClient
{
    public sealed partial class Leaderboard
    {
        /// <summary>Rewards of the player, open ones first, page by page.</summary>
        public Pages<Reward> Rewards(int? limit = null)
        {
            return PagesOf("/v1/client/rewards", new Dictionary<string, object> { { "limit", limit } }, record => new Reward(record));
        }

        /// <summary>
        /// Claims a reward and sends it until it is answered; safe to repeat. Its task never fails. It ends as
        /// <see cref="ClaimQueued"/> at the deadline or when <paramref name="cancel"/> is cancelled: the claim stays stored.
        /// </summary>
        public Task<ClaimResult> ClaimAsync(string rewardId, int? deadlineMs = null, CancellationToken cancel = default(CancellationToken))
        {
            return Tasks.On(settings.Context, async () =>
            {
                using (var ending = CancellationTokenSource.CreateLinkedTokenSource(cancel, closed.Token))
                {
                    var late = settings.Clock.Delay(deadlineMs ?? settings.DeadlineMs, ending.Token);
                    var own = await parts;
                    var result = await own.Claims.ClaimAsync(rewardId, late);
                    ending.Cancel();
                    return result;
                }
            });
        }

        /// <summary>
        /// Calls <paramref name="onReward"/> with each open reward of the player, then with each that is granted, each once.
        /// Connects again when the connection breaks. The task ends when <paramref name="cancel"/> is cancelled or the client is closed.
        /// </summary>
        /// <exception cref="LeaderboardException">An error that another attempt does not change.</exception>
        public Task WatchRewardsAsync(Action<Reward> onReward, CancellationToken cancel = default(CancellationToken))
        {
            var told = new HashSet<string>();
            var watched = new Watched
            {
                Kind = "reward",
                Path = "/v1/client/rewards/live",
                Take = record =>
                {
                    var reward = new Reward(record);
                    return told.Add(reward.Id) ? () => onReward(reward) : (Action)null;
                },
            };
            return FollowAsync(watched, cancel);
        }
    }
}
