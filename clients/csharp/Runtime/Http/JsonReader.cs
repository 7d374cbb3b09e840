using System;
using System.Collections.Generic;
using System.Globalization;
using System.Text;

namespace LeaderboardClient
{
    /// <summary>Reads one text.</summary>
    internal sealed class JsonReader
    {
        /// <summary>Nesting beyond it is refused: the stack of a game is small.</summary>
        const int Deepest = 64;

        readonly string text;
        int at;

        internal JsonReader(string text)
        {
            this.text = text;
        }

        internal object ReadAll()
        {
            var value = ReadValue(0);
            SkipSpace();
            if (at < text.Length) throw Wrong();
            return value;
        }

        object ReadValue(int depth)
        {
            if (depth > Deepest) throw Wrong();
            SkipSpace();
            switch (Next())
            {
                case '{':
                    return ReadMembers(depth);
                case '[':
                    return ReadItems(depth);
                case '"':
                    return ReadText();
                case 't':
                    return ReadWord("true", true);
                case 'f':
                    return ReadWord("false", false);
                case 'n':
                    return ReadWord("null", null);
                default:
                    return ReadNumber();
            }
        }

        Dictionary<string, object> ReadMembers(int depth)
        {
            var members = new Dictionary<string, object>();
            at += 1;
            SkipSpace();
            if (Took('}')) return members;
            do
            {
                SkipSpace();
                if (Next() != '"') throw Wrong();
                var name = ReadText();
                SkipSpace();
                if (!Took(':')) throw Wrong();
                members[name] = ReadValue(depth + 1);
                SkipSpace();
            } while (Took(','));
            if (!Took('}')) throw Wrong();
            return members;
        }

        List<object> ReadItems(int depth)
        {
            var items = new List<object>();
            at += 1;
            SkipSpace();
            if (Took(']')) return items;
            do
            {
                items.Add(ReadValue(depth + 1));
                SkipSpace();
            } while (Took(','));
            if (!Took(']')) throw Wrong();
            return items;
        }

        string ReadText()
        {
            var value = new StringBuilder();
            for (at += 1; ; at += 1)
            {
                var letter = Next();
                if (letter == '"') break;
                if (letter < ' ') throw Wrong();
                value.Append(letter == '\\' ? ReadEscape() : letter);
            }
            at += 1;
            return value.ToString();
        }

        char ReadEscape()
        {
            at += 1;
            var letter = Next();
            if (letter == 'u')
            {
                ushort code;
                if (at + 4 >= text.Length) throw Wrong();
                var digits = text.Substring(at + 1, 4);
                if (!ushort.TryParse(digits, NumberStyles.AllowHexSpecifier, CultureInfo.InvariantCulture, out code)) throw Wrong();
                at += 4;
                return (char)code;
            }
            var place = "\"\\/bfnrt".IndexOf(letter);
            if (place < 0) throw Wrong();
            return "\"\\/\b\f\n\r\t"[place];
        }

        object ReadNumber()
        {
            var first = at;
            while (at < text.Length && "+-.eE0123456789".IndexOf(text[at]) >= 0) at += 1;
            double number;
            var digits = text.Substring(first, at - first);
            if (!double.TryParse(digits, NumberStyles.Float, CultureInfo.InvariantCulture, out number)) throw Wrong();
            return number;
        }

        object ReadWord(string word, object value)
        {
            if (string.CompareOrdinal(text, at, word, 0, word.Length) != 0) throw Wrong();
            at += word.Length;
            return value;
        }

        void SkipSpace()
        {
            while (at < text.Length && " \t\r\n".IndexOf(text[at]) >= 0) at += 1;
        }

        char Next()
        {
            if (at >= text.Length) throw Wrong();
            return text[at];
        }

        bool Took(char letter)
        {
            if (at >= text.Length || text[at] != letter) return false;
            at += 1;
            return true;
        }

        FormatException Wrong()
        {
            return new FormatException("Invalid JSON at character " + at + ".");
        }
    }
}
