// Declarations of the members of Unity that this package uses, as Unity's manual has them, so that its sources for Unity
// compile here. None is ever run: Unity's own are.
using System;

namespace UnityEngine
{
    public enum HideFlags { HideAndDontSave = 61 }

    public enum RuntimePlatform { WebGLPlayer = 17 }

    [AttributeUsage(AttributeTargets.Field)]
    public sealed class SerializeField : Attribute { }

    public class Object
    {
        public HideFlags hideFlags { get; set; }
        public extern static void DontDestroyOnLoad(Object target);
    }

    public class Component : Object { }

    public class MonoBehaviour : Component { }

    public sealed class GameObject : Object
    {
        public GameObject(string name) { }
        public extern T AddComponent<T>() where T : Component;
    }

    public static class Application
    {
        public static string persistentDataPath { get { throw new NotSupportedException(); } }
        public static RuntimePlatform platform { get { throw new NotSupportedException(); } }
    }

    public static class PlayerPrefs
    {
        public extern static bool HasKey(string key);
        public extern static string GetString(string key);
        public extern static void SetString(string key, string value);
        public extern static void Save();
    }

    public static class Random
    {
        public static float value { get { throw new NotSupportedException(); } }
    }

    public static class GUILayout
    {
        public extern static bool Button(string text);
        public extern static void Label(string text);
    }

    public class AsyncOperation
    {
        public event Action<AsyncOperation> completed { add { } remove { } }
    }
}

namespace UnityEngine.Networking
{
    public class DownloadHandler : IDisposable
    {
        public string text { get { throw new NotSupportedException(); } }
        protected virtual bool ReceiveData(byte[] data, int dataLength) { return true; }
        public void Dispose() { }
    }

    public sealed class DownloadHandlerBuffer : DownloadHandler { }

    public class DownloadHandlerScript : DownloadHandler
    {
        public DownloadHandlerScript(byte[] preallocatedBuffer) { }
    }

    public class UploadHandler : IDisposable
    {
        public string contentType { get; set; }
        public void Dispose() { }
    }

    public sealed class UploadHandlerRaw : UploadHandler
    {
        public UploadHandlerRaw(byte[] data) { }
    }

    public sealed class UnityWebRequestAsyncOperation : AsyncOperation { }

    public class UnityWebRequest : IDisposable
    {
        public UnityWebRequest(string url, string method) { }
        public DownloadHandler downloadHandler { get; set; }
        public UploadHandler uploadHandler { get; set; }
        public int redirectLimit { get; set; }
        public long responseCode { get { throw new NotSupportedException(); } }
        public string error { get { throw new NotSupportedException(); } }
        public extern void SetRequestHeader(string name, string value);
        public extern string GetResponseHeader(string name);
        public extern UnityWebRequestAsyncOperation SendWebRequest();
        public extern void Abort();
        public void Dispose() { }
    }
}
