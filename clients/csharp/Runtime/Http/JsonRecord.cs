using System;
using System.Collections.Generic;

namespace LeaderboardClient
{
    /// <summary>A JSON object whose members have the expected types.</summary>
    /// <remarks>Every method throws <see cref="FormatException"/> for another type.</remarks>
    internal sealed class JsonRecord
    {
        readonly Dictionary<string, object> members;

        internal JsonRecord(object value)
        {
            members = As<Dictionary<string, object>>("record", value);
        }

        internal bool Has(string name)
        {
            object value;
            return members.TryGetValue(name, out value) && value != null;
        }

        internal string Text(string name)
        {
            return As<string>(name, Value(name));
        }

        internal string TextOrNull(string name)
        {
            return Has(name) ? Text(name) : null;
        }

        internal double Number(string name)
        {
            return (double)As<object>(name, Value(name) as double?);
        }

        internal int Whole(string name)
        {
            return checked((int)Number(name));
        }

        internal int? WholeOrNull(string name)
        {
            return Has(name) ? Whole(name) : (int?)null;
        }

        internal bool Flag(string name)
        {
            return (bool)As<object>(name, Value(name) as bool?);
        }

        internal bool? FlagOrNull(string name)
        {
            return Has(name) ? Flag(name) : (bool?)null;
        }

        internal DateTimeOffset Time(string name)
        {
            return DateTimeOffset.Parse(Text(name), System.Globalization.CultureInfo.InvariantCulture);
        }

        internal DateTimeOffset? TimeOrNull(string name)
        {
            return Has(name) ? Time(name) : (DateTimeOffset?)null;
        }

        internal JsonRecord Record(string name)
        {
            return new JsonRecord(Value(name));
        }

        internal Dictionary<string, object> FreeOrNull(string name)
        {
            return Has(name) ? As<Dictionary<string, object>>(name, Value(name)) : null;
        }

        internal List<T> List<T>(string name, Func<object, T> read)
        {
            var items = new List<T>();
            foreach (var item in As<List<object>>(name, Value(name))) items.Add(read(item));
            return items;
        }

        object Value(string name)
        {
            object value;
            members.TryGetValue(name, out value);
            return value;
        }

        static T As<T>(string name, object value) where T : class
        {
            var typed = value as T;
            if (typed == null) throw new FormatException("The response has no valid " + name + ".");
            return typed;
        }
    }
}
