namespace LeaderboardClient
{
    /// <summary>The state of a submission: <see cref="Ranked"/>, <see cref="Queued"/> or <see cref="Refused"/>.</summary>
    public abstract class SubmitResult
    {
        internal SubmitResult(Run run)
        {
            Run = run;
        }

        public Run Run { get; private set; }
    }

    /// <summary>The run was counted.</summary>
    public sealed class Ranked : SubmitResult
    {
        internal Ranked(Run run, JsonRecord item) : base(run)
        {
            Score = new Score(item.Record("score"));
            PreviousRank = item.WholeOrNull("previous_rank");
            Kept = item.FlagOrNull("kept") ?? true;
            IsPersonalBest = item.FlagOrNull("is_personal_best");
            if (item.Has("held")) Held = new HeldRun(item.Record("held"));
            if (item.Has("recording")) RecordingEventId = item.Record("recording").Text("score_event_id");
        }

        public int Rank
        {
            get { return Score.Rank; }
        }

        /// <summary>Null: there was no score.</summary>
        public int? PreviousRank { get; private set; }

        /// <summary>True if the player's score now shows this run.</summary>
        public bool Kept { get; private set; }

        /// <summary>True if no earlier run of the player on this board is as good; null: the service does not know.</summary>
        public bool? IsPersonalBest { get; private set; }

        /// <summary>The run, if it waits for a review and is ranked nowhere; null: it is not held.</summary>
        public HeldRun Held { get; private set; }

        /// <summary>Where the service wants the run's recording; null: nowhere.</summary>
        internal string RecordingEventId { get; private set; }

        /// <summary>The player's score after this run.</summary>
        public Score Score { get; private set; }
    }

    /// <summary>A run that is held until its flags are reviewed.</summary>
    public sealed class HeldRun
    {
        internal HeldRun(JsonRecord record)
        {
            Value = record.Number("value");
            Rank = record.Whole("rank");
        }

        public double Value { get; private set; }

        /// <summary>The rank it would have had.</summary>
        public int Rank { get; private set; }
    }

    /// <summary>The run is stored and is sent until it is answered, by this or a later start of the game.</summary>
    public sealed class Queued : SubmitResult
    {
        internal Queued(Run run, LeaderboardException error) : base(run)
        {
            Error = error;
        }

        /// <summary>The last failure; null: there was none.</summary>
        public LeaderboardException Error { get; private set; }
    }

    /// <summary>The run will never count.</summary>
    public sealed class Refused : SubmitResult
    {
        internal Refused(Run run, LeaderboardException error) : base(run)
        {
            Error = error;
        }

        public LeaderboardException Error { get; private set; }
    }
}
