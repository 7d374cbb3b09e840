import { useState } from 'react';
import { HEADER_PREFIX, SERVICE_PATH } from '../../api/place.js';
import { Card } from '../../parts/card.js';
import { t } from '../../texts.js';

type Language = 'curl' | 'C#' | 'GDScript';
const LANGUAGES: Language[] = ['C#', 'GDScript', 'curl'];

/** The three calls of a game client, with the ids filled in. */
function sampleOf(language: Language, game: string, board: string): string {
  const url = `${location.origin}${SERVICE_PATH}/v1`;
  const nonce = `${HEADER_PREFIX}-client-nonce`;
  if (language === 'curl') {
    return `TOKEN=$(curl -s ${url}/client/sessions \\
  -H 'content-type: application/json' \\
  -d '{"game_id": "${game}", "client_fingerprint": "my-device"}' | jq -r .access_token)
NONCE=$(curl -s ${url}/client/nonce \\
  -H "authorization: Bearer $TOKEN" | jq -r .nonce_value)
curl ${url}/client/scores \\
  -H "authorization: Bearer $TOKEN" -H "${nonce}: $NONCE" \\
  -H 'content-type: application/json' \\
  -d '{"board_id": "${board}", "player_name": "Ann", "value": 1200}'`;
  }
  if (language === 'GDScript') {
    return `func call_api(path, token, headers, body):
    var request = HTTPRequest.new()
    add_child(request)
    var sent = ["content-type: application/json"] + headers
    if token: sent.append("authorization: Bearer " + token)
    var method = HTTPClient.METHOD_POST if body else HTTPClient.METHOD_GET
    request.request("${url}" + path, sent, method, JSON.stringify(body) if body else "")
    var answer = await request.request_completed
    return JSON.parse_string(answer[3].get_string_from_utf8())

var session = await call_api("/client/sessions", "", [],
    {"game_id": "${game}", "client_fingerprint": OS.get_unique_id()})
var nonce = await call_api("/client/nonce", session.access_token, [], null)
await call_api("/client/scores", session.access_token,
    ["${nonce}: " + nonce.nonce_value],
    {"board_id": "${board}", "player_name": "Ann", "value": 1200})`;
  }
  return `var http = new HttpClient { BaseAddress = new Uri("${url}/") };
async Task<JsonElement> Read(HttpResponseMessage answer) =>
    await answer.Content.ReadFromJsonAsync<JsonElement>();

var session = await Read(await http.PostAsJsonAsync("client/sessions", new {
    game_id = "${game}", client_fingerprint = "my-device" }));
http.DefaultRequestHeaders.Authorization = new("Bearer",
    session.GetProperty("access_token").GetString());
var nonce = await Read(await http.GetAsync("client/nonce"));
http.DefaultRequestHeaders.Add("${nonce}",
    nonce.GetProperty("nonce_value").GetString());
await http.PostAsJsonAsync("client/scores", new {
    board_id = "${board}", player_name = "Ann", value = 1200 });`;
}

export function Samples({ gameId, boardId }: { gameId: string | undefined; boardId: string | undefined }) {
  const [language, setLanguage] = useState<Language>('C#');
  return (
    <aside>
      <Card
        padded
        title={t.samples.title}
        side={
          <fieldset className="segments">
            <legend className="hidden-text">{t.samples.language}</legend>
            {LANGUAGES.map((name) => (
              <button
                type="button"
                key={name}
                aria-pressed={name === language}
                onClick={() => setLanguage(name)}
              >
                {name}
              </button>
            ))}
          </fieldset>
        }
      >
        <p className="small soft">{t.samples.hint}</p>
        {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a text that scrolls is reached by keyboard. */}
        <pre tabIndex={0}>{sampleOf(language, gameId ?? 'gam_…', boardId ?? 'brd_…')}</pre>
      </Card>
    </aside>
  );
}
