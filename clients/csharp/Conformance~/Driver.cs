using System;
using System.Collections.Generic;
using System.Globalization;
using System.IO;
using System.Linq;
using System.Text;
using System.Threading;
using System.Threading.Tasks;

namespace LeaderboardClient.Conformance
{
    /// <summary>
    /// The driver of the conformance suite (clients/conformance/README.md, "Protocol"). <c>loop</c>: everything on one thread,
    /// frame by frame, as in a game; <c>threads</c>: on the threads of the process, as in a program without a loop.
    /// </summary>
    static class Driver
    {
        const int FrameMs = 4;

        static readonly TextWriter Output = new StreamWriter(Console.OpenStandardOutput(), new UTF8Encoding(false)) { AutoFlush = true };

        static void Main(string[] arguments)
        {
            // Its decimal sign is a comma, and its letters have other capitals: what the client writes must not show it.
            CultureInfo.DefaultThreadCurrentCulture = Thread.CurrentThread.CurrentCulture = new CultureInfo("tr-TR");
            if (arguments.Length > 0 && arguments[0] == "threads")
            {
                // One for all clients: between two that have their own, no run is the earlier one.
                var shared = new Commands(Say, new Strand());
                foreach (var line in Lines()) shared.Take(line);
                return;
            }
            var loop = GameLoop.Install();
            var commands = new Commands(Say, loop);
            var reading = new Thread(() =>
            {
                foreach (var line in Lines())
                {
                    var text = line;
                    loop.Post(_ => commands.Take(text), null);
                }
                Environment.Exit(0);
            });
            reading.Start();
            for (; ; )
            {
                loop.Run();
                Thread.Sleep(FrameMs);
            }
        }

        static IEnumerable<string> Lines()
        {
            using (var input = new StreamReader(Console.OpenStandardInput(), Encoding.UTF8))
                for (var line = input.ReadLine(); line != null; line = input.ReadLine())
                    yield return line;
        }

        static void Say(Dictionary<string, object> line)
        {
            lock (Output) Output.WriteLine(Json.Write(line));
        }
    }
}
