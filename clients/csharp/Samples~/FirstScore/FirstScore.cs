using System;
using System.Threading;
using LeaderboardClient;
using UnityEngine;

/// <summary>Put it on an object of an empty scene and fill in address, game and board.</summary>
public sealed class FirstScore : MonoBehaviour
{
    [SerializeField] string url = "http://localhost:3000";
    [SerializeField] string gameId = "";
    [SerializeField] string boardId = "";
    [SerializeField] string playerName = "Ann";

    readonly CancellationTokenSource ending = new CancellationTokenSource();
    Leaderboard leaderboard;
    LiveBoard board;
    string message = "";
    int waiting;

    async void Start()
    {
        leaderboard = new Leaderboard(new LeaderboardOptions
        {
            Url = url,
            GameId = gameId,
            PlayerName = playerName,
            Platform = Application.platform.ToString(),
            OnResult = async _ => waiting = (await leaderboard.WaitingAsync()).Count,
            OnDropped = (run, error) => message = run.Value + " does not count: " + error.Message,
        });
        try
        {
            await leaderboard.WatchAsync(boardId, state => board = state, 10, null, ending.Token);
        }
        catch (LeaderboardException error)
        {
            message = error.Message;
        }
    }

    async void Submit(double value)
    {
        message = "…";
        message = MessageOf(await leaderboard.SubmitAsync(boardId, value));
        waiting = (await leaderboard.WaitingAsync()).Count;
    }

    static string MessageOf(SubmitResult result)
    {
        if (result is Queued) return "Saved. It is sent as soon as the service can be reached.";
        if (result is Refused refused) return "Does not count: " + refused.Error.Message;
        var ranked = (Ranked)result;
        if (!ranked.Kept) return "Your " + ranked.Score.Value + " stands, at rank " + ranked.Rank;
        return (ranked.IsPersonalBest == true ? "Personal best! " : "") + "Rank " + ranked.Rank;
    }

    void OnApplicationPause(bool isPaused)
    {
        if (!isPaused && leaderboard != null) SendWaiting();
    }

    async void SendWaiting()
    {
        waiting = await leaderboard.FlushAsync();
    }

    void OnGUI()
    {
        if (GUILayout.Button("Play")) Submit(Math.Floor(UnityEngine.Random.value * 1000));
        GUILayout.Label(message);
        if (waiting > 0) GUILayout.Label(waiting + " waiting");
        if (board == null) return;
        foreach (var score in board.Scores) GUILayout.Label(score.Rank + "  " + score.PlayerName + "  " + score.Value);
    }

    void OnDestroy()
    {
        ending.Cancel();
        if (leaderboard != null) leaderboard.Dispose();
    }
}
