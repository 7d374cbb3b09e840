namespace LeaderboardClient
{
    /// <summary>What became of a run's recording.</summary>
    public sealed class RecordingResult
    {
        internal RecordingResult(string key, LeaderboardException error)
        {
            Key = key;
            Error = error;
        }

        /// <summary>The run's.</summary>
        public string Key { get; private set; }

        /// <summary>Null: it is stored. Otherwise it is not wanted any more, or not the announced file.</summary>
        public LeaderboardException Error { get; private set; }
    }
}
