using System;
using System.Collections;
using System.Collections.Generic;
using System.Globalization;
using System.Text;

namespace LeaderboardClient
{
    /// <summary>
    /// JSON as plain values, without reflection: objects are <c>Dictionary&lt;string, object&gt;</c>, lists <c>List&lt;object&gt;</c>,
    /// numbers <c>double</c>, and <c>string</c>, <c>bool</c>, null.
    /// </summary>
    public static class Json
    {
        static readonly CultureInfo Invariant = CultureInfo.InvariantCulture;

        /// <exception cref="FormatException">The text is not JSON.</exception>
        public static object Read(string text)
        {
            return new JsonReader(text).ReadAll();
        }

        /// <param name="value">null, texts, truth values, numbers, dictionaries with texts as keys, other enumerables as lists</param>
        /// <exception cref="ArgumentException">Another type is in it, or a number that is not finite.</exception>
        public static string Write(object value)
        {
            var text = new StringBuilder();
            Write(text, value);
            return text.ToString();
        }

        static void Write(StringBuilder text, object value)
        {
            if (value == null) text.Append("null");
            else if (value is string) WriteText(text, (string)value);
            else if (value is bool) text.Append((bool)value ? "true" : "false");
            else if (value is double) WriteNumber(text, (double)value);
            // The shortest digits of the single, not those of its double.
            else if (value is float) WriteNumber(text, double.Parse(((float)value).ToString("R", Invariant), Invariant));
            else if (IsWhole(value)) text.Append(((IFormattable)value).ToString(null, Invariant));
            else if (value is IEnumerable<KeyValuePair<string, object>>) WriteMembers(text, (IEnumerable<KeyValuePair<string, object>>)value);
            else if (value is IDictionary) WriteMembers(text, MembersOf((IDictionary)value));
            else if (value is IEnumerable) WriteItems(text, (IEnumerable)value);
            else throw new ArgumentException("Cannot convert to JSON: " + value.GetType().Name + ".");
        }

        static bool IsWhole(object value)
        {
            return value is int || value is long || value is uint || value is ulong || value is short || value is ushort
                || value is byte || value is sbyte || value is decimal;
        }

        static IEnumerable<KeyValuePair<string, object>> MembersOf(IDictionary members)
        {
            foreach (DictionaryEntry member in members) yield return new KeyValuePair<string, object>((string)member.Key, member.Value);
        }

        static void WriteMembers(StringBuilder text, IEnumerable<KeyValuePair<string, object>> members)
        {
            var separator = '{';
            foreach (var member in members)
            {
                text.Append(separator);
                WriteText(text, member.Key);
                text.Append(':');
                Write(text, member.Value);
                separator = ',';
            }
            text.Append(separator == '{' ? "{}" : "}");
        }

        static void WriteItems(StringBuilder text, IEnumerable items)
        {
            var separator = '[';
            foreach (var item in items)
            {
                text.Append(separator);
                Write(text, item);
                separator = ',';
            }
            text.Append(separator == '[' ? "[]" : "]");
        }

        static void WriteNumber(StringBuilder text, double number)
        {
            if (double.IsNaN(number) || double.IsInfinity(number)) throw new ArgumentException("Cannot convert to JSON: " + number + ".");
            var shorter = number.ToString("G15", Invariant);
            // 17 digits bring every number back; "R" does not on each runtime.
            var isExact = double.Parse(shorter, NumberStyles.Float, Invariant).Equals(number);
            text.Append(isExact ? shorter : number.ToString("G17", Invariant));
        }

        static void WriteText(StringBuilder text, string value)
        {
            text.Append('"');
            foreach (var letter in value)
            {
                if (letter == '"' || letter == '\\') text.Append('\\').Append(letter);
                else if (letter < ' ' || letter == '\u2028' || letter == '\u2029')
                    text.Append("\\u").Append(((int)letter).ToString("x4", Invariant));
                else text.Append(letter);
            }
            text.Append('"');
        }
    }
}
