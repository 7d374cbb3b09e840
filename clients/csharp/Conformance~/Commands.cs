using System;
using System.Collections.Concurrent;
using System.Collections.Generic;
using System.Linq;
using System.Threading;
using System.Threading.Tasks;
using Fields = System.Collections.Generic.Dictionary<string, object>;

namespace LeaderboardClient.Conformance
{
    /// <summary>A storage in which writes of recordings' files never end while a scenario says so. One for its users, who share its turns.</summary>
    sealed class FaultyStorage : IStorage
    {
        static readonly ConcurrentDictionary<string, FaultyStorage> All = new ConcurrentDictionary<string, FaultyStorage>();

        readonly IStorage storage;
        internal volatile bool IsStuck;
        internal Action Stuck;

        FaultyStorage(string folder)
        {
            storage = FileStorage.At(folder);
        }

        internal static FaultyStorage At(string folder)
        {
            return All.GetOrAdd(folder, name => new FaultyStorage(name));
        }

        public Task<string> ReadAsync(string name)
        {
            return storage.ReadAsync(name);
        }

        public Task WriteAsync(string name, string text)
        {
            if (!IsStuck || !name.Contains(":recordings:")) return storage.WriteAsync(name, text);
            Stuck();
            return new TaskCompletionSource<bool>().Task;
        }
    }

    sealed class Commands
    {
        readonly Action<Fields> say;
        readonly ConcurrentDictionary<string, Leaderboard> clients = new ConcurrentDictionary<string, Leaderboard>();
        readonly ConcurrentDictionary<string, TurnedClock> clocks = new ConcurrentDictionary<string, TurnedClock>();
        readonly ConcurrentDictionary<string, CancellationTokenSource> watches = new ConcurrentDictionary<string, CancellationTokenSource>();

        /// <summary>Runs that are being played, by the name that the scenario has for each.</summary>
        readonly ConcurrentDictionary<string, GameRun> runs = new ConcurrentDictionary<string, GameRun>();

        /// <summary>Commands that run, by their number.</summary>
        readonly ConcurrentDictionary<double, CancellationTokenSource> running = new ConcurrentDictionary<double, CancellationTokenSource>();

        readonly ConcurrentDictionary<string, FaultyStorage> storages = new ConcurrentDictionary<string, FaultyStorage>();
        readonly SynchronizationContext context;

        internal Commands(Action<Fields> say, SynchronizationContext context)
        {
            this.say = say;
            this.context = context;
        }

        /// <summary>Takes one line; its response is written once it arrives.</summary>
        internal async void Take(string line)
        {
            var command = new Command((Fields)Json.Read(line));
            var id = command.Number("id").Value;
            using (var ending = new CancellationTokenSource())
            {
                running[id] = ending;
                try
                {
                    say(new Fields { { "id", id }, { "result", await WorkAsync(command, ending.Token) } });
                }
                catch (Exception error)
                {
                    say(new Fields { { "id", id }, { "error", ErrorOf(error) } });
                }
                CancellationTokenSource ended;
                running.TryRemove(id, out ended);
            }
        }

        async Task<Fields> WorkAsync(Command command, CancellationToken cancel)
        {
            var board = command.Text("board_id");
            var limit = (int?)command.Number("limit");
            CancellationTokenSource ended;
            if (command.Text("do") == "open") return Open(command);
            if (command.Text("do") == "cancel")
            {
                if (running.TryGetValue(command.Number("target").Value, out ended)) ended.Cancel();
                return new Fields();
            }
            if (command.Text("do") == "unwatch")
            {
                if (watches.TryRemove(command.Text("watch"), out ended)) ended.Cancel();
                return new Fields();
            }
            var client = clients[command.Text("client")];
            switch (command.Text("do"))
            {
                case "storage":
                    storages[command.Text("client")].IsStuck = command.Text("fault") == "stuck";
                    return new Fields();
                case "player":
                    return FieldsOf(await client.PlayerAsync(cancel));
                case "session":
                    return FieldsOf(await client.SessionAsync(Json.Write(command.Free("tokens"))));
                case "prove":
                    var proof = new Proof(command.Text("provider"), command.Text("token"));
                    proof.OnConflict = ChoiceOf(command);
                    proof.BoardIds = command.Texts("board_ids");
                    return FieldsOf(await client.ProveAsync(proof, cancel));
                case "link_code":
                    return new Fields { { "code", (await client.LinkCodeAsync(cancel)).Code } };
                case "redeem":
                    var redeemed = client.RedeemAsync(command.Text("code"), ChoiceOf(command), command.Texts("board_ids"), cancel);
                    return FieldsOf(await redeemed);
                case "me":
                    return FieldsOf(await client.MeAsync(cancel));
                case "unlink":
                    return new Fields { { "count", await client.UnlinkDeviceAsync(command.Text("device_id"), cancel) } };
                case "prepare":
                    await client.PrepareAsync(cancel);
                    return new Fields();
                case "submit":
                    return FieldsOf(await client.SubmitAsync(SubmissionOf(command), (int?)command.Number("deadline_ms"), cancel));
                case "start_run":
                    var begun = await client.StartRunAsync(board, command.Text("game_version"), (int?)command.Number("deadline_ms"), cancel);
                    runs[command.Text("run")] = begun;
                    return new Fields
                    {
                        { "counts", begun.Counts },
                        { "has_seed", begun.Seed != null },
                        { "attempt", begun.Attempt },
                        { "attempts_left", begun.AttemptsLeft },
                        { "code", begun.Error == null ? null : begun.Error.Code },
                    };
                case "begin":
                    runs[command.Text("run")].Begin();
                    return new Fields();
                case "pause":
                    runs[command.Text("run")].Pause();
                    return new Fields();
                case "resume":
                    runs[command.Text("run")].Resume();
                    return new Fields();
                case "split":
                    runs[command.Text("run")].Split();
                    return new Fields();
                case "finish":
                    var run = runs[command.Text("run")];
                    var end = new Submission(run.BoardId, command.Number("value").Value) { Key = command.Text("key") };
                    return FieldsOf(await run.FinishAsync(end, (int?)command.Number("deadline_ms"), cancel, BytesOf(command.Text("recording"))));
                case "fetch_tickets":
                    return new Fields { { "tickets", await client.FetchTicketsAsync(board, (int)command.Number("count").Value, null, cancel) } };
                case "flush":
                    return new Fields { { "waiting", await client.FlushAsync((int?)command.Number("deadline_ms")) } };
                case "waiting":
                    return new Fields { { "values", (await client.WaitingAsync()).Select(one => one.Value) } };
                case "top":
                    var top = await client.TopAsync(board, limit, cancel);
                    return Places(top.Items, top.HasNext);
                case "all":
                    return await All(client.Scores(board, limit), cancel);
                case "boards":
                    var boards = client.Boards(command.Text("game_id"), command.FlagOrNull("is_active"), limit);
                    return await Names(boards, one => one.Name, cancel);
                case "board":
                    return new Fields { { "id", (await client.BoardAsync(board, cancel)).Id } };
                case "mine":
                    var mine = await client.MineAsync(board, cancel);
                    return mine == null ? new Fields() : new Fields { { "rank", mine.Rank }, { "value", mine.Value } };
                case "around":
                    var around = await client.AroundAsync(board, limit, cancel);
                    var places = Places(around.Items, around.HasNext);
                    if (around.Mine != null) places["my_rank"] = around.Mine.Rank;
                    return places;
                case "around_value":
                    var window = await client.AroundValueAsync(board, command.Number("value").Value, limit, cancel);
                    return Places(window.Items, window.HasNext);
                case "watch":
                    Follow(client, command);
                    return new Fields();
                case "rewards":
                    var statuses = new List<string>();
                    var count = 0;
                    var rewards = client.Rewards(limit);
                    for (var page = await rewards.NextAsync(cancel); page != null; page = await rewards.NextAsync(cancel))
                    {
                        statuses.AddRange(page.Items.Select(reward => reward.Status));
                        count += 1;
                    }
                    return new Fields { { "statuses", statuses }, { "pages", count } };
                case "claim":
                    return ClaimOf(await client.ClaimAsync(command.Text("reward_id"), (int?)command.Number("deadline_ms"), cancel));
                case "watch_rewards":
                    Hear(client, command);
                    return new Fields();
                case "friends":
                    return await Names(client.Friends(limit), friend => friend.DisplayName, cancel);
                case "friends_ranking":
                    return await Among(client.FriendsRanking(board, limit), cancel);
                case "ranking_of":
                    return await Among(client.RankingOf(board, command.Texts("player_ids"), limit), cancel);
                case "tags":
                    return new Fields { { "tags", await client.TagsAsync(cancel) } };
                case "set_tags":
                    return new Fields { { "tags", await client.SetTagsAsync(command.Tags("tags"), cancel) } };
                case "watch_rank":
                case "watch_overtaken":
                    Own(client, command);
                    return new Fields();
                case "clock":
                    clocks[command.Text("client")].Turn(command.Number("offset_ms"), command.Number("elapsed_ms"));
                    return new Fields();
                case "close":
                    await client.CloseAsync();
                    return new Fields();
                default:
                    throw new LeaderboardException("UNKNOWN_COMMAND", command.Text("do"));
            }
        }

        Fields Open(Command command)
        {
            var storage = FaultyStorage.At(command.Text("storage"));
            storage.Stuck = () => say(new Fields { { "event", "storage" }, { "client", command.Text("client") }, { "fault", "stuck" } });
            storages[command.Text("client")] = storage;
            var name = command.Text("client");
            var proofs = new Queue<Proof>(command.Records("proofs").Select(
                one => new Proof((string)one["provider"], (string)one["token"]) { OnConflict = ChoiceOf(new Command(one)) }));
            var options = new LeaderboardOptions
            {
                Url = command.Text("url"),
                GameId = command.Text("game_id"),
                Device = command.Text("device"),
                PlayerName = command.Text("player_name"),
                TestMode = command.Flag("test_mode"),
                Proof = () => Task.FromResult(proofs.Count > 0 ? proofs.Dequeue() : null),
                Context = context,
                Storage = storage,
                Clock = clocks[name] = new TurnedClock { OffsetMs = (long)(command.Number("clock_offset_ms") ?? 0) },
                OnResult = result => Event("result", name, FieldsOf(result)),
                OnDropped = (run, error) => Event("dropped", name, new Fields { { "key", run.Key }, { "value", run.Value }, { "code", error.Code } }),
                OnClaim = result => Event("claim", name, ClaimOf(result)),
                OnRecording = result => Event("recording", name, new Fields
                {
                    { "key", result.Key }, { "status", result.Error == null ? "stored" : "refused" },
                    { "code", result.Error == null ? null : result.Error.Code },
                }),
                OnTrouble = error => Event("trouble", name, new Fields { { "code", error.Code }, { "message", error.Message } }),
            };
            options.TimeoutMs = (int)(command.Number("timeout_ms") ?? options.TimeoutMs);
            options.DeadlineMs = (int)(command.Number("deadline_ms") ?? options.DeadlineMs);
            options.RetryFirstMs = (int)(command.Number("retry_first_ms") ?? options.RetryFirstMs);
            options.RetryMostMs = (int)(command.Number("retry_most_ms") ?? options.RetryMostMs);
            options.QueueLimit = (int)(command.Number("queue_limit") ?? options.QueueLimit);
            clients[name] = new Leaderboard(options);
            return new Fields();
        }

        void Event(string kind, string client, Fields fields)
        {
            var line = new Fields(fields) { { "event", kind }, { "client", client } };
            say(line);
        }

        async void Follow(Leaderboard client, Command command)
        {
            var name = command.Text("watch");
            var ending = watches[name] = new CancellationTokenSource();
            Action<LiveBoard> show = state => say(new Fields(Places(state.Scores, false))
            {
                { "event", "state" },
                { "watch", name },
                { "version", state.Version },
                { "entry_count", state.EntryCount },
            });
            var over = new Fields { { "event", "watch_ended" }, { "watch", name } };
            try
            {
                var limit = (int?)command.Number("limit");
                await client.WatchAsync(command.Text("board_id"), show, limit, command.Text("around"), ending.Token);
            }
            catch (LeaderboardException error)
            {
                over["code"] = error.Code;
            }
            say(over);
        }

        /// <summary>Watches the player's own rank, or who overtakes it.</summary>
        async void Own(Leaderboard client, Command command)
        {
            var name = command.Text("watch");
            var board = command.Text("board_id");
            var ending = watches[name] = new CancellationTokenSource();
            var over = new Fields { { "event", "watch_ended" }, { "watch", name } };
            Action<string, LiveEntry, int?, Fields> tell = (kind, entry, before, more) => say(new Fields(more)
            {
                { "event", kind },
                { "watch", name },
                { "rank", entry == null ? (int?)null : entry.Rank },
                { "previous_rank", before },
            });
            try
            {
                if (command.Text("do") == "watch_rank")
                    await client.WatchRankAsync(board, state => tell("rank", state.Entry, state.PreviousRank, new Fields
                    {
                        { "next_above", state.NextAbove == null ? null : state.NextAbove.PlayerName },
                        { "gap_to_next", state.GapToNext },
                    }), ending.Token);
                else
                    await client.WatchOvertakenAsync(board, state => tell("overtaken", state.Entry, state.PreviousRank, new Fields
                    {
                        { "by", state.By.Select(entry => entry.PlayerName) },
                        { "count", state.Count },
                    }), ending.Token);
            }
            catch (LeaderboardException error)
            {
                over["code"] = error.Code;
            }
            say(over);
        }

        async void Hear(Leaderboard client, Command command)
        {
            var name = command.Text("watch");
            var ending = watches[name] = new CancellationTokenSource();
            var over = new Fields { { "event", "watch_ended" }, { "watch", name } };
            try
            {
                await client.WatchRewardsAsync(reward => say(new Fields
                {
                    { "event", "reward" },
                    { "watch", name },
                    { "reward_id", reward.Id },
                    { "line", reward.Line },
                }), ending.Token);
            }
            catch (LeaderboardException error)
            {
                over["code"] = error.Code;
            }
            say(over);
        }

        static byte[] BytesOf(string hex)
        {
            if (hex == null) return null;
            var bytes = new byte[hex.Length / 2];
            for (var i = 0; i < bytes.Length; i += 1) bytes[i] = Convert.ToByte(hex.Substring(2 * i, 2), 16);
            return bytes;
        }

        static Fields ClaimOf(ClaimResult result)
        {
            var fields = new Fields { { "reward_id", result.RewardId } };
            var claimed = result as Claimed;
            var queued = result as ClaimQueued;
            var refused = result as ClaimRefused;
            fields["status"] = claimed != null ? "claimed" : queued != null ? "queued" : "refused";
            if (claimed != null)
            {
                fields["is_new"] = claimed.IsNew;
                fields["line"] = claimed.Reward.Line;
            }
            var error = queued != null ? queued.Error : refused != null ? refused.Error : null;
            if (error == null) return fields;
            fields["code"] = error.Code;
            fields["message"] = error.Message;
            return fields;
        }

        static Submission SubmissionOf(Command command)
        {
            return new Submission(command.Text("board_id"), command.Number("value").Value)
            {
                PlayerName = command.Text("player_name"),
                ValueDisplay = command.Text("value_display"),
                Metadata = command.Free("metadata"),
                Tags = command.Tags("tags"),
                Key = command.Text("key"),
            };
        }

        static Fields FieldsOf(SubmitResult result)
        {
            var fields = new Fields { { "key", result.Run.Key } };
            var ranked = result as Ranked;
            var queued = result as Queued;
            var refused = result as Refused;
            fields["status"] = ranked != null ? "ranked" : queued != null ? "queued" : "refused";
            if (ranked != null)
            {
                fields["rank"] = ranked.Rank;
                fields["previous_rank"] = ranked.PreviousRank;
                fields["kept"] = ranked.Kept;
                fields["is_personal_best"] = ranked.IsPersonalBest;
                fields["value"] = ranked.Score.Value;
                if (ranked.Held != null) fields["held"] = new Fields { { "value", ranked.Held.Value }, { "rank", ranked.Held.Rank } };
            }
            var error = queued != null ? queued.Error : refused != null ? refused.Error : null;
            if (error == null) return fields;
            fields["code"] = error.Code;
            fields["message"] = error.Message;
            return fields;
        }

        static Fields Places(IEnumerable<Score> scores, bool hasNext)
        {
            return new Fields
            {
                { "ranks", scores.Select(score => score.Rank) },
                { "values", scores.Select(score => score.Value) },
                { "names", scores.Select(score => score.PlayerName) },
                { "has_next", hasNext },
            };
        }

        static async Task<Fields> All(Pages<Score> pages, CancellationToken cancel)
        {
            var scores = new List<Score>();
            var count = 0;
            for (var page = await pages.NextAsync(cancel); page != null; page = await pages.NextAsync(cancel))
            {
                scores.AddRange(page.Items);
                count += 1;
            }
            var fields = Places(scores, false);
            fields["pages"] = count;
            return fields;
        }

        static async Task<Fields> Names<T>(Pages<T> pages, Func<T, string> nameOf, CancellationToken cancel)
        {
            var names = new List<string>();
            for (var page = await pages.NextAsync(cancel); page != null; page = await pages.NextAsync(cancel))
                names.AddRange(page.Items.Select(nameOf));
            return new Fields { { "names", names } };
        }

        static async Task<Fields> Among(Pages<Score> pages, CancellationToken cancel)
        {
            var ranks = new List<int?>();
            var names = new List<string>();
            for (var page = await pages.NextAsync(cancel); page != null; page = await pages.NextAsync(cancel))
            {
                ranks.AddRange(page.Items.Select(score => score.AmongRank));
                names.AddRange(page.Items.Select(score => score.PlayerName));
            }
            return new Fields { { "among_ranks", ranks }, { "names", names } };
        }

        static OnConflict ChoiceOf(Command command)
        {
            var choice = command.Text("on_conflict");
            return choice == "refuse" ? OnConflict.Refuse : choice == "merge" ? OnConflict.Merge : OnConflict.Switch;
        }

        static Fields FieldsOf(Player player)
        {
            return new Fields
            {
                { "identity_id", player.IdentityId }, { "display_name", player.DisplayName }, { "merge_refused", player.MergeRefused },
            };
        }

        static Fields FieldsOf(OwnPlayer me)
        {
            return new Fields
            {
                { "identity_id", me.IdentityId },
                { "device_id", me.DeviceId },
                { "accounts", me.Proofs.Select(proof => proof.Provider) },
                { "devices", me.Devices.Count },
                { "linked", me.Devices.Where(device => device.IsLinked).Select(device => device.DeviceId) },
                { "merged", me.MergedPlayerIds },
            };
        }

        static Fields ErrorOf(Exception error)
        {
            var own = error as LeaderboardException;
            var code = own != null ? own.Code : error is OperationCanceledException ? "CANCELLED" : error.GetType().Name;
            var standings = own == null ? new ConflictStandings[0] : own.Standings;
            return new Fields
            {
                { "code", code },
                { "message", own != null ? own.Message : error.ToString() },
                { "standings", standings.Select(one => new List<object> { one.Current?.Value, one.Proven?.Value }) },
            };
        }
    }

    /// <summary>A device's clock that the suite turns.</summary>
    sealed class TurnedClock : SystemClock
    {
        internal long OffsetMs;
        long aheadMs;

        internal void Turn(double? offset, double? elapsed)
        {
            OffsetMs = (long)(offset ?? OffsetMs);
            aheadMs = (long)(elapsed ?? aheadMs);
        }

        public override long Elapsed
        {
            get { return base.Elapsed + aheadMs; }
        }

        public override long Now
        {
            get { return base.Now + OffsetMs; }
        }
    }

    /// <summary>The members of a line; absent ones are null.</summary>
    sealed class Command
    {
        readonly Fields fields;

        internal Command(Fields fields)
        {
            this.fields = fields;
        }

        internal string Text(string name)
        {
            return Value(name) as string;
        }

        internal double? Number(string name)
        {
            return Value(name) as double?;
        }

        internal bool Flag(string name)
        {
            return Value(name) is bool && (bool)Value(name);
        }

        internal bool? FlagOrNull(string name)
        {
            return Value(name) as bool?;
        }

        internal List<string> Texts(string name)
        {
            var items = (List<object>)Value(name);
            return items == null ? null : items.Cast<string>().ToList();
        }

        internal IEnumerable<Fields> Records(string name)
        {
            return ((List<object>)Value(name) ?? new List<object>()).Cast<Fields>();
        }

        internal Dictionary<string, string> Tags(string name)
        {
            var tags = Free(name);
            // An empty text removes one.
            return tags == null ? null : tags.ToDictionary(tag => tag.Key, tag => (string)tag.Value == "" ? null : (string)tag.Value);
        }

        internal Fields Free(string name)
        {
            return Value(name) as Fields;
        }

        object Value(string name)
        {
            object value;
            fields.TryGetValue(name, out value);
            return value;
        }
    }
}
