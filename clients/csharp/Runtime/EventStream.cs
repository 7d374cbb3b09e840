using System;
using System.Text;

namespace LeaderboardClient
{
    /// <summary>Reads the events of a <c>text/event-stream</c> from parts of any length.</summary>
    internal sealed class EventStream
    {
        readonly Action<string, string> take;
        readonly StringBuilder line = new StringBuilder();
        readonly StringBuilder data = new StringBuilder();
        string name = "message";

        /// <param name="take">gets the name and the data of each event</param>
        internal EventStream(Action<string, string> take)
        {
            this.take = take;
        }

        internal void Feed(string part)
        {
            foreach (var letter in part)
            {
                if (letter == '\r') continue;
                if (letter != '\n')
                {
                    line.Append(letter);
                    continue;
                }
                var whole = line.ToString();
                line.Length = 0;
                Line(whole);
            }
        }

        void Line(string whole)
        {
            if (whole.StartsWith("event:", StringComparison.Ordinal)) name = whole.Substring(6).Trim();
            else if (whole.StartsWith("data:", StringComparison.Ordinal)) data.Append(data.Length > 0 ? "\n" : "").Append(whole.Substring(5).TrimStart());
            if (whole != "") return;
            var text = data.ToString();
            var of = name;
            data.Length = 0;
            name = "message";
            if (text != "") take(of, text);
        }
    }
}
