using System;
using System.Collections.Generic;

namespace LeaderboardClient
{
    /// <summary>A board as the service shows it to game clients.</summary>
    public sealed class Board
    {
        internal Board(JsonRecord record)
        {
            Id = record.Text("id");
            AccountId = record.Text("account_id");
            GameId = record.Text("game_id");
            Name = record.Text("name");
            Slug = record.Text("slug");
            ShortCode = record.Text("short_code");
            Description = record.TextOrNull("description");
            Icon = record.TextOrNull("icon");
            Unit = record.TextOrNull("unit");
            Format = record.FreeOrNull("format");
            HoldTop = record.WholeOrNull("hold_top") ?? 0;
            HoldHours = record.WholeOrNull("hold_hours");
            Proof = record.TextOrNull("proof");
            IsActive = record.Flag("is_active");
            IsPublished = record.Flag("is_published");
            BoardType = record.Text("board_type");
            SortDirection = record.Text("sort_direction");
            KeepStrategy = record.Text("keep_strategy");
            StartsAt = record.TimeOrNull("starts_at");
            EndsAt = record.TimeOrNull("ends_at");
            Tags = record.List("tags", tag => tag as string);
            PublicFields = record.Has("public_fields") ? record.List("public_fields", field => field as string) : new List<string>();
            TemplateName = record.TextOrNull("template_name");
            CreatedFromTemplateId = record.TextOrNull("created_from_template_id");
            RehearsalOfId = record.TextOrNull("rehearsal_of_id");
            UrlShort = record.TextOrNull("url_short");
            TimeZone = record.TextOrNull("time_zone");
            WeekStart = record.TextOrNull("week_start");
            DayStart = record.TextOrNull("day_start");
            Tickets = record.FreeOrNull("tickets");
            Recordings = record.FreeOrNull("recordings");
            Verdicts = record.FreeOrNull("verdicts");
            TiePolicy = record.TextOrNull("tie_policy");
            FriendsFrom = record.TextOrNull("friends_from");
            DefaultView = record.TextOrNull("default_view");
            Dimensions = record.Has("dimensions") ? record.List("dimensions", Members) : new List<IReadOnlyDictionary<string, object>>();
            ClosingRules = record.Has("closing_rules") ? record.List("closing_rules", Members) : new List<IReadOnlyDictionary<string, object>>();
            Views = record.Has("views") ? record.List("views", Members) : new List<IReadOnlyDictionary<string, object>>();
            CreatedAt = record.Time("created_at");
            UpdatedAt = record.Time("updated_at");
        }

        static IReadOnlyDictionary<string, object> Members(object item)
        {
            return (IReadOnlyDictionary<string, object>)item;
        }

        public string Id { get; private set; }
        public string AccountId { get; private set; }
        public string GameId { get; private set; }
        public string Name { get; private set; }
        public string Slug { get; private set; }
        public string ShortCode { get; private set; }
        public string Description { get; private set; }
        public string Icon { get; private set; }
        public string Unit { get; private set; }

        /// <summary>True if it takes submissions, within <see cref="StartsAt"/> and <see cref="EndsAt"/>.</summary>
        public bool IsActive { get; private set; }
        public bool IsPublished { get; private set; }
        public string BoardType { get; private set; }

        /// <summary><c>asc</c> or <c>desc</c>.</summary>
        public string SortDirection { get; private set; }

        /// <summary><c>best</c>, <c>last</c>, <c>all</c> and others: which of a player's runs the board ranks.</summary>
        public string KeepStrategy { get; private set; }
        public DateTimeOffset? StartsAt { get; private set; }
        public DateTimeOffset? EndsAt { get; private set; }
        public IReadOnlyList<string> Tags { get; private set; }

        /// <summary>What public pages show in addition to name and value: <c>date</c>, <c>gap</c>, <c>country</c>, <c>platform</c>.</summary>
        public IReadOnlyList<string> PublicFields { get; private set; }
        public string TemplateName { get; private set; }
        public string CreatedFromTemplateId { get; private set; }
        public string RehearsalOfId { get; private set; }

        /// <summary>Address of the public page; null: the board is not published.</summary>
        public string UrlShort { get; private set; }

        /// <summary>How values are shown, with members as REST names them; null: as numbers.</summary>
        public IReadOnlyDictionary<string, object> Format { get; private set; }

        /// <summary>What its runs are submitted with, with members as REST names them; null: nonces alone.</summary>
        public IReadOnlyDictionary<string, object> Tickets { get; private set; }

        /// <summary>Which recordings of runs it takes, with members as REST names them; null: none.</summary>
        public IReadOnlyDictionary<string, object> Recordings { get; private set; }

        /// <summary>How it takes verdicts of the studio's verifier, with members as REST names them; null: none.</summary>
        public IReadOnlyDictionary<string, object> Verdicts { get; private set; }

        /// <summary>Flagged runs that would be among this many first ranks are held.</summary>
        public int HoldTop { get; private set; }

        /// <summary>How many hours a run is held at most; null: until it is reviewed.</summary>
        public int? HoldHours { get; private set; }
        public string Proof { get; private set; }

        /// <summary>IANA name of the zone in which periods of views begin.</summary>
        public string TimeZone { get; private set; }
        public string WeekStart { get; private set; }
        public string DayStart { get; private set; }

        /// <summary><c>earliest</c>, <c>latest</c>, <c>competition</c> or <c>dense</c>: the ranks of equal values.</summary>
        public string TiePolicy { get; private set; }

        /// <summary><c>client</c> or <c>server</c>: the side that names friends.</summary>
        public string FriendsFrom { get; private set; }

        /// <summary>The view that its page shows first; null: its own ranking.</summary>
        public string DefaultView { get; private set; }

        /// <summary>Tags that submissions may have, with members as REST names them.</summary>
        public IReadOnlyList<IReadOnlyDictionary<string, object>> Dimensions { get; private set; }

        /// <summary>Rankings that are closed when they end: <c>view</c> (null: the board's own), <c>settle_minutes</c>, <c>review_top</c>, <c>review_hours</c>, <c>places</c>.</summary>
        public IReadOnlyList<IReadOnlyDictionary<string, object>> ClosingRules { get; private set; }

        /// <summary>Further rankings of the board, with members as REST names them.</summary>
        public IReadOnlyList<IReadOnlyDictionary<string, object>> Views { get; private set; }
        public DateTimeOffset CreatedAt { get; private set; }
        public DateTimeOffset UpdatedAt { get; private set; }
    }

    /// <summary>A window of a board as it is now.</summary>
    public sealed class LiveBoard
    {
        internal LiveBoard(JsonRecord record)
        {
            Id = record.Text("id");
            Version = (long)record.Number("version");
            EntryCount = record.Whole("entry_count");
            IsActive = record.Flag("is_active");
            EndsAt = record.TimeOrNull("ends_at");
            Scores = record.List("scores", score => new Score(new JsonRecord(score)));
        }

        public string Id { get; private set; }

        /// <summary>Increases with every change.</summary>
        public long Version { get; private set; }
        public int EntryCount { get; private set; }
        public bool IsActive { get; private set; }
        public DateTimeOffset? EndsAt { get; private set; }

        /// <summary>Best first.</summary>
        public IReadOnlyList<Score> Scores { get; private set; }
    }
}
