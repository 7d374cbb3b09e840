using System;
using System.Collections.Generic;
using System.Linq;
using System.Threading;
using System.Threading.Tasks;

namespace LeaderboardClient
{
    /// <summary>The start of a run.</summary>
    internal sealed class Ticket
    {
        static readonly DateTimeOffset Epoch = new DateTimeOffset(1970, 1, 1, 0, 0, 0, TimeSpan.Zero);

        internal Ticket(JsonRecord record, string boardId)
        {
            BoardId = boardId;
            Text = record.Text("ticket");
            Seed = record.WholeOrNull("seed");
            Attempt = record.WholeOrNull("attempt");
            ExpiresAt = record.Time("expires_at");
        }

        internal readonly string BoardId;
        internal readonly string Text;
        internal readonly int? Seed;
        internal readonly int? Attempt;
        internal readonly DateTimeOffset ExpiresAt;

        /// <summary>By the device's clock.</summary>
        internal bool IsGood(IClock clock)
        {
            return (ExpiresAt - Epoch).TotalMilliseconds > clock.Now;
        }

        internal Dictionary<string, object> Stored()
        {
            return new Dictionary<string, object>
            {
                { "board_id", BoardId },
                { "ticket", Text },
                { "seed", Seed },
                { "attempt", Attempt },
                { "expires_at", ExpiresAt.ToString("o") },
            };
        }
    }

    /// <summary>Tickets of a request.</summary>
    internal sealed class Issued
    {
        internal List<Ticket> Tickets;
        internal int? AttemptsLeft;
    }

    /// <summary>Requests of tickets, and those that were fetched ahead, in the storage that clients and later starts of the game share.</summary>
    internal sealed class Tickets
    {
        readonly Settings settings;
        readonly Requests requests;
        readonly Sessions sessions;
        readonly string name;

        internal Tickets(Settings settings, Requests requests, Sessions sessions, string name)
        {
            this.settings = settings;
            this.requests = requests;
            this.sessions = sessions;
            this.name = name;
        }

        /// <param name="key">makes it safe to repeat</param>
        internal Task<Issued> AskAsync(string boardId, int? ahead, string gameVersion, string key, CancellationToken cancel)
        {
            var body = new Dictionary<string, object> { { "board_id", boardId } };
            if (gameVersion != null) body["game_version"] = gameVersion;
            if (ahead != null)
            {
                body["count"] = ahead.Value;
                body["advance"] = true;
            }
            return sessions.WithAsync(session =>
            {
                var call = requests.Call("POST", "/v1/client/tickets", session.AccessToken, null, body);
                call.Headers["idempotency-key"] = key;
                return requests.SendAsync(call, answer => new Issued
                {
                    Tickets = answer.List("tickets", one => new Ticket(new JsonRecord(one), boardId)),
                    AttemptsLeft = answer.WholeOrNull("attempts_left"),
                }, cancel);
            }, cancel);
        }

        /// <summary>Number of stored ones that are good for the board.</summary>
        internal async Task<int> CountAsync(string boardId)
        {
            return (await StoredAsync()).Count(one => one.BoardId == boardId && one.IsGood(settings.Clock));
        }

        /// <summary>The stored ticket of a board that ends first, which no other client or start of the game gets; null: there is none.</summary>
        internal async Task<Ticket> TakeAsync(string boardId)
        {
            Ticket taken = null;
            try
            {
                await ChangeAsync(all =>
                {
                    var good = all.Where(one => one.BoardId == boardId && one.IsGood(settings.Clock));
                    taken = good.OrderBy(one => one.ExpiresAt).FirstOrDefault();
                    return all.Where(one => one != taken);
                });
                return taken;
            }
            catch (Exception error)
            {
                // A ticket that stays stored could be used twice.
                settings.StorageTrouble(error);
                return null;
            }
        }

        internal Task AddAsync(List<Ticket> fresh)
        {
            return ChangeAsync(all => all.Where(one => one.IsGood(settings.Clock)).Concat(fresh));
        }

        /// <summary>The client goes on as another player, who can't use them.</summary>
        internal async Task DropAsync()
        {
            try
            {
                await ChangeAsync(all => Enumerable.Empty<Ticket>());
            }
            catch (Exception error)
            {
                settings.StorageTrouble(error);
            }
        }

        Task<bool> ChangeAsync(Func<List<Ticket>, IEnumerable<Ticket>> change)
        {
            return Turns.Of(settings.Storage, name + ".lock").RunAsync(async () =>
            {
                var kept = change(await StoredAsync()).Select(one => (object)one.Stored()).ToList();
                await settings.Storage.WriteAsync(name, Json.Write(kept));
                return true;
            });
        }

        /// <summary>None if they can't be read.</summary>
        async Task<List<Ticket>> StoredAsync()
        {
            var tickets = new List<Ticket>();
            try
            {
                var text = await settings.Storage.ReadAsync(name);
                if (text == null) return tickets;
                foreach (var stored in (List<object>)Json.Read(text))
                {
                    var record = new JsonRecord(stored);
                    tickets.Add(new Ticket(record, record.Text("board_id")));
                }
            }
            catch (Exception error)
            {
                settings.StorageTrouble(error);
            }
            return tickets;
        }
    }
}
